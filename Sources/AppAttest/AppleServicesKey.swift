package import AssayCore

/// A key of Apple's services: a `.p8` file of the developer account with the DeviceCheck service, for App Attest and DeviceCheck. It
/// serves all apps of the team.
package final class AppleServicesKey: KeyMaterial {
    package static let purpose = KeyPurpose("apple-services")
    package static let parts = [
        KeyPart(
            privateKeyPart, .secret, isRequired: true,
            form: "the .p8 file of the developer account: PEM, PKCS #8, a private key of P-256"),
        KeyPart(
            keyIDPart, .word, isRequired: true,
            form: "the key ID of the developer account, 10 capital letters and digits"),
        KeyPart(
            teamIDPart, .word, isRequired: true,
            form: "the team ID of the developer account, 10 capital letters and digits"),
    ]
    static let privateKeyPart = "privateKey"
    static let keyIDPart = "keyID"
    static let teamIDPart = "teamID"

    /// The key ID, `kid` of tokens.
    package let keyID: String
    /// The team ID, `iss` of tokens.
    package let teamID: String
    package let privateKey: ECDSAPrivateKey

    /// `ES256`.
    package var algorithm: String { "ES256" }

    /// The algorithm, the key ID and the team ID.
    package var summary: String { "ES256, key ID \(keyID), team \(teamID)" }

    /// Reads `privateKey`, `keyID` and `teamID`. No error contains a part of the private key.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        keyID = try Self.identifier(Self.keyIDPart, parts)
        teamID = try Self.identifier(Self.teamIDPart, parts)
        guard let pem = parts[Self.privateKeyPart] else {
            throw KeyError("missing-part", part: Self.privateKeyPart, "the part is missing")
        }
        do { privateKey = try ECDSAPrivateKey(pem: pem) } catch {
            throw KeyError(
                "malformed", part: Self.privateKeyPart,
                "expected the .p8 file of the developer account: \(error.message)")
        }
    }

    /// An identifier of 10 capital letters and digits.
    private static func identifier(_ part: String, _ parts: [String: SecretBytes]) throws(KeyError) -> String {
        let text = parts[part]?.withUnsafeBytes { bytes in
            String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
        }
        guard let text else { throw KeyError("missing-part", part: part, "the part is missing") }
        guard AppAttestConfiguration.isPrefix(text[...]) else {
            throw KeyError("malformed", part: part, "expected 10 capital letters and digits, found \(text.excerpt)")
        }
        return text
    }
}
