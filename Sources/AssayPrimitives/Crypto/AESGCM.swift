/// AES-256-GCM (NIST SP 800-38D) with 12-byte nonces and 16-byte tags, for evidence (RFC 7518 section 5.3) and for
/// secrets at rest. Never use a nonce twice with the same key. After the length checks, encryption fails only if
/// OpenSSL cannot allocate memory; this stops the process and does not depend on the input.
package enum AESGCM {
    /// The length of a key in bytes.
    package static let keyLength = 32
    /// The length of a nonce in bytes.
    package static let nonceLength = 12
    /// The length of a tag in bytes.
    package static let tagLength = 16

    /// Encrypts and authenticates.
    /// - Parameters:
    ///   - plaintext: less than 2 GiB.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, never used with this key before.
    ///   - additionalData: authenticated, not encrypted; decryption needs the same bytes.
    /// - Returns: a ciphertext as long as the plaintext, and the tag.
    /// - Throws: ``DecodeError`` with the field `key`, `nonce` or `plaintext` for a wrong length.
    package static func seal(
        _ plaintext: SecretBytes, key: SecretBytes, nonce: [UInt8], additionalData: ArraySlice<UInt8> = []
    ) throws(DecodeError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        try require(keyLength, key.count, "key")
        try require(nonceLength, nonce.count, "nonce")
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

    private static func require(_ expected: Int, _ found: Int, _ field: String) throws(DecodeError) {
        guard found == expected else {
            throw DecodeError(.unexpectedLength, at: 0, field: field, "\(found) bytes, expected \(expected)")
        }
    }

    /// Decrypts data that is not secret, such as evidence.
    /// - Returns: the plaintext, or nil if the tag does not match or a length is wrong.
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

    /// Decrypts a secret, by the same rules, into memory that is wiped on release.
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
