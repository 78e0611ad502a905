public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// Composes records of judged evidence, for captures. A record is read back as the same input.

extension EvidenceRecord {
    /// Composes the record of a classic token.
    ///
    /// - Parameters:
    ///   - input: the judged evidence.
    ///   - id: the name of the record in verdicts and reports, such as that of the request.
    ///   - app: the policy's app; nil for the one of the package name.
    ///   - receivedAt: when the evidence was received.
    public init(_ input: ClassicIntegrityInput, id: String? = nil, app: String? = nil, receivedAt: Date) {
        self.init(
            id: id, kind: PlayIntegrityCheck.classicKind, app: app, receivedAt: receivedAt,
            evidence: RecordObject([
                ("packageName", .text(input.packageName)), ("token", .text(input.token)),
                // With padding, so that the shortest nonces stay as long as a nonce has to be.
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
    ///   - input: the judged evidence.
    ///   - id: the name of the record in verdicts and reports, such as that of the request.
    ///   - app: the policy's app; nil for the one of the package name.
    ///   - receivedAt: when the evidence was received.
    /// - Throws: ``DecodeError`` when Google's answer is no JSON object, which no record can hold.
    public init(
        _ input: StandardIntegrityInput, id: String? = nil, app: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        let evidence: (String, RecordValue.Content)
        switch input.evidence {
        case .token(let token): evidence = ("token", .text(token))
        case .decoded(let answer): evidence = ("decoded", .object(try answer.object()))
        }
        self.init(
            id: id, kind: PlayIntegrityCheck.standardKind, app: app, receivedAt: receivedAt,
            evidence: RecordObject([
                ("packageName", .text(input.packageName)), ("requestHash", .text(input.requestHash)), evidence,
            ]),
            expect: nil)
    }
}
