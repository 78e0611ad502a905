public import AssayCore

/// AES-256 key wrap, RFC 3394, of keys of 32 bytes.
public enum AESKeyWrap {
    /// How many bytes a wrapped key has: the key, and the 8 bytes by which a wrong one is told.
    public static let wrappedKeyLength = 40

    /// Unwraps a key.
    ///
    /// No other length ever reaches OpenSSL: its raw interface reports success with no bytes for empty input.
    /// - Parameters:
    ///   - wrapped: 40 bytes.
    ///   - key: the key that it is wrapped with, 32 bytes.
    /// - Returns: the 32 bytes that were wrapped, and nil when that was with another key, or a length is not right.
    public static func unwrap(_ wrapped: [UInt8], key: SecretBytes) -> SecretBytes? {
        guard wrapped.count == wrappedKeyLength, let context = AESContext(.keyWrap, .decrypt, key: key) else {
            return nil
        }
        var isUnwrapped = false
        let unwrapped = unsafe SecretBytes(count: wrappedKeyLength - 8) { buffer in
            isUnwrapped = unsafe wrapped.withUnsafeBytes { unsafe context.update($0, into: buffer) }
        }
        return isUnwrapped ? unwrapped : nil
    }
}
