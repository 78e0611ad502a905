public import AssayCore
public import FoundationEssentials

/// An Approov token, minted with test keys.
public struct MintedApproovToken: Sendable {
    /// The token: a compact JWS or JWE, unless the blueprint changed it.
    public let token: String
    /// The encoded claims.
    package let claims: [UInt8]
    /// The loggable form of a token with these claims, signed with the account's secret.
    package let loggableForm: ApproovLoggableForm

    /// The text that an app logs instead of the token (Approov, Loggable Tokens).
    public var loggable: String { loggableForm.text }

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - binding: The request's values of the bound fields, in order.
    ///   - address: The client's address.
    ///   - app: The policy's app; nil to let the verifier find it.
    ///   - receivedAt: The time of receipt.
    ///   - expect: The expected verdict.
    public func record(
        id: String, binding: [String] = [], address: String? = nil, app: String? = nil, receivedAt: Date,
        expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        var evidence: [(String, RecordValue.Content)] = [("token", .text(token))]
        if !binding.isEmpty {
            evidence.append(("binding", .array(binding.map { RecordValue(.text($0), offset: 0) })))
        }
        if let address { evidence.append(("address", .text(address))) }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("approov.token"), app: app, receivedAt: receivedAt,
            evidence: RecordObject(evidence), expect: expect)
    }

    /// The loggable form's evidence record. Parameters as for ``record(id:binding:address:app:receivedAt:expect:)``.
    package func loggableRecord(
        id: String, app: String? = nil, receivedAt: Date, expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        EvidenceRecord(
            id: id, kind: EvidenceKind("approov.token"), app: app, receivedAt: receivedAt,
            evidence: RecordObject([("loggable", .text(loggable))]), expect: expect)
    }
}
