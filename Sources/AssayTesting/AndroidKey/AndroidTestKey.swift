import Crypto

/// A private key of a test chain: also of a kind that verifiers must refuse.
package struct AndroidTestKey: Sendable {
    /// The algorithm and the length or curve.
    package enum Algorithm: Sendable, Equatable {
        /// NIST P-224.
        case p224
        /// NIST P-256.
        case p256
        /// NIST P-384.
        case p384
        /// NIST P-521.
        case p521
        case secp256k1
        /// RSA with the exponent 65537 and a modulus of this many bits, a multiple of 128.
        case rsa(Int)
        case ed25519
    }

    private enum Storage: Sendable {
        case ecdsa(TestKey)
        case curve(CurveTestKey)
        case rsa(DerivedRSAKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    package let algorithm: Algorithm
    private let storage: Storage

    /// Derives the key of a seed and a label, always the same one. Anyone with the seed has the key.
    package init(_ algorithm: Algorithm, seed: String, label: String) throws(MintingError) {
        self.algorithm = algorithm
        let label = "android-key/\(label)"
        switch algorithm {
        case .p224: storage = .curve(CurveTestKey(.p224, seed: seed, label: label))
        case .p256: storage = .ecdsa(TestKey(.p256, seed: seed, label: label))
        case .p384: storage = .ecdsa(TestKey(.p384, seed: seed, label: label))
        case .p521: storage = .curve(CurveTestKey(.p521, seed: seed, label: label))
        case .secp256k1: storage = .curve(CurveTestKey(.secp256k1, seed: seed, label: label))
        case .rsa(let bits):
            guard bits >= 512, bits <= 8192, bits.isMultiple(of: 128) else {
                throw MintingError("expected an RSA key of 512 to 8192 bits, a multiple of 128, found \(bits)")
            }
            storage = .rsa(DerivedRSAKey(bits: bits, seed: seed, label: label))
        case .ed25519:
            do {
                storage = .ed25519(
                    try Curve25519.Signing.PrivateKey(rawRepresentation: TestBytes(seed: seed)(label, count: 32)))
            } catch {
                throw MintingError("no private key of Ed25519: \(error)")
            }
        }
    }

    /// Uses an ECDSA key of P-256 or P-384.
    package init(_ key: TestKey) {
        algorithm = key.curve == .p256 ? .p256 : .p384
        storage = .ecdsa(key)
    }

    /// A seed of 256 random bits.
    static func randomSeed() -> String {
        AndroidKeyTestAuthority.hex(SymmetricKey(size: .bits256).bytes)
    }

    /// The encoded SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8] {
        switch storage {
        case .ecdsa(let key): key.subjectPublicKeyInfo()
        case .curve(let key): key.subjectPublicKeyInfo
        case .rsa(let key): key.subjectPublicKeyInfo
        case .ed25519: DERBuilder.sequence(DERBuilder.sequence(OID.ed25519), DERBuilder.bitString(publicKey))
        }
    }

    /// The contents of the BIT STRING of the public key: the point, or the RSAPublicKey.
    package var publicKey: [UInt8] {
        switch storage {
        case .ecdsa(let key): key.publicPoint
        case .curve(let key): key.publicPoint
        case .rsa(let key): key.publicKey
        case .ed25519(let key): Array(key.publicKey.rawRepresentation)
        }
    }

    /// The algorithm with which the key signs certificates unless a blueprint names another one.
    package var signatureAlgorithm: CertificateBlueprint.SignatureAlgorithm {
        switch algorithm {
        case .p384: .ecdsaWithSHA384
        case .p224, .p256, .p521, .secp256k1: .ecdsaWithSHA256
        case .rsa: .sha256WithRSA
        case .ed25519: .ed25519
        }
    }

    /// Signs a message. An ECDSA signature is in DER. All signatures but those of Ed25519 cover the digest of `hash`.
    package func signature(over message: [UInt8], hash: TestKey.Hash = .sha256) throws(MintingError) -> [UInt8] {
        switch storage {
        case .ecdsa(let key): return try key.signature(over: message, hash: hash).der
        case .curve(let key): return key.signature(over: message, hash: hash).der
        case .rsa(let key): return key.signature(over: message, hash: hash)
        case .ed25519(let key):
            do {
                return Array(try key.signature(for: message))
            } catch {
                throw MintingError("Ed25519 does not sign: \(error)")
            }
        }
    }

    /// The ECDSA signature as two numbers; nil for other keys.
    func ecdsaSignature(over message: [UInt8], hash: TestKey.Hash) throws(MintingError) -> ECDSASignature? {
        switch storage {
        case .ecdsa(let key): try key.signature(over: message, hash: hash)
        case .curve(let key): key.signature(over: message, hash: hash)
        case .rsa, .ed25519: nil
        }
    }
}
