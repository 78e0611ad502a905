internal import COpenSSL

/// An HMAC-SHA-256 computation in progress.
@safe struct MACContext: ~Copyable, @unchecked Sendable {
    // Unchecked: callers that share a context only duplicate it, which only reads, or hold a lock.
    private let handle: OpaquePointer

    /// Starts under a key of any length.
    init(key: UnsafeRawBufferPointer) {
        unsafe handle = MACContext.start(key)
    }

    /// Starts under a secret key of any length.
    init(key: SecretBytes) {
        unsafe handle = key.withUnsafeBytes { unsafe MACContext.start($0) }
    }

    private static func start(_ key: UnsafeRawBufferPointer) -> OpaquePointer {
        guard let handle = unsafe EVP_MAC_CTX_dup(MACTemplate.sha256.handle) else {
            preconditionFailure("out of memory")
        }
        // A null pointer means "keep the key", so an empty key needs a non-null address.
        var isReady: Int32 = 0
        if let bytes = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress, unsafe !key.isEmpty {
            isReady = unsafe EVP_MAC_init(handle, bytes, key.count, nil)
        } else {
            isReady = unsafe EVP_MAC_init(handle, [0], 0, nil)
        }
        precondition(isReady == 1, "out of memory")
        return unsafe handle
    }

    private init(takingOwnershipOf handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// Copies the context with its current state.
    borrowing func duplicate() -> MACContext {
        guard let copy = unsafe EVP_MAC_CTX_dup(handle) else { preconditionFailure("out of memory") }
        return unsafe MACContext(takingOwnershipOf: copy)
    }

    /// Starts another message under the same key.
    borrowing func restart() {
        let isReady = unsafe EVP_MAC_init(handle, nil, 0, nil)
        precondition(isReady == 1, "out of memory")
    }

    /// Processes the parts of the message, and writes the code into 32 bytes.
    borrowing func authenticate(
        _ parts: some Collection<ArraySlice<UInt8>>, into code: UnsafeMutableRawBufferPointer
    ) {
        for part in parts {
            let isRead = unsafe part.withUnsafeBufferPointer { unsafe EVP_MAC_update(handle, $0.baseAddress, $0.count) }
            precondition(isRead == 1, "out of memory")
        }
        var count = 0
        let isDone = unsafe EVP_MAC_final(
            handle, code.assumingMemoryBound(to: UInt8.self).baseAddress, &count, code.count)
        precondition(isDone == 1 && count == 32, "out of memory")
    }

    deinit {
        unsafe EVP_MAC_CTX_free(handle)
    }
}

/// A context with its algorithm set. Duplicating it is cheaper than setting up a new one.
@safe private struct MACTemplate: @unchecked Sendable {
    // Unchecked: after initialisation, only EVP_MAC_CTX_dup reads it.
    let handle: OpaquePointer

    static let sha256 = MACTemplate()

    private init() {
        guard let mac = unsafe EVP_MAC_fetch(nil, "HMAC", nil), let handle = unsafe EVP_MAC_CTX_new(mac) else {
            preconditionFailure("OpenSSL offers no HMAC: check the providers in its configuration file")
        }
        var name = Array("SHA2-256".utf8CString)
        // OpenSSL can duplicate a context only after it had a key; each user sets its own.
        let placeholder: [UInt8] = [0]
        let isReady = unsafe name.withUnsafeMutableBufferPointer { name in
            let parameters = unsafe [
                assay_mac_digest(name.baseAddress),
                OSSL_PARAM_construct_end(),
            ]
            return unsafe EVP_MAC_init(handle, placeholder, placeholder.count, parameters)
        }
        precondition(isReady == 1, "OpenSSL offers no HMAC-SHA-256: check the providers in its configuration file")
        unsafe EVP_MAC_free(mac)
        unsafe self.handle = handle
    }
}
