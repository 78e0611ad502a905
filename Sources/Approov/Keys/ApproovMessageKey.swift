package import AssayCore

/// A message signing secret of the account. Tokens name its ID in `mskid`.
package final class ApproovMessageKey: KeyMaterial {
    package static let purpose = KeyPurpose("approov-message")
    package static let parts = [
        KeyPart(ApproovKey.secretPart, .secret, isRequired: true, form: ApproovSecret.messageForm),
        KeyPart(
            ApproovKey.keyIDPart, .word, isRequired: true, form: "the ID that tokens name the key by in mskid"),
    ]

    /// The key ID in tokens.
    package let keyID: String
    let secret: SecretBytes

    /// The algorithm, by its name in the RFC 9421 registry.
    package var algorithm: String { MessageSigning.Signer.account.algorithm }

    /// Reads a key.
    /// - Parameter parts: `secret`: base64 of 32 to 128 bytes, in either alphabet; `keyID`.
    /// - Throws: ``KeyError`` with the found kind and length, and the expected ones.
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

/// The private key of offline hardware, which opens measurement tokens.
package final class ApproovHardwareKey: KeyMaterial {
    package static let purpose = KeyPurpose("approov-hardware")
    static let privateKeyPart = "privateKey"
    package static let parts = [KeyPart(privateKeyPart, .secret, isRequired: true, form: PrivateKeyText.form)]

    let key: AgreementPrivateKey

    /// The algorithms, by their RFC 7518 names.
    package var algorithm: String { "ECDH-ES, A256GCM" }

    /// Reads a key.
    /// - Parameter parts: `privateKey`: PEM, PKCS #8.
    /// - Throws: ``KeyError`` with the found and the expected form.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        guard let text = parts[Self.privateKeyPart] else {
            throw KeyError("missing-part", part: Self.privateKeyPart, "the part is missing")
        }
        key = try PrivateKeyText(part: Self.privateKeyPart).decode(text)
    }
}
