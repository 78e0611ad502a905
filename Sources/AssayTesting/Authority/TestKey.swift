import Crypto

/// A private key of a test authority or a test device: ECDSA on P-256 or P-384.
public struct TestKey: Sendable {
    /// The curve of a key.
    package enum Curve: String, Sendable {
        /// NIST P-256, `prime256v1`.
        case p256
        /// NIST P-384, `secp384r1`.
        case p384
    }

    /// The digest that a signature covers.
    package enum Hash: Sendable {
        /// SHA-1, for signatures that verifiers must refuse.
        case sha1
        case sha256
        /// SHA-384.
        case sha384
    }

    private enum Storage: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
    }

    private let storage: Storage

    package init(_ curve: Curve) {
        switch curve {
        case .p256: storage = .p256(P256.Signing.PrivateKey())
        case .p384: storage = .p384(P384.Signing.PrivateKey())
        }
    }

    /// Derives the key of a seed and a label with HKDF (RFC 5869), always the same. Anyone with the seed has the key.
    package init(_ curve: Curve, seed: String, label: String) {
        let length = curve == .p256 ? 32 : 48
        // A candidate of zero, or not below the group's order, is invalid: try the next one.
        var attempt = 0
        while true {
            let candidate = HKDF<SHA512>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: Array(seed.utf8)),
                salt: Array("assay test key".utf8), info: Array("\(curve.rawValue)/\(label)/\(attempt)".utf8),
                outputByteCount: length
            ).bytes
            if let key = try? TestKey(curve, scalar: candidate) {
                self = key
                return
            }
            attempt += 1
        }
    }

    /// Creates a key from its private scalar: 32 big-endian bytes for P-256, 48 for P-384.
    package init(_ curve: Curve, scalar: [UInt8]) throws(MintingError) {
        do {
            switch curve {
            case .p256: storage = .p256(try P256.Signing.PrivateKey(rawRepresentation: scalar))
            case .p384: storage = .p384(try P384.Signing.PrivateKey(rawRepresentation: scalar))
            }
        } catch {
            throw MintingError("no private key of \(curve.rawValue): expected a scalar between 1 and the order")
        }
    }

    /// Reads a private key in PEM, PKCS #8 (RFC 5958) or SEC 1.
    package init(pem: String) throws(MintingError) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            storage = .p256(key)
        } else if let key = try? P384.Signing.PrivateKey(pemRepresentation: pem) {
            storage = .p384(key)
        } else {
            throw MintingError("no private key: expected PEM with a P-256 or P-384 key in PKCS #8 or SEC 1")
        }
    }

    /// The shared secret of ECDH on P-256 (NIST SP 800-56A section 5.7.1.2) with the holder of a key, 32 bytes.
    package func sharedSecret(with point: [UInt8]) throws(MintingError) -> [UInt8] {
        guard case .p256(let key) = storage else { throw MintingError("a key of P-384 agrees with none of P-256") }
        do {
            let own = try P256.KeyAgreement.PrivateKey(rawRepresentation: key.rawRepresentation)
            let other = try P256.KeyAgreement.PublicKey(x963Representation: point)
            return unsafe try own.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { unsafe Array($0) }
        } catch {
            throw MintingError("no key agreement with a point of \(point.count) bytes: \(error)")
        }
    }

    /// The private key in PEM, PKCS #8. It is as secret as the test authority.
    package var pem: String {
        switch storage {
        case .p256(let key): key.pemRepresentation
        case .p384(let key): key.pemRepresentation
        }
    }

    package var curve: Curve {
        switch storage {
        case .p256: .p256
        case .p384: .p384
        }
    }

    /// The public point, uncompressed: 0x04, x, y (SEC 1 section 2.3.3).
    package var publicPoint: [UInt8] {
        switch storage {
        case .p256(let key): Array(key.publicKey.x963Representation)
        case .p384(let key): Array(key.publicKey.x963Representation)
        }
    }

    /// The public point, compressed: 0x02 or 0x03, x.
    package var compressedPublicPoint: [UInt8] {
        switch storage {
        case .p256(let key): Array(key.publicKey.compressedRepresentation)
        case .p384(let key): Array(key.publicKey.compressedRepresentation)
        }
    }

    /// The SubjectPublicKeyInfo (RFC 5480), with the uncompressed point or with the given bytes in its place.
    package func subjectPublicKeyInfo(point: [UInt8]? = nil) -> [UInt8] {
        DERBuilder.sequence(
            DERBuilder.sequence(OID.ecPublicKey, curve == .p256 ? OID.prime256v1 : OID.secp384r1),
            DERBuilder.bitString(point ?? publicPoint))
    }

    /// Signs the digest of `message`. r and s are big-endian, 32 or 48 bytes each. Deterministic (RFC 6979).
    package func signature(over message: [UInt8], hash: Hash = .sha256) throws(MintingError) -> ECDSASignature {
        switch hash {
        case .sha1: sign(message, Insecure.SHA1.self)
        case .sha256: sign(message, SHA256.self)
        case .sha384: sign(message, SHA384.self)
        }
    }

    private func sign<Digest: HashFunction>(_ message: [UInt8], _ hash: Digest.Type) -> ECDSASignature {
        let scalar: [UInt8] =
            switch storage {
            case .p256(let key): Array(key.rawRepresentation)
            case .p384(let key): Array(key.rawRepresentation)
            }
        return DeterministicECDSA<Digest>.sign(
            message, key: scalar, order: curve == .p256 ? ECDSASignature.p256Order : ECDSASignature.p384Order
        ) { nonce in
            (try? TestKey(curve, scalar: nonce)).map { Array($0.publicPoint.dropFirst().prefix(nonce.count)) }
        }
    }
}

/// SHA-256 of bytes.
func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

/// SHA-1 of bytes, for subject key identifiers only (RFC 5280 section 4.2.1.2). It protects nothing there.
func sha1(_ bytes: [UInt8]) -> [UInt8] { Array(Insecure.SHA1.hash(data: bytes)) }

extension SymmetricKey {
    /// The bytes of a test key.
    var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
