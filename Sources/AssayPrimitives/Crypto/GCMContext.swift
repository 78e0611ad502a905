internal import COpenSSL

/// OpenSSL's AES-256-GCM, fetched once and never freed.
@safe private struct GCMAlgorithm: @unchecked Sendable {
    // Unchecked: a fetched EVP_CIPHER is immutable, and its reference count is atomic.
    let handle: OpaquePointer

    static let shared = GCMAlgorithm()

    private init() {
        guard let handle = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
            preconditionFailure("OpenSSL offers no AES-256-GCM: check the providers in its configuration file")
        }
        unsafe self.handle = handle
    }
}

/// An AES-256-GCM encryption or decryption in progress. `deinit` wipes the key schedule.
@safe struct GCMContext: ~Copyable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    private let handle: OpaquePointer

    /// Starts an operation. Returns nil for a key or nonce with another length than ``AESGCM`` requires.
    init?(_ direction: Direction, key: SecretBytes, nonce: [UInt8]) {
        guard key.count == AESGCM.keyLength, nonce.count == AESGCM.nonceLength else { return nil }
        guard let handle = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        unsafe self.handle = handle
        let isReady = unsafe key.withUnsafeBytes { key in
            let bytes = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe EVP_CipherInit_ex2(
                handle, GCMAlgorithm.shared.handle, bytes, nonce, direction.rawValue, nil)
        }
        precondition(isReady == 1, "out of memory")
    }

    /// Adds additional authenticated data.
    func authenticate(_ data: ArraySlice<UInt8>) -> Bool {
        guard !data.isEmpty else { return true }
        guard let count = Int32(exactly: data.count) else { return false }
        return unsafe data.withUnsafeBufferPointer {
            var written: Int32 = 0
            return unsafe EVP_CipherUpdate(handle, nil, &written, $0.baseAddress, count) == 1
        }
    }

    /// Encrypts or decrypts all of the input. Returns whether it filled the output exactly.
    func update(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        guard let source = unsafe input.assumingMemoryBound(to: UInt8.self).baseAddress, unsafe !input.isEmpty else {
            return unsafe output.isEmpty
        }
        guard let count = Int32(exactly: input.count) else { return false }
        let target = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
        var written: Int32 = 0
        return unsafe EVP_CipherUpdate(handle, target, &written, source, count) == 1 && Int(written) == output.count
    }

    /// Ends a decryption. Returns whether the tag matches.
    func finish(tag: [UInt8]) -> Bool {
        guard tag.count == AESGCM.tagLength else { return false }
        var tag = tag
        guard unsafe EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(AESGCM.tagLength), &tag) == 1 else {
            return false
        }
        guard finish() else {
            OpenSSLErrors.clear()
            return false
        }
        return true
    }

    /// Ends an encryption. Returns the tag.
    func finishWithTag() -> [UInt8]? {
        guard finish() else { return nil }
        var tag = [UInt8](repeating: 0, count: AESGCM.tagLength)
        let isDone = unsafe EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_GET_TAG, Int32(AESGCM.tagLength), &tag)
        return isDone == 1 ? tag : nil
    }

    private func finish() -> Bool {
        // GCM writes no final block.
        var rest = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        return unsafe EVP_CipherFinal_ex(handle, &rest, &written) == 1 && written == 0
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(handle)
    }
}
