package import AssayCore
internal import COpenSSL

/// AES-256 key wrap, RFC 3394, of keys of 32 bytes.
///
/// OpenSSL's key wrap, over OpenSSL's block cipher. Its ready-made combination of the two does not use the processor's AES
/// instructions in OpenSSL 3.0 but table look-ups: those take five times as long, a twentieth of the verification of a
/// token, and leave traces of the key in the cache. swift-crypto's leaves keys in memory that is not wiped.
///
/// As with ``AESGCM``, what stops the process here is a failed allocation or an OpenSSL without AES, never what is unwrapped.
package enum AESKeyWrap {
    /// How many bytes a wrapped key has: the key, and the 8 bytes by which a wrong one is told.
    package static let wrappedKeyLength = 40

    /// Unwraps a key.
    ///
    /// No other length ever reaches OpenSSL.
    /// - Parameters:
    ///   - wrapped: 40 bytes.
    ///   - key: the key that it is wrapped with, 32 bytes.
    /// - Returns: the 32 bytes that were wrapped, and nil when that was with another key, or a length is not right.
    package static func unwrap(_ wrapped: [UInt8], key: SecretBytes) -> SecretBytes? {
        guard wrapped.count == wrappedKeyLength, key.count == AESGCM.keyLength else { return nil }
        let cipher = BlockDecryption(key: key)
        var isUnwrapped = false
        let unwrapped = unsafe SecretBytes(count: wrappedKeyLength - 8) { buffer in
            isUnwrapped = unsafe cipher.unwrap(wrapped, into: buffer)
        }
        return isUnwrapped ? unwrapped : nil
    }
}

/// AES-256 on single blocks, fetched once and never freed.
@safe private struct BlockAlgorithm: @unchecked Sendable {
    // Unchecked: an EVP_CIPHER is immutable after it was fetched, and its reference count is atomic.
    let handle: OpaquePointer

    static let shared = BlockAlgorithm()

    private init() {
        guard let handle = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil) else {
            preconditionFailure("OpenSSL offers no AES-256-ECB: check the providers in its configuration file")
        }
        unsafe self.handle = handle
    }
}

/// Decrypts single blocks with a key of 32 bytes. Freeing it wipes the key schedule.
@safe private struct BlockDecryption: ~Copyable {
    private let handle: OpaquePointer

    init(key: SecretBytes) {
        guard let handle = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        unsafe self.handle = handle
        let isReady = unsafe key.withUnsafeBytes { key in
            let bytes = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe EVP_DecryptInit_ex2(handle, BlockAlgorithm.shared.handle, bytes, nil, nil) == 1
                // With padding the last block would be held back.
                && EVP_CIPHER_CTX_set_padding(handle, 0) == 1
        }
        precondition(isReady, "out of memory")
    }

    /// Unwraps 40 bytes into 32, and tells whether they were wrapped with this key.
    func unwrap(_ wrapped: [UInt8], into output: UnsafeMutableRawBufferPointer) -> Bool {
        let target = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
        // The default initial value of RFC 3394 section 2.2.3.1 stands where a null pointer is given.
        let count = unsafe CRYPTO_128_unwrap(
            UnsafeMutableRawPointer(handle), nil, target, wrapped, wrapped.count
        ) { input, output, handle in
            // A block that was not decrypted makes the comparison at the end fail.
            var written: Int32 = 0
            unsafe EVP_DecryptUpdate(OpaquePointer(handle), output, &written, input, 16)
        }
        return count == AESGCM.keyLength
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(handle)
    }
}
