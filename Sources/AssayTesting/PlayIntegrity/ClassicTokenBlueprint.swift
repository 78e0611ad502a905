public import FoundationEssentials

/// A classic integrity token to mint: a payload in a JWS in a JWE. Initially genuine; change any part before minting.
///
///     let keys = PlayIntegrityTestKeys()
///     var blueprint = ClassicTokenBlueprint(
///         keys: keys, packageName: "com.example.shop", nonce: nonce, certificateDigests: [digest], issuedAt: Date())
///     blueprint.payload["deviceIntegrity.deviceAttributes.sdkVersion"] = 30
///     blueprint.changeSigned = { $0.header = ["alg": "none"] }       // the server must reject this
///     let minted = try blueprint.mint()       // minted.token, minted.record(id:).jsonLine
public struct ClassicTokenBlueprint: Sendable {
    /// The keys that sign and encrypt.
    package var keys: PlayIntegrityTestKeys
    /// The payload.
    public var payload: PlayIntegrityPayloadBlueprint
    /// A last change to the encoded payload, before signing.
    package var changePayload: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the JWS, after the payload is encoded.
    package var changeSigned: @Sendable (inout JWSBlueprint) -> Void = { _ in }
    /// A last change to the plaintext of the JWE: the bytes of the JWS.
    package var changePlaintext: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the JWE. Its plaintext is the JWS.
    package var changeEncrypted: @Sendable (inout JWEBlueprint) -> Void = { _ in }
    /// A last change to the token's text.
    package var changeToken: @Sendable (String) -> String = { $0 }
    /// The content key, 32 bytes; nil for a random one.
    package var contentKey: [UInt8]?
    /// The IV, 12 bytes; nil for a random one.
    package var initializationVector: [UInt8]?

    private let packageName: String
    private let nonce: [UInt8]
    private let issuedAt: Date

    /// Creates the blueprint of a genuine token.
    ///
    /// - Parameters:
    ///   - nonce: The decoded bytes of the app's nonce.
    ///   - certificateDigests: SHA-256 digests of the app's signing certificates, 32 bytes each.
    ///   - issuedAt: The time of the request, in whole milliseconds.
    public init(
        keys: PlayIntegrityTestKeys, packageName: String, nonce: [UInt8], certificateDigests: [[UInt8]],
        versionCode: Int64 = 42, issuedAt: Date
    ) {
        (self.keys, self.packageName, self.nonce, self.issuedAt) = (keys, packageName, nonce, issuedAt)
        payload = PlayIntegrityPayloadBlueprint(
            classic: nonce, packageName: packageName, certificateDigests: certificateDigests,
            versionCode: versionCode, issuedAt: issuedAt)
    }

    /// Mints the token.
    public func mint() throws(MintingError) -> MintedClassicToken {
        let payload = changePayload(payload.encoded)
        var signed = JWSBlueprint(payload: payload, signer: .es256(keys.signingKey))
        changeSigned(&signed)
        var encrypted = JWEBlueprint(
            plaintext: changePlaintext(Array(try signed.mint().utf8)), keyManagement: .keyWrap(keys.decryptionKey),
            contentKey: contentKey, initializationVector: initializationVector)
        changeEncrypted(&encrypted)
        return MintedClassicToken(
            token: changeToken(try encrypted.mint()), packageName: packageName, nonce: nonce, payload: payload,
            mintedAt: issuedAt)
    }
}
