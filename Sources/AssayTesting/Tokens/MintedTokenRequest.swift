public import AssayCore
public import FoundationEssentials

/// A request with a token of Assay, minted with test keys.
public struct MintedTokenRequest: Sendable {
    /// The token.
    public let token: String
    /// The method.
    public let method: String
    /// The target URI.
    public let targetURI: String
    /// The fields in order.
    public let fields: [(name: String, value: String)]

    /// A request with some fields.
    package init(token: String, method: String, targetURI: String, fields: [(name: String, value: String)]) {
        (self.token, self.method, self.targetURI, self.fields) = (token, method, targetURI, fields)
    }

    /// The request to verify.
    public var request: SignedRequest {
        SignedRequest(
            method: method, targetURI: targetURI, fields: fields.map { SignedRequest.Field($0.name, $0.value) },
            body: .bytes([]))
    }

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - app: the policy's app; nil to let the verifier find it.
    ///   - account: the account of the session.
    ///   - receivedAt: the time of receipt.
    ///   - expect: the expected verdict.
    public func record(
        id: String, app: String? = nil, account: String? = nil, receivedAt: Date,
        expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        let pairs = fields.map { field in
            RecordValue(
                .array([RecordValue(.text(field.name), offset: 0), RecordValue(.text(field.value), offset: 0)]),
                offset: 0)
        }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("assay.token"), app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject([
                ("method", .text(method)), ("targetURI", .text(targetURI)), ("headers", .array(pairs)),
            ]), expect: expect)
    }
}
