public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// Composes records of judged evidence for captures. Reading a record gives the same input again.

extension EvidenceRecord {
    /// Composes the record of a classic token.
    ///
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the request ID.
    ///   - app: The policy's app; nil for the one with the package name.
    public init(_ input: ClassicIntegrityInput, id: String? = nil, app: String? = nil, receivedAt: Date) {
        self.init(
            id: id, kind: EvidenceKind.playIntegrityClassic, app: app, receivedAt: receivedAt,
            evidence: RecordObject([
                ("packageName", .text(input.packageName)), ("token", .text(input.token)),
                // Padding keeps the shortest nonces at the minimum length.
                ("nonce", .text(Base64.encode(input.nonce, .standard))),
            ]),
            expect: nil)
    }

    /// Composes the record of a standard token.
    ///
    /// A record that holds the token can be judged again only by asking Google again. To be replayed, let the answer be
    /// captured: have the token decoded first with ``IntegrityTokenDecoder/answer(on:packageName:form:)``, and judge the
    /// answer.
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the request ID.
    ///   - app: The policy's app; nil for the one with the package name.
    /// - Throws: ``DecodeError`` if Google's answer is not a JSON object, which a record cannot hold.
    public init(
        _ input: StandardIntegrityInput, id: String? = nil, app: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        let evidence: (String, RecordValue.Content)
        switch input.evidence {
        case .token(let token): evidence = ("token", .text(token))
        case .decoded(let answer): evidence = ("decoded", .object(try answer.object()))
        }
        self.init(
            id: id, kind: EvidenceKind.playIntegrityStandard, app: app, receivedAt: receivedAt,
            evidence: RecordObject([
                ("packageName", .text(input.packageName)), ("requestHash", .text(input.requestHash)), evidence,
            ]),
            expect: nil)
    }
}
