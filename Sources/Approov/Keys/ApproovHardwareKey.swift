package import AssayCore

/// The private key of offline hardware, which opens measurement tokens.
package final class ApproovHardwareKey: KeyMaterial {
    /// The purpose of keys of this type.
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
