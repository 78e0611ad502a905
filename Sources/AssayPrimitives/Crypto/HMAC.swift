public import AssayCore
internal import COpenSSL

/// Keyed digests, RFC 2104.
public enum HMAC {
    /// HMAC-SHA-256 of the concatenation of some parts, 32 bytes. The key may have any length.
    ///
    /// Compare tags with ``ConstantTime/equals(_:_:)`` only.
    public static func sha256(key: some Collection<UInt8>, _ message: ArraySlice<UInt8>...) -> [UInt8] {
        hash(key: Array(key), message)
    }

    /// HMAC-SHA-256, 32 bytes. The key may have any length.
    public static func sha256(key: some Collection<UInt8>, _ message: [UInt8]) -> [UInt8] {
        hash(key: Array(key), CollectionOfOne(message[...]))
    }

    /// HMAC-SHA-256 under a secret key, 32 bytes. The key may have any length.
    public static func sha256(key: SecretBytes, _ message: ArraySlice<UInt8>...) -> [UInt8] {
        unsafe key.withUnsafeBytes { unsafe hash(key: $0, message) }
    }

    private static func hash(key: [UInt8], _ parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        unsafe key.withUnsafeBytes { unsafe hash(key: $0, parts) }
    }

    private static func hash(key: UnsafeRawBufferPointer, _ parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        let context = unsafe MACContext(key: key)
        for part in parts { context.update(part) }
        return context.finish()
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

/// A running HMAC-SHA-256.
@safe private struct MACContext: ~Copyable {
    private let handle: OpaquePointer

    init(key: UnsafeRawBufferPointer) {
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
        unsafe self.handle = handle
    }

    func update(_ bytes: ArraySlice<UInt8>) {
        let isDone = unsafe bytes.withUnsafeBufferPointer {
            unsafe EVP_MAC_update(handle, $0.baseAddress, $0.count)
        }
        precondition(isDone == 1, "out of memory")
    }

    func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            let isDone = unsafe EVP_MAC_final(handle, buffer.baseAddress, &count, 32)
            precondition(isDone == 1 && count == 32, "out of memory")
        }
    }

    deinit {
        unsafe EVP_MAC_CTX_free(handle)
    }
}
