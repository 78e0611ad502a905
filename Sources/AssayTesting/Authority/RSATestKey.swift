import AssayCore
import AssayPrimitives
import FoundationEssentials

/// A private RSA key of a test account, for RS256 (RFC 7518 section 3.3).
package struct RSATestKey: Sendable {
    private let key: RSAPrivateKey

    /// Reads a private key in PEM, PKCS #8 or PKCS #1, of at least 2048 bits.
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

    /// A key of 2048 bits that stands in the source of Assay, and which therefore everybody has.
    ///
    /// Evidence that is minted again under the same seed needs the same keys, and RSA keys cannot be derived from a seed
    /// as others can.
    package static func published() throws(MintingError) -> RSATestKey { try RSATestKey(pem: publishedPEM) }

    /// The public half: a DER SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8] { key.publicKey.subjectPublicKeyInfo }

    /// The modulus of the public half, big-endian without leading zeros, as a JWK carries it; the exponent is 65537.
    package var modulus: [UInt8] {
        Array(subjectPublicKeyInfo.dropLast(Self.exponent.count).suffix(key.publicKey.modulusLength))
    }

    /// 65537 in DER, with which the structure of a public key ends.
    private static let exponent: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]

    /// A signature over a message by RSASSA-PKCS1-v1_5 with SHA-256, the same one every time.
    package func signature(over message: [UInt8]) throws(MintingError) -> [UInt8] {
        do {
            return try key.sign(message[...])
        } catch {
            throw MintingError("the RSA key does not sign: \(error)")
        }
    }
}
