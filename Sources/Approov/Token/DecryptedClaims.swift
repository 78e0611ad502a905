import AssayCore

/// The plaintext of an encrypted token, wiped after use. It may contain measurements with the proof key. Tokens are
/// encrypted so that only the backend can read these.
final class DecryptedClaims: Sendable {
    // Only the wiping code mutates it.
    private nonisolated(unsafe) var plaintext: [UInt8]

    init(_ jwe: CompactJWE, with key: JWEKey) throws(JOSEError) {
        plaintext = try key.decrypt(jwe)
    }

    /// The claims, with the secret ones separate.
    func read() throws(DecodeError) -> (object: RecordObject, withheld: [WithheldText]) {
        try JSONReader.readObject(
            plaintext, limit: InputLimits.joseText, withholding: ["mpk", "imh", "dmh"])
    }

    deinit { SecretBytes.wipe(&plaintext) }
}
