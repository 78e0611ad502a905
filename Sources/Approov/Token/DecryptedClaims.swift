import AssayCore
import AssayPrimitives

/// The plaintext of an encrypted token, wiped after use: it may contain measurements with the key of proofs, which only the
/// backend can read in an encrypted token.
final class DecryptedClaims: Sendable {
    // Written when it is wiped, and only read before.
    private nonisolated(unsafe) var plaintext: [UInt8]

    /// Decrypts a token.
    init(_ jwe: CompactJWE, with key: JWEKey) throws(JOSEError) {
        plaintext = try key.decrypt(jwe)
    }

    /// The claims, and apart from them those that are secrets.
    func read() throws(DecodeError) -> (object: RecordObject, withheld: [WithheldText]) {
        try JSONReader.readObject(
            plaintext, limit: InputLimits.joseText, withholding: ["mpk", "imh", "dmh"])
    }

    deinit { SecretBytes.wipe(&plaintext) }
}
