package import AssayCore

/// The two response keys of an app from the Play Console: one decrypts classic tokens, the other verifies them. A
/// class: all tokens of the app share it.
package final class PlayIntegrityKeys: KeyMaterial {
    package static let purpose = KeyPurpose("play-integrity")
    /// The name of the part that decrypts tokens.
    package static let decryptionPart = "decryptionKey"
    /// The name of the part that verifies their content.
    package static let verificationPart = "verificationKey"
    package static let parts = [
        KeyPart(
            decryptionPart, .secret, isRequired: true,
            form: "the AES-256 key: base64 of 32 bytes, or 64 hexadecimal digits"),
        KeyPart(
            verificationPart, .published, isRequired: true,
            form: "the P-256 public key: base64 of its SubjectPublicKeyInfo, or a PEM block PUBLIC KEY"),
    ]

    /// Decrypts the outer JWE.
    let decryption: JWEKey
    /// Verifies the inner JWS.
    let verification: JWSKey

    /// The algorithms of the two keys, by their RFC 7518 names.
    package var algorithm: String { "A256KW, A256GCM, ES256" }

    /// Reads `decryptionKey`, 32 bytes in base64 or hexadecimal, and `verificationKey`, a P-256 SubjectPublicKeyInfo in base64 or PEM.
    /// White space and quotes around them are ignored.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        guard let decryptionText = parts[Self.decryptionPart] else { throw Self.missing(Self.decryptionPart) }
        guard let verificationText = parts[Self.verificationPart] else { throw Self.missing(Self.verificationPart) }
        let secret: SecretBytes
        do {
            secret = try SecretKeyText.decode(decryptionText, byteCount: 32)
        } catch {
            throw Self.decryptionKeyError(error)
        }
        do {
            decryption = try JWEKey.a256KW(secret)
        } catch {
            throw KeyError("malformed", part: Self.decryptionPart, error.message)
        }
        let reader = PublicKeyText(
            part: Self.verificationPart,
            expected: "the base64 of a P-256 SubjectPublicKeyInfo (124 characters), or a PEM block PUBLIC KEY",
            swapHint: "; are the two keys swapped?")
        let publicKey = try reader.decode(verificationText) { (info) throws(DecodeError) in
            try ECDSAPublicKey(subjectPublicKeyInfo: info)
        }
        guard publicKey.curve == .p256 else {
            throw reader.error("wrong-curve", "a key of another curve, \(publicKey.curve)")
        }
        do {
            verification = try JWSKey.es256(publicKey)
        } catch {
            throw KeyError("wrong-curve", part: Self.verificationPart, error.message)
        }
    }

    private static func missing(_ part: String) -> KeyError {
        KeyError("missing-part", part: part, "the part is missing; every key for \(purpose) has it")
    }

    private static func decryptionKeyError(_ problem: SecretKeyText.Problem) -> KeyError {
        let expected = "expected an AES-256 key: base64 of 32 bytes (44 characters), or 64 hexadecimal digits"
        func error(_ code: String, _ hint: String = "") -> KeyError {
            KeyError(code, part: decryptionPart, "\(expected); found \(problem.found)\(hint)")
        }
        switch problem.kind {
        case .empty: return error("empty")
        case .pem(let label) where label == "PUBLIC KEY": return error("swapped", "; are the two keys swapped?")
        case .pem: return error("pem", "; the console hands this key out as plain base64")
        case .hexadecimal(32): return error("wrong-length", ", which is an AES-128 key")
        case .hexadecimal: return error("wrong-length")
        case .base64(91): return error("swapped", ", the length of a P-256 public key; are the two keys swapped?")
        case .base64(16): return error("wrong-length", ", which is an AES-128 key")
        case .base64: return error("wrong-length")
        case .binary(32): return error("not-text", "; write the key in base64")
        case .binary, .otherText: return error("not-text")
        }
    }
}
