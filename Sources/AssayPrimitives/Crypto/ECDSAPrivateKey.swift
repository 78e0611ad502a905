internal import Crypto

/// A private key for ECDSA on P-256 (FIPS 186-5), which signs with swift-crypto.
package struct ECDSAPrivateKey: Sendable {
    /// The length of the scalar in bytes.
    package static let scalarLength = 32

    private let key: P256.Signing.PrivateKey

    package init() { key = P256.Signing.PrivateKey() }

    /// Reads the scalar, 32 bytes.
    /// - Throws: ``DecodeError`` without any of the bytes.
    package init(scalar: SecretBytes) throws(DecodeError) {
        do {
            key = try unsafe scalar.withUnsafeBytes { try unsafe P256.Signing.PrivateKey(rawRepresentation: $0) }
        } catch {
            throw DecodeError(.unexpectedValue, at: 0, "\(scalar.count) bytes that are no private key of P-256")
        }
    }

    /// Reads a PrivateKeyInfo in DER (PKCS #8, RFC 5958).
    /// - Throws: ``DecodeError`` without any of the bytes.
    package init(privateKeyInfo: SecretBytes) throws(DecodeError) {
        do {
            key = try unsafe privateKeyInfo.withUnsafeBytes {
                try unsafe P256.Signing.PrivateKey(derRepresentation: $0)
            }
        } catch {
            throw DecodeError(.unexpectedValue, at: 0, "\(privateKeyInfo.count) bytes that are no private key of P-256")
        }
    }

    /// The scalar, 32 bytes.
    package var scalar: SecretBytes {
        var bytes = Array(key.rawRepresentation)
        defer { SecretBytes.wipe(&bytes) }
        return SecretBytes(bytes)
    }

    /// The uncompressed point of the public key, 65 bytes.
    package var publicPoint: [UInt8] { Array(key.publicKey.x963Representation) }

    /// Signs an unhashed message with SHA-256.
    /// - Returns: `r || s` (RFC 7518 section 3.4), 64 bytes; nil if the library fails.
    package func signature(for message: ArraySlice<UInt8>) -> [UInt8]? {
        (try? key.signature(for: SHA256.hash(data: message))).map { Array($0.rawRepresentation) }
    }
}
