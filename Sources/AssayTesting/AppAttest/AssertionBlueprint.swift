/// An assertion to mint. The initial values are those of a genuine device; change any part before minting.
public struct AssertionBlueprint: Sendable {
    /// The signed input and the signature encoding.
    package enum SignatureForm: Sendable {
        /// Genuine: the nonce is the message, DER, s unchanged.
        case genuine
        /// Genuine with a high s, as in about half of all assertions.
        case highS
        /// Genuine with a low s.
        case lowS
        /// The nonce is the digest and is not hashed again. Verifiers must reject this.
        case nonceAsDigest
        /// r followed by s instead of DER. Verifiers must reject this.
        case concatenated
        /// The genuine signature in a custom encoding.
        case written(@Sendable (ECDSASignature) -> [UInt8])
    }

    package var key: AttestedKey
    /// The input of `generateAssertion`.
    package var clientData: AppAttestClientData
    /// The authenticator data.
    public var authenticatorData: AuthenticatorDataBlueprint
    /// A last change to the encoded authenticator data, before signing.
    package var changeAuthenticatorData: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    package var signature = SignatureForm.genuine
    /// A last change to the assertion before it is encoded.
    package var changeObject: @Sendable (inout CBORItem) -> Void = { _ in }
    /// A last change to the encoded assertion.
    package var changeEncoded: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// Creates the blueprint of a genuine assertion. `counter` is 1 for the first assertion of a key.
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
            // SHA-256 of this message is the nonce.
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
