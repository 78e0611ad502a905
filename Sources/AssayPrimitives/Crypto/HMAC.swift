/// HMAC (RFC 2104) with a key that is used once; otherwise see ``HMACSHA256Key``. Compare codes only with
/// ``ConstantTime/equals(_:_:)``.
package enum HMAC {
    /// HMAC-SHA-256 of the concatenation of the parts, 32 bytes. The key may have any length.
    package static func sha256(key: some Collection<UInt8>, _ message: ArraySlice<UInt8>...) -> [UInt8] {
        hash(key: Array(key), message)
    }

    /// HMAC-SHA-256, 32 bytes. The key may have any length.
    package static func sha256(key: some Collection<UInt8>, _ message: [UInt8]) -> [UInt8] {
        hash(key: Array(key), CollectionOfOne(message[...]))
    }

    /// HMAC-SHA-256 under a secret key, 32 bytes. The key may have any length.
    package static func sha256(key: SecretBytes, _ message: ArraySlice<UInt8>...) -> [UInt8] {
        unsafe key.withUnsafeBytes { unsafe hash(key: $0, message) }
    }

    private static func hash(key: [UInt8], _ parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        unsafe key.withUnsafeBytes { unsafe hash(key: $0, parts) }
    }

    private static func hash(key: UnsafeRawBufferPointer, _ parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            unsafe MACContext(key: key).authenticate(parts, into: UnsafeMutableRawBufferPointer(buffer))
            count = 32
        }
    }
}
