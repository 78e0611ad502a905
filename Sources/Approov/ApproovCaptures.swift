package import AssayCore

extension ApproovEngine {
    /// Tokens, bound values and proof keys authorise their holder. Loggable tokens contain proof keys. Headers and
    /// bodies are user data.
    package static let sensitiveFields = [
        SensitiveField(
            "token", of: .approovToken, reveals: "the token, which lets its holder call the API until it expires"),
        SensitiveField(
            "loggable", of: .approovToken,
            reveals: "the claims of the token: the address of the device, and the key of proofs where it has one"),
        SensitiveField(
            "binding", of: .approovToken, reveals: "what the token is bound to, such as the session of a user"),
        SensitiveField("address", of: .approovToken, reveals: "the address of the device"),
        SensitiveField(
            "targetURI", of: .approovMessage,
            reveals: "the target of the request, such as a person in its path or query"),
        SensitiveField(
            "headers", of: .approovMessage,
            reveals: "the token, and other fields of the request, such as the session of a user"),
        SensitiveField("body", of: .approovMessage, reveals: "the content of the request"),
        SensitiveField("address", of: .approovMessage, reveals: "the address of the device"),
        SensitiveField(
            "token", of: .approovText, reveals: "the token, which lets its holder call the API until it expires"),
        SensitiveField("text", of: .approovText, reveals: "what the app signed, with the token in it"),
        SensitiveField(
            "binding", of: .approovText, reveals: "what the token is bound to, such as the session of a user"),
        SensitiveField("address", of: .approovText, reveals: "the address of the device"),
        SensitiveField(
            "measurements", of: .approovProof,
            reveals: "the key of proofs, with which any holder can prove the measurements"),
        SensitiveField("token", of: .approovProof, reveals: "the token, which carries the key of proofs"),
        SensitiveField(
            "sealed", of: .approovProof,
            reveals: "the measurement token, from which the key of the hardware opens the key of proofs"),
    ]

    /// Signatures, proofs and what was measured. A token is needed to judge any of them.
    package static func retainedFields(of kind: EvidenceKind) -> [String] {
        switch kind {
        case .approovMessage: ["method"]
        case .approovText: ["signature"]
        case .approovProof: ["nonce", "proof", "measurement"]
        default: []
        }
    }

    /// The token of a message, which every signature covers; the text; the nonce of a proof. Tokens alone need no order: the ledger
    /// keeps nothing about them. Messages with the token in a field other than the default share one key.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        if record.kind == EvidenceKind.approovText {
            guard case .text(let text)? = record.evidence["text"]?.content else { return nil }
            return "\(Configuration.engine) text \(Base64.encode(Digest.sha256(Array(text.utf8)), .standard))"
        }
        if record.kind == EvidenceKind.approovProof {
            guard case .text(let nonce)? = record.evidence["nonce"]?.content else { return nil }
            return "\(Configuration.engine) nonce \(nonce)"
        }
        guard record.kind == EvidenceKind.approovMessage, let input = try? ApproovMessageInput(record.evidence) else {
            return nil
        }
        let usual = ApproovConfiguration.Settings().tokenHeader
        let token = input.fields.first { HTTPFieldText.isName($0.name, equalTo: usual) }?.value
        return "\(Configuration.engine) \(token.map { HTTPFieldText.trimmed($0) } ?? "")"
    }
}
