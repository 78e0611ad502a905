internal import Crypto

/// Keys that are derived from a secret.
package enum KeyDerivation {
    /// HKDF with SHA-256 (RFC 5869): `count` bytes, at most 8160.
    ///
    /// - Parameters:
    ///   - secret: the input keying material, of full entropy.
    ///   - salt: the same for all keys of one use.
    ///   - info: what the key is for. Different uses have different texts, none of which may be read as another.
    package static func hkdf(_ secret: SecretBytes, salt: [UInt8], info: [UInt8], count: Int) -> SecretBytes {
        let input = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: input, salt: salt, info: info, outputByteCount: count)
        return unsafe key.withUnsafeBytes { unsafe SecretBytes($0) }
    }
}
