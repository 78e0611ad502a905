public import AssayCore
public import FoundationEssentials

extension AppAttestRequest {
    /// Reads a request, and the optional `key`.
    static func read(
        _ evidence: RecordObject
    ) throws(RecordError) -> (SignedRequest, AssertionKeys.Supplied?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(SignedRequest.recordFields + [SignedRequest.digestField, "key"])
        return (try SignedRequest(fields), try AssertionKeys.Supplied(in: fields))
    }

    /// The key identifier of the assertion in a request; nil if there is none.
    static func keyID(of record: EvidenceRecord) -> String? {
        (try? read(record.evidence)).flatMap { checks.signatureInput(in: $0.0)?.keyID }
    }
}

extension EvidenceRecord {
    /// Composes the record of a request that carries an assertion.
    ///
    /// - Parameters:
    ///   - suppliedKey: the key and its counter, if no ledger stores them.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil for the only one with `requests` in its `appAttest`.
    ///   - account: the account of the session; nil for none.
    /// - Throws: ``DecodeError`` if the body is unread: a later judgement needs the body or its digests.
    public init(
        appAttestRequest request: SignedRequest, suppliedKey: AssertionKeys.Supplied? = nil, id: String? = nil,
        app: String? = nil, account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        var members = try request.recordMembers()
        if let suppliedKey { members.append(suppliedKey.recordMember) }
        self.init(
            id: id, kind: .appAttestRequest, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}
