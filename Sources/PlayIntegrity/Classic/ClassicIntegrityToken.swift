public import AssayCore

extension CheckID {
    /// The evidence has the only allowed form.
    public static let playIntegrityDecode = CheckID("play-integrity.decode")
    /// A live key of the app opens the token.
    public static let playIntegrityDecryption = CheckID("play-integrity.decryption")
    /// Google signed the payload.
    public static let playIntegritySignature = CheckID("play-integrity.signature")
}

extension PlayIntegrityCheck {
    static let decodeEntry = CheckDefinition(
        .playIntegrityDecode, .gate,
        proves: """
            A classic token is one compact JWE in strict form; a standard token is canonical base64url; its answer is JSON \
            with a payload, from the source that the policy names.
            """,
        stops: """
            Input that two parsers read differently, answers that are Google's refusal, and answers that Google did not \
            make.
            """,
        lookAt: """
            The byte that the detail names; whether the token was cut, wrapped or re-encoded on the way; for \
            google-refused the message of Google; for answer-by-caller `answers` in the policy.
            """,
        source: "RFC 7516 section 7.1; Google, decodeIntegrityToken",
        remedy: .nothing,
        codes: CheckCode.ofDecoding + [
            .googleRefused, .answerSupplied, .answerByCaller, .answerNotTaken, .tokenNotCanonical,
        ])

    static let decryptionEntry = CheckDefinition(
        .playIntegrityDecryption, .gate,
        proves: "A live key of the app opens the token with A256KW and A256GCM, and the token is unchanged.",
        stops: "Tokens of other apps, and changes to a token.",
        lookAt: """
            `assay keys list`; whether the response keys of the Play Console are those of this app; a key that was \
            retired or has expired is named.
            """,
        source: tokens,
        remedy: .nothing, codes: CheckCode.ofDecryption + [.keyNotLive, .noLiveKey, .openedWithKey, .decodedByGoogle])

    static let signatureEntry = CheckDefinition(
        .playIntegritySignature, .gate,
        proves: """
            Google signed the content of the token, with ES256 and the verification key that belongs to the \
            decryption key.
            """,
        stops: "Tokens made by an attacker who has the decryption key, and tokens without a signature.",
        lookAt: "Whether verificationKey and decryptionKey come from the same download of the Play Console.",
        source: tokens,
        remedy: .nothing, codes: CheckCode.ofDecoding + CheckCode.ofSignature + [.decodedByGoogle])
}

/// Decodes a classic token from text to payload: A256KW and A256GCM outside, ES256 inside (Google, "Decrypt and verify the integrity
/// verdict"). The keys determine the algorithms; the headers are only compared with them.
package enum ClassicIntegrityToken {
    /// Decodes the JWE, with the part lengths of its algorithms.
    static func decode(_ token: String) throws(DecodeError) -> CompactJWE { try decode(Array(token.utf8)[...]) }

    /// Decodes the JWE from a token's characters. Error offsets are indices of the slice.
    package static func decode(_ token: ArraySlice<UInt8>) throws(DecodeError) -> CompactJWE {
        let jwe = try CompactJWE(token, limit: InputLimits.joseText)
        try require(AESKeyWrap.wrappedKeyLength, "JWE encrypted key", jwe.encryptedKey, of: jwe)
        try require(AESGCM.nonceLength, "JWE initialization vector", jwe.initializationVector, of: jwe)
        try require(AESGCM.tagLength, "JWE authentication tag", jwe.tag, of: jwe)
        return jwe
    }

    private static func require(
        _ length: Int, _ field: String, _ bytes: [UInt8], of jwe: CompactJWE
    ) throws(DecodeError) {
        guard bytes.count == length else {
            throw DecodeError(
                .unexpectedLength, at: 0, field: field,
                "\(bytes.count) bytes, expected \(length); the header names \(jwe.header.algorithm.excerpt) and "
                    + "\(jwe.header.encryption?.excerpt ?? "no encryption")")
        }
    }

    /// Opens the token with the first live key that fits. If none fits, tries the other keys, only to distinguish a key
    /// that was retired too early from a foreign token in the error. The token is rejected in any case.
    static func open(
        _ jwe: CompactJWE, with keys: KeySelection<PlayIntegrityKeys>
    ) throws(CheckFailure) -> (entry: KeySelection<PlayIntegrityKeys>.Entry, plaintext: [UInt8]) {
        var failure: JOSEError?
        for entry in keys.live {
            do throws(JOSEError) {
                return (entry, try entry.material.decryption.decrypt(jwe))
            } catch {
                // A key that unwraps the content key is the token's key, even if decryption then fails: report its
                // error.
                if failure == nil || error.reason == .decryptionFailed { failure = error }
            }
        }
        for entry in keys.others where (try? entry.material.decryption.decrypt(jwe)) != nil {
            throw CheckFailure(
                .keyNotLive, "the token opens with key \(entry.name.excerpt), which is not live: \(entry.state)")
        }
        guard let failure else { throw CheckFailure(.noLiveKey, "the app has no key that may be used now") }
        let names = keys.live.map(\.name.excerpt).joined(separator: ", ")
        let found = failure
        throw CheckFailure(CheckCode(found.reason), "\(found.detail); tried \(names)")
    }

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

/// The finding for a token that a key opened.
struct OpenedWithKey: CheckFinding {
    let name: String

    var code: String { CheckCode.openedWithKey.name }
    var detail: String { "opened with key \(name.excerpt)" }
}

extension CheckCode {
    fileprivate static let keyNotLive = CheckCode(
        "key-not-live",
        "The token is for a key of the app that was retired, has expired or is not valid yet: see `assay keys list`.",
        remedy: .contactSupport)
    fileprivate static let noLiveKey = CheckCode(
        "no-live-key", "The app has no key that may be used now: import the Play Console's response keys.",
        remedy: .contactSupport)
    fileprivate static let openedWithKey = CheckCode(
        "opened-with-key", "Names the key that opened the token: no action.")
}
