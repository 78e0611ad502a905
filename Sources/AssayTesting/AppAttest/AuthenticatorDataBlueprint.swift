package import AssayCore

/// Authenticator data as App Attest uses it (WebAuthn section 6.1). Every field accepts any value.
public struct AuthenticatorDataBlueprint: Sendable {
    /// The part that attestations have and assertions lack.
    package struct AttestedCredential: Sendable {
        /// The AAGUID, 16 bytes. It names the environment.
        package var aaguid: [UInt8]
        /// The length field of the credential ID; nil for its true length.
        package var credentialIDLength: UInt16?
        /// The credential ID, equal to the key ID.
        package var credentialID: [UInt8]
        /// The encoded COSE key.
        package var publicKey: [UInt8]

        package init(aaguid: [UInt8], credentialID: [UInt8], publicKey: [UInt8]) {
            (self.aaguid, self.credentialID, self.publicKey) = (aaguid, credentialID, publicKey)
        }
    }

    /// SHA-256 of the App ID.
    public var rpIDHash: [UInt8]
    /// The flags: 0x40 before iOS 27 and in every assertion; 0xC0 if a device also signals extensions.
    package var flags: UInt8 = 0x40
    /// The number of assertions that the key has signed.
    public var counter: UInt32
    /// The attested credential; nil in assertions.
    package var attestedCredential: AttestedCredential?
    /// The encoded extensions map; empty for none.
    package var extensions: [UInt8]

    /// The authenticator data of a genuine attestation.
    package init(
        attesting key: AttestedKey, appID: String, environment: AttestEnvironment,
        extensions: AppAttestExtensions = .none
    ) {
        rpIDHash = sha256(Array(appID.utf8))
        counter = 0
        attestedCredential = AttestedCredential(
            aaguid: environment.mintedAAGUID, credentialID: key.keyID, publicKey: key.coseKey.encoded)
        self.extensions = extensions.encoded
    }

    /// The authenticator data of a genuine assertion.
    package init(assertingFor appID: String, counter: UInt32, extensions: AppAttestExtensions = .none) {
        rpIDHash = sha256(Array(appID.utf8))
        self.counter = counter
        self.extensions = extensions.encoded
    }

    package var encoded: [UInt8] {
        var bytes = rpIDHash + [flags] + Self.bigEndian(UInt64(counter), 4)
        if let credential = attestedCredential {
            let length = credential.credentialIDLength.map(UInt64.init) ?? UInt64(credential.credentialID.count)
            bytes += credential.aaguid + Self.bigEndian(length, 2) + credential.credentialID + credential.publicKey
        }
        return bytes + extensions
    }

    private static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }
}

extension AttestEnvironment {
    /// The AAGUID in the authenticator data, 16 bytes.
    package var mintedAAGUID: [UInt8] {
        self == .production
            ? Array("appattest".utf8) + [UInt8](repeating: 0, count: 7) : Array("appattestdevelop".utf8)
    }
    /// The name in field 7 of a receipt.
    var receiptName: String { self == .production ? "production" : "sandbox" }
}
