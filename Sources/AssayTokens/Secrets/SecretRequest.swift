public import AssayCore
public import AssayPrimitives

/// A request for runtime secrets: evidence that covers a challenge of the ledger, the names, and the key for which the values are sealed.
///
/// The app asks for a challenge, computes ``evidenceChallenge(_:names:keyThumbprint:)``, and makes its evidence over that value in place of
/// the challenge itself.
public struct SecretRequest: Sendable {
    /// The most names in a request.
    public static let mostNames = 16

    /// The evidence.
    public let record: EvidenceRecord
    /// The challenge as the ledger issued it: base64url of 33 bytes. For `play-integrity.standard`, which consumes none, any text of
    /// this form that the client drew at random.
    public let challenge: String
    /// The names of the secrets, in the order that the evidence covers.
    public let names: [String]
    /// The client's public key, an uncompressed point of P-256.
    public let publicKey: [UInt8]

    /// Composes a request.
    ///
    /// - Parameter point: the client's public key, `04 || X || Y`, 65 bytes (ANSI X9.63 section 4.3.6).
    /// - Throws: ``DecodeError`` for another form, or a point that is not on P-256.
    public init(
        record: EvidenceRecord, challenge: String, names: [String], x963Representation point: [UInt8]
    ) throws(DecodeError) {
        let key = try ECDSAPublicKey(x963: point, curve: .p256)
        self.init(record: record, challenge: challenge, names: names, publicKey: key.x963Representation)
    }

    /// Composes a request with a point of P-256.
    package init(record: EvidenceRecord, challenge: String, names: [String], publicKey: [UInt8]) {
        (self.record, self.challenge, self.names, self.publicKey) = (record, challenge, names, publicKey)
    }

    /// The value that the evidence contains in place of the challenge: SHA-256 of `assay-secrets`, the challenge, the names with commas
    /// between them, and the thumbprint of the key (RFC 7638), each as text and followed by a line feed. Evidence may contain the 32
    /// bytes, or their base64url text.
    public static func evidenceChallenge(_ challenge: String, names: [String], keyThumbprint: String) -> [UInt8] {
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
@nonexhaustive
public enum SecretAnswer: Sendable {
    /// The values, sealed for the client: a compact JWE, ECDH-ES and A256GCM, and how long the client may keep them, in seconds. The
    /// content of the JWE is a JSON object with `secrets` by name, `challenge`, `app`, `iat` and `exp`.
    case sealed(String, expiresIn: Int, Verdict)
    /// The evidence was rejected. The code is that of Approov's evidence, or computed from the failed checks.
    case rejected(Verdict, responseCode: String?)
}
