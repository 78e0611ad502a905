package import AssayCore

/// A key of tokens: a private key, which signs and verifies, or a set of public keys, which only verifies.
package final class TokenKey: KeyMaterial {
    /// The purpose of keys of this type.
    package static let purpose = KeyPurpose("assay-token")
    package static let privateKeyPart = "privateKey"
    package static let keySetPart = "keySet"
    /// The parts of a key: one of the two.
    package static let parts = [
        KeyPart(
            privateKeyPart, .secret, isRequired: false, form: "the scalar of a P-256 key: base64 of 32 bytes"),
        KeyPart(
            keySetPart, .published, isRequired: false,
            form: "the JSON Web Key Set of the issuer, as /.well-known/jwks.json has it"),
    ]

    /// A key that verifies tokens, by the ID in their header.
    package struct Verification: Sendable {
        package let keyID: String
        package let key: JWSKey
    }

    /// The keys that verify tokens.
    package let verifications: [Verification]
    /// The key that signs tokens; nil for a key set.
    package let signer: TokenSigner?

    package var algorithm: String { "ES256" }

    /// The algorithm, and the ID of a key that signs.
    package var summary: String { signer.map { "ES256 \($0.keyID)" } ?? "ES256 (\(verifications.count) public keys)" }

    /// Reads a key.
    /// - Parameter parts: exactly one of `privateKey`, base64 of 32 bytes, and `keySet`, in which every key has an ID.
    /// - Throws: ``KeyError`` without any of the secret's text.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        switch (parts[Self.privateKeyPart], parts[Self.keySetPart]) {
        case (let text?, nil):
            let signer = try Self.signer(text)
            self.signer = signer
            verifications = [Verification(keyID: signer.keyID, key: signer.verification)]
        case (nil, let text?):
            signer = nil
            verifications = try Self.keys(of: text)
        default:
            throw KeyError(
                "contradiction", part: "",
                "a key for \(Self.purpose) has either \(Self.privateKeyPart) or \(Self.keySetPart)")
        }
    }

    /// Reads the scalar of a private key.
    static func signer(_ text: SecretBytes) throws(KeyError) -> TokenSigner {
        let length = ECDSAPrivateKey.scalarLength
        let scalar: SecretBytes
        do { scalar = try SecretKeyText.decodeBase64(text, byteCounts: length...length) } catch {
            throw KeyError(
                "not-a-key", part: privateKeyPart, "expected base64 of \(length) bytes, found \(error.found)")
        }
        do throws(DecodeError) { return try TokenSigner(ECDSAPrivateKey(scalar: scalar)) } catch {
            throw KeyError("not-a-key", part: privateKeyPart, error.message)
        }
    }

    private static func keys(of text: SecretBytes) throws(KeyError) -> [Verification] {
        let set: JWKSet
        do { set = try JWKSet(text.withUnsafeBytes { Array($0) }) } catch {
            throw KeyError("not-a-key-set", part: keySetPart, error.detail)
        }
        let keys = set.keyIDs.compactMap { id in set.key(id).map { Verification(keyID: id, key: $0) } }
        guard !keys.isEmpty, keys.allSatisfy({ $0.key.algorithm.isByteEqual(to: "ES256") }) else {
            throw KeyError(
                "wrong-algorithm", part: keySetPart, "expected a set of P-256 keys for ES256, and at least one")
        }
        return keys
    }
}

/// A private key that signs tokens, with its ID.
package struct TokenSigner: Sendable {
    let key: ECDSAPrivateKey
    /// The thumbprint of the public key (RFC 7638): `kid` of tokens.
    package let keyID: String
    /// The uncompressed point of the public key.
    package let publicPoint: [UInt8]
    /// The public key.
    package let verification: JWSKey
    /// The header of tokens in base64url, with the dot after it.
    private let headerText: [UInt8]

    /// Prepares a key.
    package init(_ key: ECDSAPrivateKey) throws(DecodeError) {
        self.key = key
        publicPoint = key.publicPoint
        keyID = JWKThumbprint.p256(publicPoint)
        verification = try .es256(ECDSAPublicKey(x963: publicPoint, curve: .p256))
        headerText = Self.header(keyID, type: TokenClaims.type)
    }

    private static func header(_ keyID: String, type: String) -> [UInt8] {
        let json = #"{"alg":"ES256","kid":"\#(keyID)","typ":"\#(type)"}"#
        return Array(Base64.encode(Array(json.utf8), .url).utf8) + [UInt8(ascii: ".")]
    }

    /// Signs a payload as a compact JWS (RFC 7515 section 7.1); nil if the library fails.
    /// - Parameter type: another `typ` than that of tokens.
    package func sign(_ payload: [UInt8], type: String? = nil) -> String? {
        let header = type.map { Self.header(keyID, type: $0) } ?? headerText
        let input = header + Base64.encode(payload, .url).utf8
        guard let signature = key.signature(for: input[...]) else { return nil }
        return String(decoding: input, as: UTF8.self) + "." + Base64.encode(signature, .url)
    }
}
