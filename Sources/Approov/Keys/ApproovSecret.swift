package import AssayCore
package import AssayPrimitives

/// The secrets of an Approov account, in the form that its command-line tool prints.
package enum ApproovSecret {
    /// 512 bits (Approov, Token Signing).
    package static let tokenLengths = 64...64
    /// At least the hash length of HMAC-SHA-256 (RFC 2104 section 3).
    static let messageLengths = 32...128
    package static let form =
        "the account's secret: base64 or base64url of 64 bytes (88 characters, or 86 without padding)"
    static let messageForm = "the account's message signing key: base64 or base64url of 32 to 128 bytes"

    /// Decodes a secret. No error contains a part of it. A key of a key pair is refused: with a public key as HMAC secret, anyone could
    /// sign.
    package static func decode(
        _ text: SecretBytes, part: String, lengths: ClosedRange<Int>
    ) throws(KeyError) -> SecretBytes {
        let expected = lengths == tokenLengths ? form : messageForm
        let secret: SecretBytes
        do {
            secret = try SecretKeyText.decodeBase64(text, byteCounts: lengths)
        } catch {
            throw objection(error, part, expected)
        }
        switch KeyPairHalf(of: secret) {
        case nil: return secret
        case .publicKey:
            throw KeyError(
                KeyError.publicHalf, part: part,
                "expected \(expected); found a public key, which is no secret: every holder could sign with it")
        case .privateKey:
            throw KeyError(
                KeyError.privateHalf, part: part,
                "expected \(expected); found the private key of a key pair, which no account signs or encrypts with")
        }
    }

    private static func objection(_ problem: SecretKeyText.Problem, _ part: String, _ expected: String) -> KeyError {
        func error(_ code: String, _ hint: String = "") -> KeyError {
            KeyError(code, part: part, "expected \(expected); found \(problem.found)\(hint)")
        }
        switch problem.kind {
        case .empty: return error("empty")
        case .pem(let label) where label.contains("PUBLIC"):
            return error("pem", "; a public key is no secret, and never serves as one: name it as publicKey")
        case .pem: return error("pem")
        case .hexadecimal: return error("hexadecimal", "; the tool prints secrets in base64")
        case .base64: return error("wrong-length")
        case .binary: return error("not-text", "; write the secret in base64, as ASCII without a byte order mark")
        case .otherText: return error("not-base64", "; was it cut, or is there more than the secret?")
        }
    }

    /// The key that encrypts tokens: SHA-256 of the secret (Approov, Token Signing).
    static func encryptionKey(_ secret: SecretBytes) -> SecretBytes {
        var bytes = secret.withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        var digest = Digest.sha256(bytes)
        defer { SecretBytes.wipe(&digest) }
        return SecretBytes(digest)
    }
}
