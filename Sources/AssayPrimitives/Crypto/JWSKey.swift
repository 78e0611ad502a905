/// A key that verifies JWSs (RFC 7515) with one algorithm.
package struct JWSKey: Sendable {
    private enum Kind: Sendable {
        case es256(ECDSAPublicKey)
        case rs256(RSAPublicKey)
        case hs256(HMACSHA256Key)
    }

    /// The minimum length of an HS256 key in bytes (RFC 7518 section 3.2).
    package static let hs256KeyLength = 32

    private let kind: Kind

    /// A key for ES256: ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4).
    /// - Throws: ``DecodeError`` for a key of another curve.
    package static func es256(_ key: ECDSAPublicKey) throws(DecodeError) -> JWSKey {
        guard key.curve == .p256 else {
            throw DecodeError(.unexpectedValue, at: 0, "ES256 needs a P-256 key, found one of \(key.curve)")
        }
        return JWSKey(kind: .es256(key))
    }

    /// A key for RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3).
    package static func rs256(_ key: RSAPublicKey) -> JWSKey { JWSKey(kind: .rs256(key)) }

    /// A key for HS256: HMAC with SHA-256 (RFC 7518 section 3.2).
    /// - Throws: ``DecodeError`` for a key of less than 32 bytes.
    package static func hs256(_ key: SecretBytes) throws(DecodeError) -> JWSKey {
        guard key.count >= hs256KeyLength else {
            throw DecodeError(
                .unexpectedLength, at: 0, "HS256 needs a key of at least \(hs256KeyLength) bytes, found \(key.count)")
        }
        return JWSKey(kind: .hs256(HMACSHA256Key(key)))
    }

    /// The only allowed `alg` of a header.
    package var algorithm: String {
        switch kind {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .hs256: "HS256"
        }
    }

    /// Whether the key is a shared secret.
    package var isSymmetric: Bool {
        if case .hs256 = kind { true } else { false }
    }

    /// The key of ES256; nil for another algorithm.
    package var p256: ECDSAPublicKey? {
        if case .es256(let key) = kind { key } else { nil }
    }

    /// Verifies the signature or MAC over header and payload. Checks the algorithm and the signature length first.
    /// - Throws: ``JOSEError``.
    package func verify(_ jws: CompactJWS) throws(JOSEError) {
        try JOSEError.requireAlgorithm(algorithm, of: "alg", found: jws.header.algorithm)
        let isValid: Bool
        switch kind {
        case .es256(let key):
            try JOSEError.requireLength(64, of: "signature", jws.signature)
            isValid = key.isValidSignature(p1363: jws.signature, for: jws.signingInput, digest: .sha256)
        case .rs256(let key):
            try JOSEError.requireLength(key.modulusLength, of: "signature", jws.signature)
            isValid = key.verifyPKCS1SHA256(jws.signature, for: jws.signingInput)
        case .hs256(let key):
            try JOSEError.requireLength(HMACSHA256Key.codeLength, of: "signature", jws.signature)
            isValid = key.isValid(jws.signature, for: jws.signingInput)
        }
        guard isValid else {
            throw JOSEError(.signatureInvalid, "header and payload were not signed with this key, or were changed")
        }
        if !jws.isHeaderRemembered { JOSEHeaderMemo.shared.remember(jws.header, of: jws.headerText) }
    }
}
