package import AssayCore
import AssayPrimitives

/// A request for runtime secrets: evidence that covers a challenge of the ledger, the names, and the key for which the values are sealed.
package struct SecretRequest: Sendable {
    /// The most names in a request.
    package static let mostNames = 16

    /// The evidence.
    package let record: EvidenceRecord
    /// The challenge as the ledger issued it: base64url of 32 bytes. For `play-integrity.standard`, which consumes none, any text of
    /// this form that the client drew at random.
    package let challenge: String
    /// The names of the secrets, in the order that the evidence covers.
    package let names: [String]
    /// The client's public key, an uncompressed point of P-256.
    package let publicKey: [UInt8]

    /// Composes a request.
    package init(record: EvidenceRecord, challenge: String, names: [String], publicKey: [UInt8]) {
        (self.record, self.challenge, self.names, self.publicKey) = (record, challenge, names, publicKey)
    }

    /// The value that the evidence contains in place of the challenge: SHA-256 of `assay-secrets`, the challenge, the names with commas
    /// between them, and the thumbprint of the key (RFC 7638), each as text and followed by a line feed. Evidence may contain the 32
    /// bytes, or their base64url text.
    package static func evidenceChallenge(_ challenge: String, names: [String], keyThumbprint: String) -> [UInt8] {
        let list = names.joined(separator: ",")
        return Digest.sha256(Array("assay-secrets\n\(challenge)\n\(list)\n\(keyThumbprint)\n".utf8))
    }

    /// Throws for names that no secret can have. Nothing of the policy and of the evidence is known yet.
    package func requireNames() throws(RequestError) {
        func refuse(_ message: String) -> RequestError { RequestError(.invalidSecretName, message) }
        guard (1...Self.mostNames).contains(names.count) else {
            throw refuse("expected 1 to \(Self.mostNames) names, found \(names.count)")
        }
        for (index, name) in names.enumerated() {
            if let objection = SecretName.objection(to: name) { throw refuse("name \(index + 1): \(objection)") }
            guard !names[..<index].containsBytes(of: name) else { throw refuse("\(name) is in the list twice") }
        }
    }
}

/// The answer to a request for runtime secrets.
package enum SecretAnswer: Sendable {
    /// The values, sealed for the client: a compact JWE, and its life in seconds.
    case sealed(String, expiresIn: Int, Verdict)
    /// The evidence was rejected. The code is that of Approov's evidence, or computed from the failed checks.
    case rejected(Verdict, responseCode: String?)
}
