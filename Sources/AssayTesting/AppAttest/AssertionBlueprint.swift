/// An assertion to be minted. As initialised it is what a genuine device sends; every part can be changed first.
public struct AssertionBlueprint: Sendable {
    /// What is signed, and how the signature is written.
    package enum SignatureForm: Sendable {
        /// Genuine: over the nonce as message, in DER, s as it comes.
        case genuine
        /// Genuine with a high s, as about every second one.
        case highS
        /// Genuine with a low s.
        case lowS
        /// Over the nonce as digest, as if it were not to be hashed once more: to be refused.
        case nonceAsDigest
        /// r and s, one after the other, instead of DER: to be refused.
        case concatenated
        /// The genuine signature, written by any other rule.
        case written(@Sendable (ECDSASignature) -> [UInt8])
    }

    /// The key that signs.
    package var key: AttestedKey
    /// What the app hands to `generateAssertion`.
    package var clientData: AppAttestClientData
    /// The authenticator data.
    public var authenticatorData: AuthenticatorDataBlueprint
    /// A last change to the encoded authenticator data. It is the result that is signed.
    package var changeAuthenticatorData: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// The signature.
    package var signature = SignatureForm.genuine
    /// A last change to the assertion before it is encoded.
    package var changeObject: @Sendable (inout CBORItem) -> Void = { _ in }
    /// A last change to the encoded assertion.
    package var changeEncoded: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// The blueprint of a genuine assertion.
    ///
    /// - Parameters:
    ///   - counter: The first assertion of a key has 1.
    ///   - extensions: Those of the authenticator data, since iOS and macOS 27.
    public init(
        key: AttestedKey, appID: String, counter: UInt32, clientData: AppAttestClientData,
        extensions: AppAttestExtensions = .none
    ) {
        self.key = key
        self.clientData = clientData
        authenticatorData = AuthenticatorDataBlueprint(
            assertingFor: appID, counter: counter, extensions: extensions)
    }

    /// Mints the assertion.
    public func mint() throws(MintingError) -> MintedAssertion {
        let authenticatorData = changeAuthenticatorData(authenticatorData.encoded)
        let signed = authenticatorData + clientData.hash
        let genuine = try key.key.signature(over: sha256(signed))
        let signature =
            switch self.signature {
            case .genuine: genuine.der
            case .highS: genuine.withHighS.der
            case .lowS: genuine.withLowS.der
            // The digest of this message is the nonce.
            case .nonceAsDigest: try key.key.signature(over: signed).der
            case .concatenated: genuine.concatenated
            case .written(let write): write(genuine)
            }
        var object = CBORItem.map(text: [
            ("signature", .bytes(signature)), ("authenticatorData", .bytes(authenticatorData)),
        ])
        changeObject(&object)
        return MintedAssertion(
            keyID: key.keyID, publicPoint: key.publicPoint, clientData: clientData,
            assertion: changeEncoded(object.encoded), authenticatorData: authenticatorData, signature: signature)
    }
}
