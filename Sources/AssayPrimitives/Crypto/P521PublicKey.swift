internal import Crypto

/// A public key on P-521 (FIPS 186-5), checked to be on its curve. A keystore can attest such a key. Assay verifies no
/// signatures with it.
package struct P521PublicKey: Sendable {
    /// The DER of a SubjectPublicKeyInfo before the uncompressed point (RFC 5480 section 2.1.1).
    private static let prefix: [UInt8] = [
        0x30, 0x81, 0x9B, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81,
        0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00,
    ]

    /// Reads a DER SubjectPublicKeyInfo: id-ecPublicKey, the named curve P-521, an uncompressed point.
    /// - Throws: ``DecodeError`` for all other input, including other key types.
    package init(subjectPublicKeyInfo info: ArraySlice<UInt8>) throws(DecodeError) {
        guard info.starts(with: Self.prefix) else {
            throw DecodeError(
                .unexpectedValue, at: info.startIndex, "not the SubjectPublicKeyInfo of an uncompressed P-521 key")
        }
        let point = info.dropFirst(Self.prefix.count)
        guard point.count == 133, point.first == 0x04,
            (try? P521.Signing.PublicKey(x963Representation: Array(point))) != nil
        else { throw DecodeError(.unexpectedValue, at: point.startIndex, "not an uncompressed point on P-521") }
    }
}
