internal import COpenSSL

/// An RSA public key of 2048 to 8192 bits with an odd exponent, for RSASSA-PKCS1-v1_5 (RFC 8017) with SHA-256.
package final class RSAPublicKey: Sendable {
    /// The length of the modulus and of every signature in bytes.
    package let modulusLength: Int
    /// The DER SubjectPublicKeyInfo (RFC 3279 section 2.3.1), with NULL as the parameters of the algorithm.
    package let subjectPublicKeyInfo: [UInt8]
    private let verifier: RSAOperation

    /// Reads a DER SubjectPublicKeyInfo. OpenSSL's reader accepts BER and ignores trailing bytes. So this initialiser
    /// parses the structure first, and requires it to equal OpenSSL's own encoding of the key. The algorithm may lack its
    /// parameters (RFC 4055 section 5).
    /// - Throws: ``DecodeError`` for all other input, including other key types and key sizes.
    package init(subjectPublicKeyInfo given: ArraySlice<UInt8>) throws(DecodeError) {
        let info = RSAKeyRules.canonical(given)
        let length = try RSAKeyRules.modulusLength(info)
        guard RSAKeyRules.modulusLengths.contains(length) else {
            throw DecodeError(
                .unexpectedLength, at: info.startIndex,
                "an RSA key of \(length * 8) bits, allowed are \(RSAKeyRules.modulusLengths.lowerBound * 8) to "
                    + "\(RSAKeyRules.modulusLengths.upperBound * 8)")
        }
        guard let key = RSAKeyHandle(subjectPublicKeyInfo: info), let verifier = RSAOperation(.verify, key) else {
            throw DecodeError(.malformed, at: info.startIndex, "not the SubjectPublicKeyInfo of an RSA key")
        }
        modulusLength = length
        subjectPublicKeyInfo = Array(info)
        self.verifier = verifier
    }

    /// Creates a key from the numbers of a JWK (RFC 7518 section 6.3.1), `n` and `e`, big-endian.
    /// - Throws: ``DecodeError`` with the field `n` or `e` for an empty number or leading zeros, and the errors of
    ///   ``init(subjectPublicKeyInfo:)``.
    package convenience init(modulus: [UInt8], exponent: [UInt8]) throws(DecodeError) {
        for (field, number) in [("n", modulus), ("e", exponent)] {
            guard let first = number.first, first != 0 else {
                throw DecodeError(.notMinimal, at: 0, field: field, "the number is empty or begins with a zero byte")
            }
            guard number.count <= RSAKeyRules.modulusLengths.upperBound else {
                throw DecodeError(.tooLarge, at: 0, field: field, "the number has \(number.count) bytes")
            }
        }
        let key = DEREncoding.sequence(DEREncoding.unsigned(modulus) + DEREncoding.unsigned(exponent))
        let info = DEREncoding.sequence(
            DEREncoding.rsaEncryption + DEREncoding.element(0x03, [0] + key))
        try self.init(subjectPublicKeyInfo: info[...])
    }

    /// The SubjectPublicKeyInfo in the encoding of ``subjectPublicKeyInfo``; the same bytes if it is not that of an RSA key.
    package static func canonical(_ info: ArraySlice<UInt8>) -> ArraySlice<UInt8> { RSAKeyRules.canonical(info) }

    /// Whether an RSASSA-PKCS1-v1_5 signature with SHA-256 over the concatenation of the unhashed parts is valid.
    /// Signatures not as long as the modulus are invalid.
    package func verifyPKCS1SHA256(_ signature: [UInt8], for message: ArraySlice<UInt8>...) -> Bool {
        verifies(signature, digest: Digest.sha256(concatenating: message))
    }

    /// Whether a signature over a message with this SHA-256 digest is valid.
    func verifies(_ signature: [UInt8], digest: [UInt8]) -> Bool {
        guard signature.count == modulusLength else { return false }
        return SignatureMemo.recall(
            .rsaPKCS1, key: subjectPublicKeyInfo, digest: { digest }, signature: signature[...],
            orElse: { verifier.verify(signature, digest: digest) })
    }
}

/// Encodes modulus and exponent as a SubjectPublicKeyInfo.
enum DEREncoding {
    /// AlgorithmIdentifier of rsaEncryption with its NULL (RFC 3279 section 2.3.1).
    static let rsaEncryption: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    static func sequence(_ contents: [UInt8]) -> [UInt8] { element(0x30, contents) }

    static func unsigned(_ number: [UInt8]) -> [UInt8] {
        element(0x02, (number.first ?? 0) & 0x80 == 0 ? number : [0] + number)
    }

    static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        switch contents.count {
        case ..<0x80: [tag, UInt8(contents.count)] + contents
        case ..<0x100: [tag, 0x81, UInt8(contents.count)] + contents
        default: [tag, 0x82, UInt8(truncatingIfNeeded: contents.count >> 8), UInt8(contents.count & 0xFF)] + contents
        }
    }
}
