package import AssayCore

/// A key that decrypts JWEs (RFC 7516) with one key-encryption algorithm. The content encryption is always A256GCM.
package struct JWEKey: Sendable {
    private enum Kind: Sendable {
        case keyWrap
        case gcmKeyWrap
    }

    private static let contentEncryption = "A256GCM"

    private let kind: Kind
    private let key: SecretBytes

    /// A key for A256KW: AES key wrap (RFC 7518 section 4.4).
    /// - Throws: ``DecodeError`` unless the key has 32 bytes.
    package static func a256KW(_ key: SecretBytes) throws(DecodeError) -> JWEKey { try JWEKey(.keyWrap, key) }

    /// A key for A256GCMKW: key encryption with AES-GCM (RFC 7518 section 4.7).
    /// - Throws: ``DecodeError`` unless the key has 32 bytes.
    package static func a256GCMKW(_ key: SecretBytes) throws(DecodeError) -> JWEKey { try JWEKey(.gcmKeyWrap, key) }

    private init(_ kind: Kind, _ key: SecretBytes) throws(DecodeError) {
        guard key.count == AESGCM.keyLength else {
            throw DecodeError(
                .unexpectedLength, at: 0, "the key has \(key.count) bytes, expected \(AESGCM.keyLength)")
        }
        self.kind = kind
        self.key = key
    }

    /// The only allowed `alg` of a header.
    package var algorithm: String {
        switch kind {
        case .keyWrap: "A256KW"
        case .gcmKeyWrap: "A256GCMKW"
        }
    }

    /// Decrypts a JWE. Checks algorithm names and lengths first; the header never selects the algorithm.
    /// - Returns: the plaintext, authenticated as encrypted by a holder of the key.
    /// - Throws: ``JOSEError``.
    package func decrypt(_ jwe: CompactJWE) throws(JOSEError) -> [UInt8] {
        try JOSEError.demandAlgorithm(algorithm, of: "alg", found: jwe.header.algorithm)
        try JOSEError.demandAlgorithm(JWEKey.contentEncryption, of: "enc", found: jwe.header.encryption ?? "")
        try JOSEError.demandLength(AESGCM.nonceLength, of: "initialization vector", jwe.initializationVector)
        try JOSEError.demandLength(AESGCM.tagLength, of: "authentication tag", jwe.tag)
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
        case .keyWrap:
            try JOSEError.demandLength(AESKeyWrap.wrappedKeyLength, of: "encrypted key", jwe.encryptedKey)
            return AESKeyWrap.unwrap(jwe.encryptedKey, key: key)
        case .gcmKeyWrap:
            try JOSEError.demandLength(AESGCM.keyLength, of: "encrypted key", jwe.encryptedKey)
            let nonce = try JWEKey.parameter("iv", AESGCM.nonceLength, in: jwe.header)
            let tag = try JWEKey.parameter("tag", AESGCM.tagLength, in: jwe.header)
            return AESGCM.openSecret(jwe.encryptedKey, tag: tag, key: key, nonce: nonce)
        }
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
        try JOSEError.demandLength(length, of: "\"\(name)\" of the header", bytes)
        return bytes
    }
}
