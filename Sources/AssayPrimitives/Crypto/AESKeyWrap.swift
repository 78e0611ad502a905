public import AssayCore
internal import Crypto

/// AES-256 key wrap, RFC 3394, of keys of 32 bytes.
///
/// The cipher is swift-crypto's, which uses the processor's AES instructions. OpenSSL 3.0 wraps keys with table look-ups:
/// that takes five times as long, a tenth of a whole verification, and leaves traces of the key in the cache.
public enum AESKeyWrap {
    /// How many bytes a wrapped key has: the key, and the 8 bytes by which a wrong one is told.
    public static let wrappedKeyLength = 40

    /// Unwraps a key.
    ///
    /// Other lengths are refused before anything is decrypted.
    /// - Parameters:
    ///   - wrapped: 40 bytes.
    ///   - key: the key that it is wrapped with, 32 bytes.
    /// - Returns: the 32 bytes that were wrapped, and nil when that was with another key, or a length is not right.
    public static func unwrap(_ wrapped: [UInt8], key: SecretBytes) -> SecretBytes? {
        guard wrapped.count == wrappedKeyLength, key.count == AESGCM.keyLength else { return nil }
        // A SymmetricKey wipes its bytes at its end.
        let wrappingKey = unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        guard let unwrapped = try? AES.KeyWrap.unwrap(wrapped, using: wrappingKey),
            unwrapped.bitCount == AESGCM.keyLength * 8
        else { return nil }
        return unsafe unwrapped.withUnsafeBytes { unsafe SecretBytes($0) }
    }
}
