import AssayCore
import AssayPrimitives

/// The plaintext of an encrypted token, which is wiped when nobody needs it any more: there may be measurements in it with
/// the key of proofs, which a signed token shows to everybody who sees it, and an encrypted one to the backend alone.
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
