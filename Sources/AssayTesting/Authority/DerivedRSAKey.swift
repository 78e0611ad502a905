import Crypto

/// A private RSA key of any length, derived from a seed, that signs with any digest: also the keys and digests that
/// AssayPrimitives refuses. Not constant-time: for test keys only.
package struct DerivedRSAKey: Sendable {
    /// 65537.
    private static let exponent: [UInt8] = [0x01, 0x00, 0x01]

    /// The modulus, big-endian without leading zeros.
    package let modulus: [UInt8]
    private let privateExponent: [UInt8]

    /// Derives the key of a seed and a label, always the same one. Anyone with the seed has the key.
    ///
    /// - Parameter bits: The length of the modulus, a multiple of 128.
    package init(bits: Int, seed: String, label: String) {
        let (one, exponent) = (BigNumber([1]), BigNumber(Self.exponent))
        func prime(_ name: String) -> BigNumber {
            var bytes = TestBytes(seed: seed)("rsa\(bits)/\(label)/\(name)", count: bits / 16)
            // The product of two primes with both upper bits set has the full length.
            bytes[0] |= 0xC0
            bytes[bytes.count - 1] |= 1
            var candidate = BigNumber(bytes)
            while !candidate.isPrime || ((candidate - one) % exponent).bytes(1) == [0] {
                candidate = candidate + BigNumber([2])
            }
            return candidate
        }
        let (p, q) = (prime("p"), prime("q"))
        modulus = (p * q).bytes(bits / 8)
        privateExponent = exponent.inverse(modulo: (p - one) * (q - one)).bytes(bits / 8)
    }

    /// The RSAPublicKey (RFC 8017 appendix A.1.1): the contents of the BIT STRING.
    package var publicKey: [UInt8] {
        DERBuilder.sequence(DERBuilder.integer(magnitude: modulus), DERBuilder.integer(magnitude: Self.exponent))
    }

    /// The SubjectPublicKeyInfo (RFC 3279 section 2.3.1).
    package var subjectPublicKeyInfo: [UInt8] {
        DERBuilder.sequence(
            DERBuilder.sequence(OID.rsaEncryption, DERBuilder.null), DERBuilder.bitString(publicKey))
    }

    /// Signs a message with RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2.1). The signature is deterministic.
    package func signature(over message: [UInt8], hash: TestKey.Hash) -> [UInt8] {
        let (algorithm, digest) =
            switch hash {
            case .sha1: (OID.sha1, sha1(message))
            case .sha256: (OID.sha256, sha256(message))
            case .sha384: (OID.sha384, Array(SHA384.hash(data: message)))
            }
        let info = DERBuilder.sequence(
            DERBuilder.sequence(algorithm, DERBuilder.null), DERBuilder.octetString(digest))
        let padding = [UInt8](repeating: 0xFF, count: max(8, modulus.count - info.count - 3))
        return BigNumber([0, 1] + padding + [0] + info)
            .power(BigNumber(privateExponent), modulo: BigNumber(modulus)).bytes(modulus.count)
    }
}
