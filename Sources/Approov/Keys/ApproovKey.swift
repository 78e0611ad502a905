package import AssayCore

/// A token key: the account's secret, a public key, or a set of public keys. A class, shared by all verifications.
package final class ApproovKey: KeyMaterial {
    package static let purpose = KeyPurpose("approov")
    static let secretPart = "secret"
    static let publicKeyPart = "publicKey"
    static let keySetPart = "keySet"
    static let keyIDPart = "keyID"
    static let algorithmPart = "algorithm"
    /// The parts of a key: a secret, a public key or a key set. The first two may have an ID.
    package static let parts = [
        KeyPart(secretPart, .secret, isRequired: false, form: ApproovSecret.form),
        KeyPart(
            publicKeyPart, .published, isRequired: false,
            form: "a P-256 or RSA public key: base64 of its SubjectPublicKeyInfo, or a PEM block PUBLIC KEY"),
        KeyPart(keySetPart, .published, isRequired: false, form: "a JSON Web Key Set (RFC 7517) of public keys"),
        KeyPart(keyIDPart, .word, isRequired: false, form: "the kid that headers name the key by"),
        KeyPart(algorithmPart, .word, isRequired: false, form: "HS256, RS256 or ES256"),
    ]

    /// A key and algorithm that may verify a signed token.
    struct Verification: Sendable {
        let keyID: String?
        let key: JWSKey
    }

    /// The verifications of signed tokens; several for a key set.
    let verifications: [Verification]
    /// The secret, for loggable tokens; nil for public keys.
    let secret: SecretBytes?
    /// The key that decrypts tokens; nil for public keys.
    let decryption: JWEKey?
    /// The ID of the key; nil without one, and for a key set, whose keys have their own IDs.
    package let keyID: String?

    /// The algorithms of the key, by their RFC 7518 names.
    package var algorithm: String {
        var names: [String] = []
        for verification in verifications where !names.containsBytes(of: verification.key.algorithm) {
            names.append(verification.key.algorithm)
        }
        if decryption != nil { names.append("A256GCMKW, A256GCM") }
        return names.joined(separator: ", ")
    }

    /// Reads exactly one of `secret`, `publicKey` and `keySet`; the first two with `keyID` and `algorithm`, which must match the key:
    /// this detects swapped files.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        let given = [Self.secretPart, Self.publicKeyPart, Self.keySetPart].filter { parts[$0] != nil }
        guard given.count == 1, let main = given.first, let text = parts[main] else {
            let found = given.isEmpty ? "none of them" : given.joined(separator: " and ")
            throw KeyError(
                given.isEmpty ? "missing-part" : "contradiction", part: "",
                "a key for \(Self.purpose) has one of secret, publicKey and keySet; found \(found)")
        }
        let keyID = try Self.word(Self.keyIDPart, parts)
        let algorithm = try Self.word(Self.algorithmPart, parts)
        var decryption: JWEKey?
        var secret: SecretBytes?
        switch main {
        case Self.secretPart:
            let bytes = try ApproovSecret.decode(text, part: main, lengths: ApproovSecret.tokenLengths)
            verifications = [
                Verification(keyID: keyID, key: try Self.reading(main) { () throws(DecodeError) in try .hs256(bytes) })
            ]
            decryption = try Self.reading(main) { () throws(DecodeError) in
                try .a256GCMKW(ApproovSecret.encryptionKey(bytes))
            }
            secret = bytes
        case Self.publicKeyPart:
            verifications = [Verification(keyID: keyID, key: try Self.publicKey(text))]
        default:
            for part in [Self.keyIDPart, Self.algorithmPart] where parts[part] != nil {
                throw KeyError(
                    "contradiction", part: part, "the keys of a set have an ID and an algorithm of their own")
            }
            verifications = try Self.keySet(text)
        }
        if let algorithm, let found = verifications.first?.key.algorithm, !found.isByteEqual(to: algorithm) {
            throw KeyError(
                "wrong-algorithm", part: Self.algorithmPart,
                "expected \(found), which is the algorithm of the key that was given, found \"\(algorithm.excerpt)\"")
        }
        (self.secret, self.decryption, self.keyID) = (secret, decryption, keyID)
    }

    private static func publicKey(_ text: SecretBytes) throws(KeyError) -> JWSKey {
        let reader = PublicKeyText(
            part: publicKeyPart,
            expected: "the base64 of the SubjectPublicKeyInfo of a P-256 or RSA key, or a PEM block PUBLIC KEY")
        return try reader.decode(text) { (info) throws(DecodeError) in
            // Each reader reports errors only for its own kind of key.
            try isRSA(info)
                ? .rs256(RSAPublicKey(subjectPublicKeyInfo: info))
                : .es256(ECDSAPublicKey(subjectPublicKeyInfo: info))
        }
    }

    /// True if a SubjectPublicKeyInfo begins with two lengths and rsaEncryption (RFC 3279 section 2.3.1).
    private static func isRSA(_ info: ArraySlice<UInt8>) -> Bool {
        let identifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        return info.indices.prefix(16).contains { info[$0...].starts(with: identifier) }
    }

    private static func keySet(_ text: SecretBytes) throws(KeyError) -> [Verification] {
        let isPEM = text.withUnsafeBytes { $0.drop { $0 <= 0x20 }.starts(with: "-----BEGIN ".utf8) }
        guard !isPEM else {
            throw KeyError(
                "pem", part: keySetPart,
                "expected a JSON Web Key Set; found a PEM block, which is a key of its own, as publicKey"
            )
        }
        let set: JWKSet
        do throws(DecodeError) {
            set = try text.withUnsafeBytes { (bytes) throws(DecodeError) in try JWKSet(Array(bytes)) }
        } catch {
            throw KeyError("malformed", part: keySetPart, "not a JSON Web Key Set of public keys: \(error.detail)")
        }
        let keys = set.keyIDs.compactMap { id in set.key(id).map { Verification(keyID: id, key: $0) } }
        guard !keys.isEmpty else { throw KeyError("empty", part: keySetPart, "the set has no key that verifies") }
        guard !keys.contains(where: { $0.key.isSymmetric }) else {
            throw KeyError(
                "symmetric", part: keySetPart, "the set has secrets; a secret is a key of its own, as secret")
        }
        return keys
    }

    static func word(_ part: String, _ parts: [String: SecretBytes]) throws(KeyError) -> String? {
        guard let bytes = parts[part] else { return nil }
        let text = bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
        guard let text else { throw KeyError("not-text", part: part, "expected text in UTF-8") }
        if let objection = KeyName.objection(to: text) { throw KeyError("malformed", part: part, objection) }
        return text
    }

    private static func reading<Key>(
        _ part: String, _ body: () throws(DecodeError) -> Key
    ) throws(KeyError) -> Key {
        do throws(DecodeError) { return try body() } catch {
            throw KeyError("malformed", part: part, error.message)
        }
    }
}
