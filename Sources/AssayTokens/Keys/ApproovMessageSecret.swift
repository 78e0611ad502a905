package import AssayCore

/// The key for message signing of an Approov account, as apps get it with their tokens. Backends have the same secret for the use
/// `approov-message`, which never delivers it.
package final class ApproovMessageSecret: KeyMaterial {
    /// The purpose of keys of this type.
    package static let purpose = KeyPurpose("approov-message-issuer")
    /// The parts of a key.
    package static let parts = [
        KeyPart(ApproovTokenSecret.secretPart, .secret, isRequired: true, form: "base64 of \(length) bytes"),
        KeyPart(
            ApproovTokenSecret.keyIDPart, .word, isRequired: true, form: "the ID that tokens name the key by in mskid"),
    ]
    /// The length in bytes.
    package static let length = 32

    let secret: SecretBytes
    let keyID: String

    /// The algorithm, by its name in the RFC 9421 registry.
    package var algorithm: String { "hmac-sha256" }

    /// Reads a key.
    /// - Throws: ``KeyError`` without any of the secret's text.
    package convenience init(parts: [String: SecretBytes]) throws(KeyError) {
        let secret = try parts.secret(ApproovTokenSecret.secretPart, byteCount: Self.length)
        guard let keyID = try ApproovTokenSecret.word(parts) else {
            throw KeyError("missing-part", part: ApproovTokenSecret.keyIDPart, "the part is missing")
        }
        self.init(secret, keyID)
    }

    private init(_ secret: SecretBytes, _ keyID: String) { (self.secret, self.keyID) = (secret, keyID) }

    /// A random key under the same ID.
    var decoy: ApproovMessageSecret {
        ApproovMessageSecret(SecretBytes(ApproovTokenSecret.random(Self.length)), keyID)
    }
}
