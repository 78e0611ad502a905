internal import AssayCore
internal import COpenSSL

/// A cipher of OpenSSL, fetched once and never freed.
@safe struct AESAlgorithm: @unchecked Sendable {
    // Unchecked: an EVP_CIPHER is immutable after it was fetched, and its reference count is atomic.
    fileprivate let handle: OpaquePointer

    /// AES-256 in Galois/Counter Mode, NIST SP 800-38D.
    static let gcm = AESAlgorithm("AES-256-GCM")
    /// AES-256 key wrap without padding, RFC 3394.
    static let keyWrap = AESAlgorithm("AES-256-WRAP")

    /// How many bytes a key has.
    static let keyLength = 32

    private init(_ name: String) {
        guard let handle = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL offers no \(name): check the providers in its configuration file")
        }
        unsafe self.handle = handle
    }
}

/// A running encryption or decryption. Freeing it wipes the key schedule.
@safe struct AESContext: ~Copyable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    private let handle: OpaquePointer

    /// Begins, and gives nil when key or nonce do not have the length of the algorithm.
    ///
    /// - Parameter nonce: 12 bytes for GCM; none for key wrap, which has a constant.
    init?(_ algorithm: AESAlgorithm, _ direction: Direction, key: SecretBytes, nonce: [UInt8]? = nil) {
        guard key.count == AESAlgorithm.keyLength, nonce == nil || nonce?.count == AESGCM.nonceLength else {
            return nil
        }
        guard let handle = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        unsafe self.handle = handle
        let isReady = unsafe key.withUnsafeBytes { key in
            let bytes = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
            guard let nonce else {
                return unsafe EVP_CipherInit_ex2(handle, algorithm.handle, bytes, nil, direction.rawValue, nil)
            }
            return unsafe EVP_CipherInit_ex2(handle, algorithm.handle, bytes, nonce, direction.rawValue, nil)
        }
        precondition(isReady == 1, "out of memory")
    }

    /// Takes in data that is authenticated and not encrypted.
    func authenticate(_ data: ArraySlice<UInt8>) -> Bool {
        guard !data.isEmpty else { return true }
        guard let count = Int32(exactly: data.count) else { return false }
        return unsafe data.withUnsafeBufferPointer {
            var written: Int32 = 0
            return unsafe EVP_CipherUpdate(handle, nil, &written, $0.baseAddress, count) == 1
        }
    }

    /// Encrypts or decrypts all of the input, and tells whether exactly the output was filled.
    func update(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        guard let source = unsafe input.assumingMemoryBound(to: UInt8.self).baseAddress, unsafe !input.isEmpty else {
            return unsafe output.isEmpty
        }
        guard let count = Int32(exactly: input.count) else { return false }
        let target = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
        var written: Int32 = 0
        return unsafe EVP_CipherUpdate(handle, target, &written, source, count) == 1 && Int(written) == output.count
    }

    /// Ends a GCM decryption, and tells whether the tag is right.
    func finish(tag: [UInt8]) -> Bool {
        guard tag.count == AESGCM.tagLength else { return false }
        var tag = tag
        guard unsafe EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(AESGCM.tagLength), &tag) == 1 else {
            return false
        }
        return finish()
    }

    /// Ends a GCM encryption and gives the tag.
    func finishWithTag() -> [UInt8]? {
        guard finish() else { return nil }
        var tag = [UInt8](repeating: 0, count: AESGCM.tagLength)
        let isDone = unsafe EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_GET_TAG, Int32(AESGCM.tagLength), &tag)
        return isDone == 1 ? tag : nil
    }

    private func finish() -> Bool {
        // None of these modes has anything left to write.
        var rest = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        return unsafe EVP_CipherFinal_ex(handle, &rest, &written) == 1 && written == 0
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(handle)
    }
}
