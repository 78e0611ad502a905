import AssayCore
import AssayPrimitives

/// A classic token on its way from text to payload: a JWE around a JWS.
///
/// Google, "Decrypt and verify the integrity verdict": A256KW and A256GCM outside, ES256 inside. Which algorithms are used
/// is fixed by the keys; the headers are only compared with them.
enum ClassicIntegrityToken {
    /// The outer form, with the lengths that its algorithms give its parts.
    static func decode(_ token: String) throws(DecodeError) -> CompactJWE { try decode(Array(token.utf8)[...]) }

    /// The outer form of the characters of a token; indices serve as offsets.
    static func decode(_ token: ArraySlice<UInt8>) throws(DecodeError) -> CompactJWE {
        let jwe = try CompactJWE(token, limit: InputLimits.joseText)
        try demand(AESKeyWrap.wrappedKeyLength, "JWE encrypted key", jwe.encryptedKey, of: jwe)
        try demand(AESGCM.nonceLength, "JWE initialization vector", jwe.initializationVector, of: jwe)
        try demand(AESGCM.tagLength, "JWE authentication tag", jwe.tag, of: jwe)
        return jwe
    }

    private static func demand(
        _ length: Int, _ field: String, _ bytes: [UInt8], of jwe: CompactJWE
    ) throws(DecodeError) {
        guard bytes.count == length else {
            throw DecodeError(
                .unexpectedLength, at: 0, field: field,
                "\(bytes.count) bytes, expected \(length); the header names \(jwe.header.algorithm.excerpt) and "
                    + "\(jwe.header.encryption?.excerpt ?? "no encryption")")
        }
    }

    /// Opens the token with the first live key that fits.
    ///
    /// If no live key fits, the others are tried for the error alone: it distinguishes a key that was retired too early from
    /// a foreign token. The token is refused in any case.
    static func open(
        _ jwe: CompactJWE, with keys: KeySelection<PlayIntegrityKeys>
    ) throws(CheckFailure) -> (entry: KeySelection<PlayIntegrityKeys>.Entry, plaintext: [UInt8]) {
        var failure: JOSEError?
        for entry in keys.live {
            do throws(JOSEError) {
                return (entry, try entry.material.decryption.decrypt(jwe))
            } catch {
                // A key that unwraps and then fails is the one that was meant.
                if failure == nil || error.reason == .decryptionFailed { failure = error }
            }
        }
        for entry in keys.others where (try? entry.material.decryption.decrypt(jwe)) != nil {
            throw CheckFailure(
                "key-not-live", "the token opens with key \(entry.name.excerpt), which is not live: \(entry.state)")
        }
        guard let failure else { throw CheckFailure("no-live-key", "the app has no key that may be used now") }
        let names = keys.live.map(\.name.excerpt).joined(separator: ", ")
        let found = failure
        throw CheckFailure(found.code, "\(found.detail); tried \(names)")
    }

    /// The inner form and its signature.
    static func verify(_ plaintext: [UInt8], with keys: PlayIntegrityKeys) throws(CheckFailure) -> CompactJWS {
        let jws: CompactJWS
        do throws(DecodeError) {
            jws = try CompactJWS(plaintext, limit: InputLimits.joseText)
        } catch {
            throw CheckFailure(error)
        }
        do throws(JOSEError) { try keys.verification.verify(jws) } catch { throw CheckFailure(error) }
        return jws
    }
}
