public import AssayCore
public import FoundationEssentials

/// An attestation to mint. The initial values are those of a genuine device; change any part before minting.
public struct AttestationBlueprint: Sendable {
    /// The source of the receipt.
    package enum ReceiptSource: Sendable {
        /// No `receipt` in the statement.
        case none
        /// Unchanged bytes, such as the receipt of another attestation.
        case bytes([UInt8])
        /// A receipt for this attestation, after a change to its blueprint.
        case minted(@Sendable (inout ReceiptBlueprint) -> Void)
    }

    /// The authority that issues leaf and receipt.
    package let authority: TestAuthority
    package let key: AttestedKey
    /// The App ID: team identifier, a dot, bundle identifier.
    package let appID: String
    /// The environment. The authenticator data has its own copy of the AAGUID.
    package let environment: AttestEnvironment
    /// The input of `attestKey`.
    package let clientData: AppAttestClientData
    package let issuedAt: Date

    /// The authenticator data.
    public var authenticatorData: AuthenticatorDataBlueprint
    /// A last change to the encoded authenticator data, before the nonce is computed.
    package var changeAuthenticatorData: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A change to the nonce in the leaf.
    package var changeNonce: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    package var leaf: LeafBlueprint
    /// The issuer of the leaf: its name and its key.
    package var issuer: TestIssuer
    /// Changes the certificates of the statement. The argument is the genuine list: leaf, intermediate.
    package var changeCertificates: @Sendable (_ certificates: [[UInt8]]) -> [[UInt8]] = { $0 }
    package var receipt = ReceiptSource.minted { _ in }
    /// A last change to the attestation object before it is encoded.
    package var changeObject: @Sendable (inout CBORItem) -> Void = { _ in }
    /// A last change to the encoded attestation object.
    package var changeEncoded: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// Creates the blueprint of a genuine attestation.
    ///
    /// - Parameter extensions: Nil for those that the device sends: none before iOS and macOS 27, then bundle version
    ///   1.2 from the App Store.
    public init(
        authority: TestAuthority, key: AttestedKey = AttestedKey(), appID: String,
        environment: AttestEnvironment = .production, device: AppAttestDevice = .iOS26,
        extensions: AppAttestExtensions? = nil, clientData: AppAttestClientData, issuedAt: Date
    ) {
        (self.authority, self.key, self.appID) = (authority, key, appID)
        (self.environment, self.clientData, self.issuedAt) = (environment, clientData, issuedAt)
        let genuine = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        authenticatorData = AuthenticatorDataBlueprint(
            attesting: key, appID: appID, environment: environment,
            extensions: extensions ?? (device.hasExtensions ? genuine : .none))
        leaf = LeafBlueprint(
            key: key, appID: appID, device: device, issuedAt: issuedAt, organization: authority.organization)
        issuer = authority.attestationAuthority
    }

    /// Mints the attestation.
    public func mint() throws(MintingError) -> MintedAttestation {
        let authenticatorData = changeAuthenticatorData(authenticatorData.encoded)
        let nonce = changeNonce(sha256(authenticatorData + clientData.hash))
        let certificate = try leaf.certificate(nonce: nonce, issuer: issuer)
        let certificates = changeCertificates([certificate, issuer.certificate])

        let receipt: [UInt8]?
        switch self.receipt {
        case .none:
            receipt = nil
        case .bytes(let bytes):
            receipt = bytes
        case .minted(let change):
            var blueprint = ReceiptBlueprint(
                authority: authority, appID: appID, certificate: certificate, clientDataHash: clientData.hash,
                environment: environment, createdAt: issuedAt)
            change(&blueprint)
            receipt = try blueprint.mint()
        }

        var statement: [(String, CBORItem)] = [("x5c", .array(certificates.map { .bytes($0) }))]
        if let receipt { statement.append(("receipt", .bytes(receipt))) }
        var object = CBORItem.map(text: [
            ("fmt", .text("apple-appattest")), ("attStmt", .map(text: statement)),
            ("authData", .bytes(authenticatorData)),
        ])
        changeObject(&object)
        return MintedAttestation(
            keyID: key.keyID, publicPoint: key.publicPoint, clientData: clientData,
            attestation: changeEncoded(object.encoded), authenticatorData: authenticatorData,
            certificates: certificates, receipt: receipt, mintedAt: issuedAt)
    }
}

/// The input from which an app gets the client data hash for `attestKey` or `generateAssertion`.
public enum AppAttestClientData: Sendable, Equatable {
    /// A challenge or other client data. The app passes its SHA-256.
    case bytes([UInt8])
    /// Bytes that the app passes unchanged. Genuine apps pass 32 bytes; Apple's samples pass the raw challenge.
    case hash([UInt8])

    /// The bytes that enter the nonce.
    package var hash: [UInt8] {
        switch self {
        case .bytes(let bytes): sha256(bytes)
        case .hash(let hash): hash
        }
    }
}
