package import AssayCore

/// AES-256-GCM, NIST SP 800-38D, with nonces of 12 bytes and tags of 16.
///
/// For evidence (RFC 7518 section 5.3) and for secrets at rest. A nonce must never come twice under the same key.
///
/// Lengths are looked at first. After that OpenSSL fails to encrypt only when it cannot allocate a few hundred bytes, which
/// stops the process as every failed allocation of Swift does, and does not depend on what is encrypted.
package enum AESGCM {
    /// How many bytes a key has.
    package static let keyLength = 32
    /// How many bytes a nonce has.
    package static let nonceLength = 12
    /// How many bytes a tag has.
    package static let tagLength = 16

    /// Encrypts and authenticates.
    ///
    /// - Parameters:
    ///   - plaintext: what is to be encrypted, less than 2 GiB.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes that were never used with this key.
    ///   - additionalData: what is authenticated beside it, and must be given again to open it.
    /// - Returns: as many bytes as the plaintext has, and the tag.
    /// - Throws: ``DecodeError`` with the field `key`, `nonce` or `plaintext` for another length.
    package static func seal(
        _ plaintext: SecretBytes, key: SecretBytes, nonce: [UInt8], additionalData: ArraySlice<UInt8> = []
    ) throws(DecodeError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        try demand(keyLength, key.count, "key")
        try demand(nonceLength, nonce.count, "nonce")
        guard plaintext.count <= Int32.max, additionalData.count <= Int32.max else {
            throw DecodeError(.tooLarge, at: 0, field: "plaintext", "more than \(Int32.max) bytes")
        }
        guard let context = GCMContext(.encrypt, key: key, nonce: nonce), context.authenticate(additionalData)
        else { preconditionFailure("out of memory") }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        let isDone = unsafe plaintext.withUnsafeBytes { input in
            unsafe ciphertext.withUnsafeMutableBytes { unsafe context.update(input, into: $0) }
        }
        guard isDone, let tag = context.finishWithTag() else { preconditionFailure("out of memory") }
        return (ciphertext, tag)
    }

    private static func demand(_ expected: Int, _ found: Int, _ field: String) throws(DecodeError) {
        guard found == expected else {
            throw DecodeError(.unexpectedLength, at: 0, field: field, "\(found) bytes, expected \(expected)")
        }
    }

    /// Decrypts what is no secret by itself, such as evidence.
    ///
    /// - Returns: the plaintext, and nil when the tag does not authenticate it with this key, nonce and additional data,
    ///   or when one of them has another length.
    package static func open(
        _ ciphertext: [UInt8], tag: [UInt8], key: SecretBytes, nonce: [UInt8], additionalData: ArraySlice<UInt8> = []
    ) -> [UInt8]? {
        var isOpen = false
        var plaintext = unsafe [UInt8](unsafeUninitializedCapacity: ciphertext.count) { buffer, count in
            count = ciphertext.count
            isOpen = unsafe open(
                ciphertext, tag: tag, key: key, nonce: nonce, additionalData: additionalData,
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
        }
        guard isOpen else {
            SecretBytes.wipe(&plaintext)
            return nil
        }
        return plaintext
    }

    /// Decrypts a secret, by the same rules.
    package static func openSecret(
        _ ciphertext: [UInt8], tag: [UInt8], key: SecretBytes, nonce: [UInt8], additionalData: ArraySlice<UInt8> = []
    ) -> SecretBytes? {
        var isOpen = false
        let plaintext = unsafe SecretBytes(count: ciphertext.count) { buffer in
            isOpen = unsafe open(
                ciphertext, tag: tag, key: key, nonce: nonce, additionalData: additionalData, into: buffer)
        }
        return isOpen ? plaintext : nil
    }

    private static func open(
        _ ciphertext: [UInt8], tag: [UInt8], key: SecretBytes, nonce: [UInt8], additionalData: ArraySlice<UInt8>,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let context = GCMContext(.decrypt, key: key, nonce: nonce), context.authenticate(additionalData)
        else { return false }
        return unsafe ciphertext.withUnsafeBytes { unsafe context.update($0, into: output) } && context.finish(tag: tag)
    }
}
