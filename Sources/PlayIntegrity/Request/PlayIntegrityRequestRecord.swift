public import AssayCore
public import FoundationEssentials

extension PlayIntegrityRequest {
    /// Reads a request, and the optional `decoded`: Google's answer on the token in its signature.
    static func read(_ evidence: RecordObject) throws(RecordError) -> (SignedRequest, IntegrityAnswer?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(SignedRequest.recordFields + [SignedRequest.digestField, "decoded"])
        let request = try SignedRequest(fields)
        guard let answer = fields["decoded"] else { return (request, nil) }
        return (request, IntegrityAnswer(try RecordFields(answer, path: fields.path(of: "decoded")).object))
    }

    /// The digest of the token in a request, as text; nil if there is none.
    static func tokenDigest(of record: EvidenceRecord) -> String? {
        guard let request = (try? read(record.evidence))?.0, let label = checks.signatureInput(in: request)?.label,
            let field = request.parts.combinedValue(of: "Signature"),
            let token = (try? SignatureField(field[...]))?[label]
        else { return nil }
        return Base64.encode(Digest.sha256(token), .standard)
    }
}

extension EvidenceRecord {
    /// Composes the record of a request that carries a standard token.
    ///
    /// A record without Google's answer can be judged again only with another call to Google.
    /// - Parameters:
    ///   - answer: Google's answer on the token; nil if it is not known.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil for the only one with `requests` in its `playIntegrity`.
    ///   - account: the account of the session; nil for none.
    /// - Throws: ``DecodeError`` if the body is unread, or the answer is not a JSON object.
    public init(
        playIntegrityRequest request: SignedRequest, answer: IntegrityAnswer? = nil, id: String? = nil,
        app: String? = nil, account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        var members = try request.recordMembers()
        if let answer { members.append(("decoded", .object(try answer.object()))) }
        self.init(
            id: id, kind: .playIntegrityRequest, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}
