package import AssayCore

extension TokenEngine {
    /// A token authorises its holder; the fields of a request have a session.
    package static let sensitiveFields =
        [
            SensitiveField(
                "token", of: .assayToken,
                reveals: "the token, which lets the holder of its key call the API until it ends")
        ] + SignedRequest.sensitiveFields(of: .assayToken)

    /// The method of the request.
    package static func retainedFields(of kind: EvidenceKind) -> [String] { kind == .assayToken ? ["method"] : [] }

    /// The proof, or the token: the ledger remembers either.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        guard let presentation = try? TokenInput(record.evidence).presentation() else { return nil }
        let text = presentation.proofs.first ?? presentation.token
        return "\(Configuration.engine) \(Base64.encode(Digest.sha256(Array(text.utf8)), .standard))"
    }
}
