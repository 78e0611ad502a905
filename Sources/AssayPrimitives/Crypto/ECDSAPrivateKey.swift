internal import Crypto

/// A private key for ECDSA on P-256 (FIPS 186-5), which signs with swift-crypto.
package struct ECDSAPrivateKey: Sendable {
    /// The length of the scalar in bytes.
    package static let scalarLength = 32

    private let key: P256.Signing.PrivateKey

    /// Creates a random key.
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

    /// Reads a PrivateKeyInfo (PKCS #8, RFC 5958) in PEM (RFC 7468): one block `PRIVATE KEY` and white space around it.
    /// - Throws: ``DecodeError`` without any of the text.
    package init(pem: SecretBytes) throws(DecodeError) {
        let body: SecretBytes? = unsafe pem.withUnsafeBytes { text in
            guard let start = unsafe text.firstRange(of: Self.begin), let end = unsafe text.firstRange(of: Self.end),
                start.upperBound <= end.lowerBound,
                unsafe text[..<start.lowerBound].allSatisfy({ Self.isSpace($0) }),
                unsafe text[end.upperBound...].allSatisfy({ Self.isSpace($0) })
            else { return nil }
            return unsafe SecretBytes(text[start.upperBound..<end.lowerBound])
        }
        guard let body else {
            throw DecodeError(.unexpectedValue, at: 0, "expected one PEM block PRIVATE KEY, and nothing else")
        }
        guard let info = try? SecretKeyText.decodeBase64(body, byteCounts: 32...256),
            let key = try? unsafe info.withUnsafeBytes({ try unsafe P256.Signing.PrivateKey(derRepresentation: $0) })
        else {
            throw DecodeError(.unexpectedValue, at: 0, "the PEM block does not hold a private key of P-256 in PKCS #8")
        }
        self.key = key
    }

    private static let begin = Array("-----BEGIN PRIVATE KEY-----".utf8)
    private static let end = Array("-----END PRIVATE KEY-----".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

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
