package import AssayCore
package import FoundationEssentials

/// The secret that hides subjects (`sub`), encrypts references and derives nonces. It does not rotate with the signing
/// keys, so that `sub` stays stable.
package final class TokenSecret: KeyMaterial {
    package static let purpose = KeyPurpose("assay-token-subjects")
    package static let secretPart = "secret"
    package static let parts = [KeyPart(secretPart, .secret, isRequired: true, form: "base64 of 32 bytes")]
    package static let length = 32

    private let subjects: HMACSHA256Key
    private let references: HMACSHA256Key
    private let nonces: HMACSHA256Key
    private let findings: HMACSHA256Key

    package var algorithm: String { "HMAC-SHA-256, A256GCM" }

    /// Reads `secret`, base64 of 32 bytes. No error contains a part of it.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        let secret = try parts.secret(Self.secretPart, byteCount: Self.length)
        // One key for each use, so that a value for one never serves for another.
        func derived(_ use: String) -> HMACSHA256Key {
            var bytes = HMAC.sha256(key: secret, Array("assay token \(use)".utf8)[...])
            defer { SecretBytes.wipe(&bytes) }
            return HMACSHA256Key(SecretBytes(bytes))
        }
        subjects = derived("subject")
        references = derived("reference")
        nonces = derived("nonce")
        findings = derived("response code")
    }

    // MARK: Subjects

    /// The pseudonym of a subject in one app: `sub`. Another app has another one.
    package func pseudonym(of subject: LedgerSubject, app: String) -> String {
        Base64.encode(
            subjects.code(for: Array("\(app.utf8.count) \(app) \(subject.kind.rawValue) \(subject.name)".utf8)[...]),
            .url)
    }

    /// Encrypts the subjects that a block must reach, for the issuer alone; nil if the library fails. The key is derived from `jti`, so
    /// that a constant nonce is safe.
    package func reference(to subjects: [LedgerSubject], tokenID: String, app: String) -> String? {
        let lines = subjects.map { "\($0.kind.rawValue) \(Base64.encode(Array($0.name.utf8), .url))" }.joined(
            separator: "\n")
        guard
            let sealed = try? AESGCM.seal(
                SecretBytes(Array(lines.utf8)), key: key(tokenID), nonce: Self.nonce,
                additionalData: Array(app.utf8)[...])
        else { return nil }
        return Base64.encode(sealed.ciphertext + sealed.tag, .url)
    }

    /// Decrypts the subjects; nil if the text was not made under this secret for this token.
    package func subjects(of reference: String, tokenID: String, app: String) -> [LedgerSubject]? {
        guard let bytes = try? Base64.decode(reference, .url), bytes.count >= AESGCM.tagLength,
            let text = AESGCM.open(
                Array(bytes.dropLast(AESGCM.tagLength)), tag: Array(bytes.suffix(AESGCM.tagLength)), key: key(tokenID),
                nonce: Self.nonce, additionalData: Array(app.utf8)[...])
        else { return nil }
        var subjects: [LedgerSubject] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, let kind = LedgerSubject.Kind(rawValue: String(decoding: parts[0], as: UTF8.self)),
                let name = try? Base64.decode(parts[1], .url)
            else { return nil }
            subjects.append(LedgerSubject(kind, String(decoding: name, as: UTF8.self)))
        }
        return subjects
    }

    /// The keyed digest of what checks found, 32 bytes.
    func digest(ofFindings lines: String) -> [UInt8] { findings.code(for: Array(lines.utf8)[...]) }

    private static let nonce = [UInt8](repeating: 0, count: AESGCM.nonceLength)

    private func key(_ tokenID: String) -> SecretBytes {
        var bytes = references.code(for: Array(tokenID.utf8)[...])
        defer { SecretBytes.wipe(&bytes) }
        return SecretBytes(bytes)
    }

    // MARK: Nonces of DPoP proofs

    /// How long a nonce is the current one, in seconds. The one before is accepted too.
    package static let nonceInterval: Double = 120

    /// The nonce that proofs must contain at a time (RFC 9449 section 8). Servers with one secret make the same.
    package func nonce(at time: Date) -> String { nonce(number: Self.number(at: time)) }

    /// Whether a nonce is the current one or the one before.
    package func accepts(nonce: String, at time: Date) -> Bool {
        let number = Self.number(at: time)
        return [number, number - 1].contains {
            ConstantTime.equals(Array(self.nonce(number: $0).utf8), Array(nonce.utf8))
        }
    }

    private static func number(at time: Date) -> Int64 {
        Int64((time.timeIntervalSince1970 / nonceInterval).rounded(.down))
    }

    private func nonce(number: Int64) -> String {
        Base64.encode(nonces.code(for: Array("\(number)".utf8)[...]).prefix(16), .url)
    }
}

extension [String: SecretBytes] {
    /// The secret in a part of a key, which has base64 of some bytes.
    func secret(_ part: String, byteCount: Int) throws(KeyError) -> SecretBytes {
        guard let text = self[part] else { throw KeyError("missing-part", part: part, "the part is missing") }
        do { return try SecretKeyText.decodeBase64(text, byteCounts: byteCount...byteCount) } catch {
            throw KeyError("not-a-key", part: part, "expected base64 of \(byteCount) bytes, found \(error.found)")
        }
    }
}
