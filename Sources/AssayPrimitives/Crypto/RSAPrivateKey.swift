package import AssayCore

/// An RSA private key of at least 2048 bits: signs as service accounts do, and opens what was encrypted for it.
package final class RSAPrivateKey: Sendable {
    /// The public half.
    package let publicKey: RSAPublicKey
    private let signer: RSAOperation
    private let decrypter: RSAOperation

    /// Reads a key in PEM (RFC 7468): PKCS#8, encrypted or not, or PKCS#1, also encrypted as OpenSSL once did.
    ///
    /// Nobody is asked for a passphrase.
    /// - Parameters:
    ///   - pem: text with one block, which is the key; other text around it is allowed.
    ///   - passphrase: what the key is encrypted with. It is not used when the key is not encrypted.
    /// - Throws: `RSAPrivateKeyError`, which shows nothing of the text.
    package init(pem: SecretBytes, passphrase: SecretBytes? = nil) throws(RSAPrivateKeyError) {
        try RSAPrivateKey.demandOneKey(in: pem)
        let handle: RSAKeyHandle
        switch RSAKeyHandle.read(pem: pem, passphrase: passphrase) {
        case .read(let key): handle = key
        case .otherKind: throw .notRSA
        case .unreadable: throw .malformed
        case .passphraseRefused: throw passphrase == nil ? .passphraseMissing : .passphraseWrong
        }
        let info = handle.subjectPublicKeyInfo
        guard let length = try? RSAKeyRules.modulusLength(info[...]) else { throw .malformed }
        guard length >= RSAKeyRules.modulusLengths.lowerBound else { throw .tooShort(bits: length * 8) }
        guard let publicKey = try? RSAPublicKey(subjectPublicKeyInfo: info[...]),
            let signer = RSAOperation(.sign, handle), let decrypter = RSAOperation(.decryptOAEP, handle)
        else { throw .malformed }
        self.publicKey = publicKey
        self.signer = signer
        self.decrypter = decrypter
    }

    private static let boundary = Array("-----BEGIN ".utf8)

    /// Demands one block, so that which one is meant is beyond question, and tells other things that people have at hand
    /// by their labels.
    private static func demandOneKey(in pem: SecretBytes) throws(RSAPrivateKeyError) {
        let labels = unsafe pem.withUnsafeBytes { text in
            unsafe text.split(separator: 0x0A).filter { unsafe $0.starts(with: boundary) }
                .map { unsafe String(decoding: $0.dropFirst(boundary.count).prefix(40), as: UTF8.self) }
        }
        guard let label = labels.first else { throw .notPEM }
        guard labels.count == 1 else { throw .severalBlocks }
        let known = ["PRIVATE KEY-----", "ENCRYPTED PRIVATE KEY-----", "RSA PRIVATE KEY-----"]
        guard known.contains(where: { label.hasPrefix($0) }) else {
            throw label.contains("PRIVATE KEY") ? .notRSA : .notPrivateKey
        }
    }

    /// Signs the concatenation of some parts by RSASSA-PKCS1-v1_5 with SHA-256: RS256 (RFC 7518 section 3.3).
    /// - Returns: as many bytes as the modulus has.
    /// - Throws: `RSAPrivateKeyError.malformed` when the numbers of the key do not fit each other.
    package func sign(_ message: ArraySlice<UInt8>...) throws(RSAPrivateKeyError) -> [UInt8] {
        let digest = Digest.sha256(concatenating: message)
        // A signature that does not verify may give the factors of the modulus away.
        guard let signature = signer.sign(digest: digest, length: publicKey.modulusLength),
            publicKey.verifies(signature, digest: digest)
        else { throw .malformed }
        return signature
    }

    /// Decrypts RSAES-OAEP with SHA-1 and MGF1 with SHA-1, without a label (RFC 8017 section 7.1), which is what Google's
    /// console encrypts response keys with.
    ///
    /// - Parameter ciphertext: as many bytes as the modulus has.
    /// - Returns: what was encrypted, and nil when it was not for this key, was changed, or has another length.
    package func decryptOAEP(_ ciphertext: [UInt8]) -> SecretBytes? {
        guard ciphertext.count == publicKey.modulusLength else { return nil }
        return decrypter.decrypt(ciphertext, length: publicKey.modulusLength)
    }
}
