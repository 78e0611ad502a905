import Crypto

/// An Approov token to mint. The initial values are genuine; change any part before minting.
///
///     let keys = try ApproovTestKeys()
///     var blueprint = ApproovTokenBlueprint(
///         keys: keys, claims: ApproovClaimsBlueprint(expiresAt: Date(timeIntervalSinceNow: 300)))
///     blueprint.claims.bind(to: ["Bearer myauth_token"])
///     blueprint.form = .encrypted
///     let minted = try blueprint.mint()       // minted.token, minted.loggable, minted.record(id:).jsonLine
public struct ApproovTokenBlueprint: Sendable {
    /// The form of the token. Approov fixes it for each API.
    public enum Form: Sendable {
        /// Signed with the account's secret: HS256.
        case signed
        /// Signed with the account's P-256 key: ES256.
        case signedES256
        /// Signed with the account's RSA key: RS256.
        case signedRS256
        /// Encrypted with SHA-256 of the account's secret: A256GCMKW and A256GCM.
        case encrypted
    }

    /// The keys that sign and encrypt.
    package var keys: ApproovTestKeys
    /// The claims.
    public var claims: ApproovClaimsBlueprint
    /// The form.
    public var form = Form.signed
    /// The key ID in the header; nil for none.
    public var keyID: String?
    /// A last change to the encoded claims, before signing or encryption.
    package var changeClaims: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the JWS.
    package var changeSigned: @Sendable (inout JWSBlueprint) -> Void = { _ in }
    /// A last change to the JWE.
    package var changeEncrypted: @Sendable (inout JWEBlueprint) -> Void = { _ in }
    /// A last change to the token's text.
    package var changeToken: @Sendable (String) -> String = { $0 }
    /// The content key of an encrypted token, 32 bytes; nil for a random one.
    package var contentKey: [UInt8]?
    /// The IVs of an encrypted token, 12 bytes each, for the key and for the content; nil for random ones.
    package var initializationVectors: (key: [UInt8], content: [UInt8])?

    /// Creates the blueprint of a genuine token.
    public init(keys: ApproovTestKeys, claims: ApproovClaimsBlueprint) {
        self.keys = keys
        self.claims = claims
    }

    /// The token of an app that fails attestation: signed or encrypted with a secret other than the account's.
    public func rejected() -> ApproovTokenBlueprint {
        var blueprint = self
        blueprint.keys.secret = sha256(keys.secret) + sha256(sha256(keys.secret))
        blueprint.keys.signingKey = keys.installationKey
        guard case .signedRS256 = form else { return blueprint }
        blueprint.changeSigned = { signed in
            changeSigned(&signed)
            let change = signed.changeSignature
            signed.changeSignature = { change($0).map { $0 ^ 0x5A } }
        }
        return blueprint
    }

    /// Mints the token.
    public func mint() throws(MintingError) -> MintedApproovToken {
        let claims = changeClaims(self.claims.encoded)
        let token: String
        switch form {
        case .signed: token = try sign(claims, .hs256(keys.secret))
        case .signedES256: token = try sign(claims, .es256(keys.signingKey))
        case .signedRS256: token = try sign(claims, .rs256(keys.rsaKey))
        case .encrypted: token = try encrypt(claims)
        }
        return MintedApproovToken(
            token: changeToken(token), claims: claims,
            loggableForm: try ApproovLoggableForm(self.claims, secret: keys.secret))
    }

    private func sign(_ claims: [UInt8], _ signer: JWSBlueprint.Signer) throws(MintingError) -> String {
        var signed = JWSBlueprint(payload: claims, signer: signer)
        signed.header["typ"] = "JWT"
        signed.header["kid"] = keyID.map { .text($0) }
        changeSigned(&signed)
        return try signed.mint()
    }

    private func encrypt(_ claims: [UInt8]) throws(MintingError) -> String {
        var encrypted = JWEBlueprint(
            plaintext: claims,
            keyManagement: .gcmKeyWrap(
                keys.encryptionKey, initializationVector: initializationVectors?.key ?? Array(AES.GCM.Nonce())),
            contentKey: contentKey, initializationVector: initializationVectors?.content)
        encrypted.header["kid"] = keyID.map { .text($0) }
        changeEncrypted(&encrypted)
        return try encrypted.mint()
    }
}
