public import AssayCore
public import FoundationEssentials

/// An Approov token that was minted with test keys.
public struct MintedApproovToken: Sendable {
    /// The token: a compact JWS or JWE, where the blueprint did not change that.
    public let token: String
    /// The claims in it, encoded.
    package let claims: [UInt8]
    /// The loggable form of a token with these claims that is signed with the account's secret.
    package let loggableForm: ApproovLoggableForm

    /// The text that an app logs in the token's place (Approov, Loggable Tokens).
    public var loggable: String { loggableForm.text }

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - binding: What the request carries in the fields that tokens are bound to, in their order.
    ///   - address: Where the request comes from.
    ///   - app: The policy's app, and nil to have it found.
    ///   - receivedAt: When the server got it.
    ///   - expect: What the record's verdict has to be.
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

    /// The evidence record of the loggable form. Parameters as of ``record(id:binding:address:app:receivedAt:expect:)``.
    package func loggableRecord(
        id: String, app: String? = nil, receivedAt: Date, expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        EvidenceRecord(
            id: id, kind: EvidenceKind("approov.token"), app: app, receivedAt: receivedAt,
            evidence: RecordObject([("loggable", .text(loggable))]), expect: expect)
    }
}
