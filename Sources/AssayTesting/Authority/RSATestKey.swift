import AssayPrimitives

/// A private RSA key of a test account, for RS256 (RFC 7518 section 3.3).
package struct RSATestKey: Sendable {
    private let key: RSAPrivateKey

    /// Reads a private key of at least 2048 bits; PEM, PKCS #8 or PKCS #1.
    package init(pem: String) throws(MintingError) {
        do {
            key = try RSAPrivateKey(pem: SecretBytes(Array(pem.utf8)))
        } catch {
            throw MintingError("no private RSA key: \(error)")
        }
        guard key.publicKey.subjectPublicKeyInfo.suffix(Self.exponent.count).elementsEqual(Self.exponent) else {
            throw MintingError("expected an RSA key with the exponent 65537")
        }
    }

    /// A published key of 2048 bits, not secret, for reproducible evidence: RSA keys cannot be derived from a seed.
    package static func published() throws(MintingError) -> RSATestKey { try RSATestKey(pem: publishedPEM) }

    /// The public key, a DER SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8] { key.publicKey.subjectPublicKeyInfo }

    /// The public modulus, big-endian without leading zeros, as in a JWK. The exponent is 65537.
    package var modulus: [UInt8] {
        Array(subjectPublicKeyInfo.dropLast(Self.exponent.count).suffix(key.publicKey.modulusLength))
    }

    /// 65537 in DER, the last bytes of a public key structure.
    private static let exponent: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]

    /// Signs a message with RSASSA-PKCS1-v1_5 and SHA-256. The signature is deterministic.
    package func signature(over message: [UInt8]) throws(MintingError) -> [UInt8] {
        do {
            return try key.sign(message[...])
        } catch {
            throw MintingError("the RSA key does not sign: \(error)")
        }
    }
}
