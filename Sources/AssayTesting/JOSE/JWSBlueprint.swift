import Crypto

/// A compact JWS (RFC 7515 section 7.1) to mint. The initial values are valid; change any part before minting.
package struct JWSBlueprint: Sendable {
    /// The signing key. It is independent of the header.
    package enum Signer: Sendable {
        /// ECDSA with SHA-256 (RFC 7518 section 3.4), with a key on P-256.
        case es256(TestKey)
        /// HMAC with SHA-256 (RFC 7518 section 3.2). The secret may have any length.
        case hs256([UInt8])
        /// HMAC with SHA-384.
        case hs384([UInt8])
        /// HMAC with SHA-512.
        case hs512([UInt8])
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3).
        case rs256(RSATestKey)
        /// No key: the signature is empty (RFC 7518 section 3.6).
        case none
    }

    package var header: JSONItem
    /// The encoded payload.
    package var payload: [UInt8]
    package var signer: Signer
    /// A last change to the encoded header, before signing.
    package var changeHeader: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// The encoding of an ECDSA signature. The standard demands r followed by s.
    package var writeSignature: @Sendable (ECDSASignature) -> [UInt8] = { $0.concatenated }
    /// A last change to the signature's bytes.
    package var changeSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A change to the three base64url texts, after signing.
    package var changeParts: @Sendable (inout [String]) -> Void = { _ in }

    /// Creates the blueprint of a valid JWS. The header names the signer's algorithm.
    package init(payload: [UInt8], signer: Signer) {
        self.payload = payload
        self.signer = signer
        header = ["alg": .text(signer.algorithm)]
    }

    package func mint() throws(MintingError) -> String {
        let protected = Base64URL.text(changeHeader(header.encoded))
        let body = Base64URL.text(payload)
        let message = Array("\(protected).\(body)".utf8)
        let signature: [UInt8] =
            switch signer {
            case .es256(let key): writeSignature(try key.signature(over: message))
            case .hs256(let secret):
                Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
            case .hs384(let secret):
                Array(HMAC<SHA384>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
            case .hs512(let secret):
                Array(HMAC<SHA512>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
            case .rs256(let key): try key.signature(over: message)
            case .none: []
            }
        var parts = [protected, body, Base64URL.text(changeSignature(signature))]
        changeParts(&parts)
        return parts.joined(separator: ".")
    }
}

extension JWSBlueprint.Signer {
    /// The name of the algorithm (RFC 7518 section 3.1).
    package var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .hs256: "HS256"
        case .hs384: "HS384"
        case .hs512: "HS512"
        case .rs256: "RS256"
        case .none: "none"
        }
    }
}
