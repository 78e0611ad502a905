public import AssayCore
public import FoundationEssentials

extension AndroidKeyRequest {
    /// Reads a request, and the optional `publicKey`, SubjectPublicKeyInfo, for use without a ledger.
    static func read(_ evidence: RecordObject) throws(RecordError) -> (SignedRequest, [UInt8]?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(SignedRequest.recordFields + [SignedRequest.digestField, "publicKey"])
        return (try SignedRequest(fields), try fields.optionalBytes("publicKey"))
    }

    /// The key identifier in a request, standard base64; nil if there is none.
    static func keyID(of record: EvidenceRecord) -> String? {
        (try? read(record.evidence)).flatMap { checks.signatureInput(in: $0.0)?.keyID }
    }
}

extension EvidenceRecord {
    /// Composes the record of a request that an attested key signed.
    ///
    /// - Parameters:
    ///   - suppliedKey: the key as SubjectPublicKeyInfo, if no ledger stores it.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil for the only one with `requests` in its `androidKey`.
    ///   - account: the account of the session; nil for none.
    /// - Throws: ``DecodeError`` if the body is unread: a new judgement needs it, or its digests.
    public init(
        androidKeyRequest request: SignedRequest, suppliedKey: [UInt8]? = nil, id: String? = nil, app: String? = nil,
        account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        var members = try request.recordMembers()
        if let suppliedKey { members.append(("publicKey", .text(Base64.encode(suppliedKey, .standard)))) }
        self.init(
            id: id, kind: .androidKeyRequest, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}
