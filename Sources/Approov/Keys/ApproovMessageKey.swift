package import AssayCore
import AssayPrimitives

/// A secret of the account that apps sign messages with, by the ID that tokens name it by in `mskid`.
package final class ApproovMessageKey: KeyMaterial {
    /// What keys of this type are for.
    package static let purpose = KeyPurpose("approov-message")
    /// The parts of which a key consists.
    package static let parts = [
        KeyPart(ApproovKey.secretPart, .secret, isRequired: true, form: ApproovSecret.messageForm),
        KeyPart(
            ApproovKey.keyIDPart, .word, isRequired: true, form: "the ID that tokens name the key by in mskid"),
    ]

    /// The ID that tokens name the key by.
    package let keyID: String
    /// The secret.
    let secret: SecretBytes

    /// The algorithm, in the name of the registry of RFC 9421.
    package var algorithm: String { MessageSigning.Signer.account.algorithm }

    /// Reads a key.
    ///
    /// - Parameter parts: `secret`: base64 of 32 to 128 bytes, in either alphabet; `keyID`.
    /// - Throws: ``KeyError``: what was found in kind and length, and what is expected.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        guard let text = parts[ApproovKey.secretPart] else {
            throw KeyError("missing-part", part: ApproovKey.secretPart, "the part is missing")
        }
        guard let keyID = try ApproovKey.word(ApproovKey.keyIDPart, parts) else {
            throw KeyError("missing-part", part: ApproovKey.keyIDPart, "the part is missing")
        }
        self.keyID = keyID
        secret = try ApproovSecret.decode(text, part: ApproovKey.secretPart, lengths: ApproovSecret.messageLengths)
    }
}
