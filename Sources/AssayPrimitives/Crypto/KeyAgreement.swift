internal import Crypto

/// A private key for ECDH on P-256 (NIST SP 800-56A section 5.7.1.2).
package struct AgreementPrivateKey: Sendable {
    private let key: P256.KeyAgreement.PrivateKey

    package init() { key = P256.KeyAgreement.PrivateKey() }

    /// Reads the scalar, 32 bytes.
    /// - Throws: ``DecodeError``, which shows none of the bytes.
    package init(scalar: SecretBytes) throws(DecodeError) {
        do {
            key = try unsafe scalar.withUnsafeBytes { try unsafe P256.KeyAgreement.PrivateKey(rawRepresentation: $0) }
        } catch {
            throw DecodeError(.unexpectedValue, at: 0, "\(scalar.count) bytes that are no private key of P-256")
        }
    }

    /// Reads a PrivateKeyInfo (PKCS #8, RFC 5958) in DER.
    /// - Throws: ``DecodeError``, which shows none of the bytes.
    package init(privateKeyInfo info: SecretBytes) throws(DecodeError) {
        do {
            key = try unsafe info.withUnsafeBytes { try unsafe P256.KeyAgreement.PrivateKey(derRepresentation: $0) }
        } catch {
            throw DecodeError(
                .unexpectedValue, at: 0, "\(info.count) bytes that are no private key of P-256 in PKCS #8")
        }
    }

    /// The uncompressed point of the public key, 65 bytes.
    package var publicPoint: [UInt8] { Array(key.publicKey.x963Representation) }

    /// The shared secret with the holder of another key: 32 bytes. Derive a key from it; never use it as a key.
    /// - Parameter point: the uncompressed point of the other key.
    /// - Throws: ``DecodeError`` for a point of another form, or one that is not on P-256.
    package func sharedSecret(with point: [UInt8]) throws(DecodeError) -> SecretBytes {
        // Checks length, form and curve.
        _ = try ECDSAPublicKey(x963: point, curve: .p256)
        let secret: SharedSecret
        do {
            secret = try key.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: point))
        } catch {
            throw DecodeError(.unexpectedValue, at: 0, "there is no shared secret with this point")
        }
        return unsafe secret.withUnsafeBytes { unsafe SecretBytes($0) }
    }
}

/// The Concat KDF of NIST SP 800-56A section 5.8.1 with SHA-256, as JWE uses it (RFC 7518 section 4.6.2).
package enum ConcatKDF {
    /// Derives a key of at most 32 bytes, the output of one round.
    ///
    /// - Parameters:
    ///   - secret: the shared secret, Z.
    ///   - algorithm: the name of the algorithm that the key is for, AlgorithmID.
    ///   - partyU: PartyUInfo, the value of `apu`.
    ///   - partyV: PartyVInfo, the value of `apv`.
    ///   - length: the length of the key in bytes.
    package static func derive(
        _ secret: SecretBytes, algorithm: String, partyU: [UInt8] = [], partyV: [UInt8] = [], length: Int
    ) -> SecretBytes {
        let length = min(length, 32)
        let information =
            field(Array(algorithm.utf8)) + field(partyU) + field(partyV) + bigEndian(UInt32(clamping: length * 8))
        var input: [UInt8] = []
        // Reserve all memory at once: growing would leave a copy of the secret behind.
        input.reserveCapacity(4 + secret.count + information.count)
        input += bigEndian(1)
        unsafe secret.withUnsafeBytes { unsafe input.append(contentsOf: $0) }
        input += information
        defer { SecretBytes.wipe(&input) }
        var digest = Digest.sha256(input)
        defer { SecretBytes.wipe(&digest) }
        return SecretBytes(digest.prefix(length))
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] { bigEndian(UInt32(clamping: bytes.count)) + bytes }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }
}
