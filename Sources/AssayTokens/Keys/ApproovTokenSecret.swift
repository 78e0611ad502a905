package import AssayCore

/// The secret of an Approov account, under which tokens in Approov's format are issued. Backends verify them with the same secret.
package final class ApproovTokenSecret: KeyMaterial {
    /// The purpose of keys of this type. Secrets that only verify have another one: they sign nothing.
    package static let purpose = KeyPurpose("approov-issuer")
    package static let secretPart = "secret"
    package static let keyIDPart = "keyID"
    package static let parts = [
        KeyPart(secretPart, .secret, isRequired: true, form: "the account's secret: base64 of 64 bytes"),
        KeyPart(keyIDPart, .word, isRequired: false, form: "the kid that headers name the secret by"),
    ]
    package static let length = 64

    private let signing: HMACSHA256Key
    private let encryption: SecretBytes
    let keyID: String?

    package var algorithm: String { "HS256, A256GCMKW" }

    /// Reads a key.
    /// - Throws: ``KeyError`` without any of the secret's text.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        let secret = try parts.secret(Self.secretPart, byteCount: Self.length)
        keyID = try Self.word(parts)
        (signing, encryption) = Self.keys(secret)
    }

    /// The part ``keyIDPart``; nil without it.
    static func word(_ parts: [String: SecretBytes]) throws(KeyError) -> String? {
        guard let part = parts[keyIDPart] else { return nil }
        let word = String(decoding: part.withUnsafeBytes { Array($0) }, as: UTF8.self)
        guard (1...128).contains(word.utf8.count),
            word.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else { throw KeyError("not-a-key", part: keyIDPart, "expected printable ASCII without quotes") }
        return word
    }

    /// A random secret, which no backend has, under a key ID that may be another secret's.
    init(keyID: String?) {
        self.keyID = keyID
        (signing, encryption) = Self.keys(SecretBytes(Self.random(Self.length)))
    }

    /// Random bytes of the operating system.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func keys(_ secret: SecretBytes) -> (HMACSHA256Key, SecretBytes) {
        var digest = secret.withUnsafeBytes { Digest.sha256(Array($0)) }
        defer { SecretBytes.wipe(&digest) }
        return (HMACSHA256Key(secret), SecretBytes(digest))
    }

    /// The token with these claims, of the same header as Approov's.
    /// - Returns: nil if the library fails.
    func token(_ claims: [UInt8], _ form: TokenConfiguration.ApproovForm) -> String? {
        switch form {
        case .jws:
            let input = Self.text(header([("alg", "HS256"), ("typ", "JWT")])) + "." + Self.text(claims)
            return input + "." + Self.text(signing.code(for: Array(input.utf8)[...]))
        case .jwe:
            // RFC 7518 section 4.7: the content key is encrypted with a nonce and a tag of its own.
            let contentKey = SecretBytes(Self.random(32))
            let (keyNonce, nonce) = (Self.random(AESGCM.nonceLength), Self.random(AESGCM.nonceLength))
            guard
                let wrapped = try? AESGCM.seal(contentKey, key: encryption, nonce: keyNonce)
            else { return nil }
            let head = Self.text(
                header([
                    ("alg", "A256GCMKW"), ("enc", "A256GCM"), ("iv", Self.text(keyNonce)),
                    ("tag", Self.text(wrapped.tag)),
                ]))
            guard
                let sealed = try? AESGCM.seal(
                    SecretBytes(claims), key: contentKey, nonce: nonce, additionalData: Array(head.utf8)[...])
            else { return nil }
            return [
                head, Self.text(wrapped.ciphertext), Self.text(nonce), Self.text(sealed.ciphertext),
                Self.text(sealed.tag),
            ]
            .joined(separator: ".")
        }
    }

    private func header(_ members: [(String, String)]) -> [UInt8] {
        let all = members + (keyID.map { [("kid", $0)] } ?? [])
        return Array("{\(all.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ","))}".utf8)
    }

    private static func text(_ bytes: [UInt8]) -> String { Base64.encode(bytes, .url) }
}

/// The key for message signing of an Approov account, as apps get it with their tokens. Backends have the same secret for the use
/// `approov-message`, which never delivers it.
package final class ApproovMessageSecret: KeyMaterial {
    package static let purpose = KeyPurpose("approov-message-issuer")
    package static let parts = [
        KeyPart(ApproovTokenSecret.secretPart, .secret, isRequired: true, form: "base64 of \(length) bytes"),
        KeyPart(
            ApproovTokenSecret.keyIDPart, .word, isRequired: true, form: "the ID that tokens name the key by in mskid"),
    ]
    package static let length = 32

    let secret: SecretBytes
    let keyID: String

    /// The algorithm, by its name in the RFC 9421 registry.
    package var algorithm: String { "hmac-sha256" }

    /// Reads a key.
    /// - Throws: ``KeyError`` without any of the secret's text.
    package convenience init(parts: [String: SecretBytes]) throws(KeyError) {
        let secret = try parts.secret(ApproovTokenSecret.secretPart, byteCount: Self.length)
        guard let keyID = try ApproovTokenSecret.word(parts) else {
            throw KeyError("missing-part", part: ApproovTokenSecret.keyIDPart, "the part is missing")
        }
        self.init(secret, keyID)
    }

    private init(_ secret: SecretBytes, _ keyID: String) { (self.secret, self.keyID) = (secret, keyID) }

    /// A random key under the same ID.
    var decoy: ApproovMessageSecret {
        ApproovMessageSecret(SecretBytes(ApproovTokenSecret.random(Self.length)), keyID)
    }
}
