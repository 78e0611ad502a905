internal import COpenSSL

/// Comparisons whose duration does not depend on the position of a difference. Lengths are not secret.
package enum ConstantTime {
    /// Whether two byte strings are equal.
    package static func equals(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in unsafe equals(left, right) }
        }
    }

    /// Whether two byte strings are equal.
    package static func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        equals(left[...], right[...])
    }

    /// Whether two secrets are equal.
    package static func equals(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
        unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in unsafe equals(left, right) }
        }
    }

    /// Whether two buffers are equal.
    static func equals(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard unsafe !left.isEmpty else { return true }
        return unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
    }
}
