/// A key that decrypts JWEs (RFC 7516) with one key-encryption algorithm. The content encryption is always A256GCM.
package struct JWEKey: Sendable {
    private enum Kind: Sendable {
        case keyWrap(SecretBytes)
        case gcmKeyWrap(SecretBytes)
        case agreement(AgreementPrivateKey)
    }

    static let contentEncryption = "A256GCM"

    private let kind: Kind

    /// A key for A256KW: AES key wrap (RFC 7518 section 4.4).
    /// - Throws: ``DecodeError`` unless the key has 32 bytes.
    package static func a256KW(_ key: SecretBytes) throws(DecodeError) -> JWEKey {
        JWEKey(kind: .keyWrap(try requireLength(key)))
    }

    /// A key for A256GCMKW: key encryption with AES-GCM (RFC 7518 section 4.7).
    /// - Throws: ``DecodeError`` unless the key has 32 bytes.
    package static func a256GCMKW(_ key: SecretBytes) throws(DecodeError) -> JWEKey {
        JWEKey(kind: .gcmKeyWrap(try requireLength(key)))
    }

    /// A key for ECDH-ES: direct key agreement (RFC 7518 section 4.6) on P-256, without `apu` and `apv`.
    package static func ecdhES(_ key: AgreementPrivateKey) -> JWEKey { JWEKey(kind: .agreement(key)) }

    private init(kind: Kind) { self.kind = kind }

    private static func requireLength(_ key: SecretBytes) throws(DecodeError) -> SecretBytes {
        guard key.count == AESGCM.keyLength else {
            throw DecodeError(
                .unexpectedLength, at: 0, "the key has \(key.count) bytes, expected \(AESGCM.keyLength)")
        }
        return key
    }

    /// The only allowed `alg` of a header.
    package var algorithm: String {
        switch kind {
        case .keyWrap: "A256KW"
        case .gcmKeyWrap: "A256GCMKW"
        case .agreement: "ECDH-ES"
        }
    }

    /// Decrypts a JWE. Checks algorithm names and lengths first; the header never selects the algorithm.
    /// - Returns: the plaintext, authenticated as encrypted by a holder of the key; for ECDH-ES, of the public key.
    /// - Throws: ``JOSEError``.
    package func decrypt(_ jwe: CompactJWE) throws(JOSEError) -> [UInt8] {
        try JOSEError.requireAlgorithm(algorithm, of: "alg", found: jwe.header.algorithm)
        try JOSEError.requireAlgorithm(JWEKey.contentEncryption, of: "enc", found: jwe.header.encryption ?? "")
        try JOSEError.requireLength(AESGCM.nonceLength, of: "initialization vector", jwe.initializationVector)
        try JOSEError.requireLength(AESGCM.tagLength, of: "authentication tag", jwe.tag)
        guard let contentKey = try unwrap(jwe) else {
            throw JOSEError(.keyUnwrapFailed, "the encrypted key was not encrypted with this key, or was changed")
        }
        let plaintext = AESGCM.open(
            jwe.ciphertext, tag: jwe.tag, key: contentKey, nonce: jwe.initializationVector,
            additionalData: jwe.additionalData)
        guard let plaintext else {
            throw JOSEError(.decryptionFailed, "header, ciphertext and authentication tag do not belong together")
        }
        return plaintext
    }

    private func unwrap(_ jwe: CompactJWE) throws(JOSEError) -> SecretBytes? {
        switch kind {
        case .keyWrap(let key):
            try JOSEError.requireLength(AESKeyWrap.wrappedKeyLength, of: "encrypted key", jwe.encryptedKey)
            return AESKeyWrap.unwrap(jwe.encryptedKey, key: key)
        case .gcmKeyWrap(let key):
            try JOSEError.requireLength(AESGCM.keyLength, of: "encrypted key", jwe.encryptedKey)
            let nonce = try JWEKey.parameter("iv", AESGCM.nonceLength, in: jwe.header)
            let tag = try JWEKey.parameter("tag", AESGCM.tagLength, in: jwe.header)
            return AESGCM.openSecret(jwe.encryptedKey, tag: tag, key: key, nonce: nonce)
        case .agreement(let key):
            try JOSEError.requireLength(0, of: "encrypted key", jwe.encryptedKey)
            guard jwe.header.object["apu"] == nil, jwe.header.object["apv"] == nil else {
                throw JOSEError(.badParameter, "the header has \"apu\" or \"apv\", which are not allowed")
            }
            guard let secret = try? key.sharedSecret(with: JWEKey.ephemeralPoint(jwe.header)) else {
                throw JOSEError(
                    .badParameter,
                    "the \"epk\" of the header is not a key of P-256 with kty, crv, x and y and nothing else")
            }
            return ConcatKDF.derive(secret, algorithm: JWEKey.contentEncryption, length: AESGCM.keyLength)
        }
    }

    /// The point of `epk`: a JSON Web Key with exactly the members of a P-256 key (RFC 7518 section 6.2.1).
    private static func ephemeralPoint(_ header: JOSEHeader) throws(DecodeError) -> [UInt8] {
        let problem = DecodeError(.malformed, at: 0, field: "epk", "not the key of P-256 that ECDH-ES needs")
        guard case .object(let key)? = header.object["epk"]?.content, key.members.count == 4,
            case .text(let type)? = key["kty"]?.content, type.isByteEqual(to: "EC"),
            case .text(let curve)? = key["crv"]?.content, curve.isByteEqual(to: "P-256"),
            case .text(let x)? = key["x"]?.content, case .text(let y)? = key["y"]?.content
        else { throw problem }
        let (first, second) = (try Base64.decode(x, .url), try Base64.decode(y, .url))
        guard first.count == 32, second.count == 32 else { throw problem }
        return [0x04] + first + second
    }

    /// A header parameter of A256GCMKW: base64url of `length` bytes.
    private static func parameter(
        _ name: String, _ length: Int, in header: JOSEHeader
    ) throws(JOSEError) -> [UInt8] {
        guard case .text(let text) = header.object[name]?.content else {
            throw JOSEError(.badParameter, "the header has no \"\(name)\" that is a string")
        }
        guard let bytes = try? Base64.decode(text, .url) else {
            throw JOSEError(.badParameter, "the \"\(name)\" of the header is not base64url")
        }
        try JOSEError.requireLength(length, of: "\"\(name)\" of the header", bytes)
        return bytes
    }
}
