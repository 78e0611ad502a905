/// An RSA private key of at least 2048 bits: signs as a service account (RS256), and decrypts RSAES-OAEP.
package final class RSAPrivateKey: Sendable {
    /// The public half.
    package let publicKey: RSAPublicKey
    private let signer: RSAOperation
    private let decrypter: RSAOperation

    /// Reads a PEM key (RFC 7468): PKCS#8, encrypted or not, or PKCS#1, including OpenSSL's legacy encryption.
    /// - Parameters:
    ///   - pem: text with exactly one PEM block; other text around it is allowed.
    ///   - passphrase: decrypts the key; ignored if the key is not encrypted. The reader never prompts for one.
    /// - Throws: `RSAPrivateKeyError`, which never shows the text.
    package init(pem: SecretBytes, passphrase: SecretBytes? = nil) throws(RSAPrivateKeyError) {
        try RSAPrivateKey.requireOneKey(in: pem)
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
        (self.publicKey, self.signer, self.decrypter) = (publicKey, signer, decrypter)
    }

    private static let boundary = Array("-----BEGIN ".utf8)

    /// Throws unless there is exactly one block: a choice between several would be ambiguous. Recognises other inputs
    /// by their labels.
    private static func requireOneKey(in pem: SecretBytes) throws(RSAPrivateKeyError) {
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

    /// Signs the concatenation of the parts with RSASSA-PKCS1-v1_5 and SHA-256: RS256 (RFC 7518 section 3.3).
    /// - Returns: as many bytes as the modulus has.
    /// - Throws: `RSAPrivateKeyError.malformed` if the numbers of the key are inconsistent.
    package func sign(_ message: ArraySlice<UInt8>...) throws(RSAPrivateKeyError) -> [UInt8] {
        let digest = Digest.sha256(concatenating: message)
        // Never release an invalid signature: it can reveal the factors of the modulus.
        guard let signature = signer.sign(digest: digest, length: publicKey.modulusLength),
            publicKey.verifies(signature, digest: digest)
        else { throw .malformed }
        return signature
    }

    /// Decrypts RSAES-OAEP with SHA-1 and MGF1 with SHA-1, without a label (RFC 8017 section 7.1), as used by Google's
    /// console for response keys. Returns nil if the ciphertext is for another key, was changed, or has another length.
    package func decryptOAEP(_ ciphertext: [UInt8]) -> SecretBytes? {
        guard ciphertext.count == publicKey.modulusLength else { return nil }
        return decrypter.decrypt(ciphertext, length: publicKey.modulusLength)
    }
}
