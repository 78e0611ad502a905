internal import AssayCore
internal import COpenSSL

/// A running HMAC-SHA-256.
@safe struct MACContext: ~Copyable, @unchecked Sendable {
    // Unchecked: whoever shares a context only duplicates it, which only reads, or sees to it that one thread uses it at
    // a time.
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
        // A null pointer would mean "keep the key", so an empty key needs the address of something.
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

    /// Another context at the same point of its message.
    borrowing func duplicate() -> MACContext {
        guard let copy = unsafe EVP_MAC_CTX_dup(handle) else { preconditionFailure("out of memory") }
        return unsafe MACContext(takingOwnershipOf: copy)
    }

    /// Starts another message under the same key.
    borrowing func restart() {
        let isReady = unsafe EVP_MAC_init(handle, nil, 0, nil)
        precondition(isReady == 1, "out of memory")
    }

    /// Reads the parts of the message, and writes its code into 32 bytes.
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

/// A context that knows its algorithm. Duplicating it costs half of what setting up a new one does.
@safe private struct MACTemplate: @unchecked Sendable {
    // Unchecked: after its initialisation it is only ever read, by EVP_MAC_CTX_dup.
    let handle: OpaquePointer

    static let sha256 = MACTemplate()

    private init() {
        guard let mac = unsafe EVP_MAC_fetch(nil, "HMAC", nil), let handle = unsafe EVP_MAC_CTX_new(mac) else {
            preconditionFailure("OpenSSL offers no HMAC: check the providers in its configuration file")
        }
        var name = Array("SHA2-256".utf8CString)
        // A context can be duplicated only once it has had a key; every user sets one of its own.
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
