internal import COpenSSL

/// AES-256 key wrap (RFC 3394) of 32-byte keys: OpenSSL's key wrap over its block cipher. OpenSSL 3.0's own AES-WRAP
/// cipher uses table look-ups instead of AES instructions: slower, and visible in cache timing. swift-crypto's leaves
/// keys in memory that is not wiped. Only a failed allocation or an OpenSSL without AES stops the process, never the
/// input.
package enum AESKeyWrap {
    /// The length of a wrapped key in bytes: the key and 8 bytes for the integrity check.
    package static let wrappedKeyLength = 40

    /// Unwraps 40 bytes with a 32-byte key. Returns the 32-byte key inside, or nil for a wrong wrapping key or length.
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

/// OpenSSL's AES-256-ECB, fetched once and never freed.
@safe private struct BlockAlgorithm: @unchecked Sendable {
    // Unchecked: a fetched EVP_CIPHER is immutable, and its reference count is atomic.
    let handle: OpaquePointer

    static let shared = BlockAlgorithm()

    private init() {
        guard let handle = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil) else {
            preconditionFailure("OpenSSL offers no AES-256-ECB: check the providers in its configuration file")
        }
        unsafe self.handle = handle
    }
}

/// Decrypts single blocks with a 32-byte key. `deinit` wipes the key schedule.
@safe private struct BlockDecryption: ~Copyable {
    private let handle: OpaquePointer

    init(key: SecretBytes) {
        guard let handle = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        unsafe self.handle = handle
        let isReady = unsafe key.withUnsafeBytes { key in
            let bytes = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe EVP_DecryptInit_ex2(handle, BlockAlgorithm.shared.handle, bytes, nil, nil) == 1
                // With padding, OpenSSL would hold the last block back.
                && EVP_CIPHER_CTX_set_padding(handle, 0) == 1
        }
        precondition(isReady, "out of memory")
    }

    /// Unwraps 40 bytes into 32. Returns false if they were not wrapped with this key.
    func unwrap(_ wrapped: [UInt8], into output: UnsafeMutableRawBufferPointer) -> Bool {
        let target = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
        // A null pointer selects the default initial value of RFC 3394 section 2.2.3.1.
        let count = unsafe CRYPTO_128_unwrap(
            UnsafeMutableRawPointer(handle), nil, target, wrapped, wrapped.count
        ) { input, output, handle in
            // If decryption of a block fails, the integrity check at the end fails too.
            var written: Int32 = 0
            unsafe EVP_DecryptUpdate(OpaquePointer(handle), output, &written, input, 16)
        }
        return count == AESGCM.keyLength
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(handle)
    }
}
