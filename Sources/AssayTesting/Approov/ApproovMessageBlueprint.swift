package import AssayHTTPSignatures
import AssayPrimitives
public import FoundationEssentials

/// A signed HTTP request to mint, as Approov's SDKs sign it (RFC 9421). The initial values are genuine. Change any part
/// before minting, or change the minted request.
///
///     var blueprint = ApproovMessageBlueprint(
///         method: "POST", targetURI: "https://api.example.com/v1/items?a=1", token: minted.token,
///         signer: .installation(keys.installationKey), createdAt: Date())
///     blueprint.body = Array(#"{"hello":"world"}"#.utf8)
///     var message = try blueprint.mint()      // message.fields, message.record(id:).jsonLine
///     message.method = "PUT"                  // the server must reject this
public struct ApproovMessageBlueprint: Sendable {
    /// The signing key. It is independent of the signature parameters.
    public enum Signer: Sendable {
        /// The installation's key on P-256: label `install`, `ecdsa-p256-sha256`.
        case installation(TestKey)
        /// The account's message key: label `account`, `hmac-sha256`.
        case account([UInt8])
    }

    /// The method.
    package var method: String
    /// The target URI.
    package var targetURI: String
    /// The fields before those of the signature, including the token field.
    package var fields: [HTTPMessageParts.Field]
    /// The body. An empty body gets no digest.
    public var body: [UInt8] = []
    /// The algorithms of the field `Content-Digest`.
    package var digests: [ContentDigest.Algorithm] = [.sha256]
    /// Replaces the value of `Content-Digest`; empty omits the field; nil for the digests of the body.
    package var contentDigest: String?
    /// The signing key.
    package var signer: Signer
    /// The label of the signature.
    package var label: String
    /// The covered components; nil for the method, the target URI, the token, and those of `authorization`,
    /// `content-length`, `content-type` and `content-digest` that are present.
    package var components: [SignatureComponent]?
    /// The signature parameters in order.
    package var parameters: [StructuredParameter]
    /// The signed target URI if it differs from the request's, such as one with its fragment.
    package var signedTargetURI: String?
    /// The rules of the signature base.
    package var rules = SignatureBaseRules()
    /// A last change to the signature base, before signing.
    package var changeBase: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// The encoding of an ECDSA signature. The standard demands r followed by s.
    package var writeSignature: @Sendable (ECDSASignature) -> [UInt8] = { $0.concatenated }
    /// A last change to the signature's bytes.
    package var changeSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A change to the value of `Signature-Input`, after signing.
    package var changeInputField: @Sendable (String) -> String = { $0 }
    /// A change to the value of `Signature`.
    package var changeSignatureField: @Sendable (String) -> String = { $0 }

    /// The validity of signatures by Approov's SDKs, in seconds.
    package static let lifetime: Int64 = 15

    /// Creates the blueprint of a genuine request without a body. `createdAt` is the time of signing, in whole seconds.
    public init(method: String, targetURI: String, token: String, signer: Signer, createdAt: Date) {
        self.method = method
        self.targetURI = targetURI
        self.signer = signer
        fields = [HTTPMessageParts.Field("Approov-Token", token)]
        label = signer.label
        let created = Int64(createdAt.timeIntervalSince1970.rounded(.down))
        parameters = [
            StructuredParameter("alg", .string(signer.algorithm)), StructuredParameter("created", .integer(created)),
            StructuredParameter("expires", .integer(created + Self.lifetime)),
        ]
    }

    /// A signature parameter; nil if absent. Setting nil removes it.
    package subscript(parameter name: String) -> StructuredBareItem? {
        get { parameters.first { $0.key == name }?.value }
        set {
            let index = parameters.firstIndex { $0.key == name }
            switch (index, newValue) {
            case (let index?, let value?): parameters[index] = StructuredParameter(name, value)
            case (let index?, nil): parameters.remove(at: index)
            case (nil, let value?): parameters.append(StructuredParameter(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Mints the request; throws ``MintingError`` if the components cannot be signed, as for an absent field.
    public func mint() throws(MintingError) -> MintedApproovMessage {
        var fields = fields
        let digest = if let contentDigest { contentDigest } else { try digestField }
        if !digest.isEmpty { fields.append(HTTPMessageParts.Field("Content-Digest", digest)) }
        let parts = HTTPMessageParts(method: method, targetURI: signedTargetURI ?? targetURI, fields: fields)
        let input = try doing("the parameters cannot be written") { () throws in
            try SignatureInput(
                label: label, components: components ?? standardComponents(fields), parameters: parameters)
        }
        let base = try doing("there is no signature base") { () throws in
            changeBase(try SignatureBase.build(for: input, of: parts, rules: rules))
        }
        let signature: [UInt8] =
            switch signer {
            case .installation(let key): writeSignature(try key.signature(over: base))
            case .account(let secret): HMAC.sha256(key: secret, base)
            }
        let (inputField, signatureField) = try doing("the fields cannot be written") { () throws in
            (
                try SignatureInputField([input]).write(),
                try SignatureField([SignatureField.Entry(label, changeSignature(signature))]).write()
            )
        }
        fields += [
            HTTPMessageParts.Field("Signature-Input", changeInputField(String(decoding: inputField, as: UTF8.self))),
            HTTPMessageParts.Field("Signature", changeSignatureField(String(decoding: signatureField, as: UTF8.self))),
        ]
        return MintedApproovMessage(
            method: method, targetURI: targetURI, fields: fields, body: body, signatureBase: base)
    }

    private var digestField: String {
        get throws(MintingError) {
            guard !body.isEmpty else { return "" }
            let entries = ContentDigest(of: body[...], digests).values.map {
                StructuredDictionary.Entry(
                    $0.algorithm.rawValue, .item(StructuredItem(.byteSequence($0.digest))))
            }
            return try doing("the digests cannot be written") { () throws in
                String(decoding: try StructuredFieldWriter.write(StructuredDictionary(entries)), as: UTF8.self)
            }
        }
    }

    private func standardComponents(_ fields: [HTTPMessageParts.Field]) -> [SignatureComponent] {
        let names = Set(fields.map { $0.name.lowercased() })
        let optional = ["authorization", "content-length", "content-type", "content-digest"].filter(names.contains)
        return (["@method", "@target-uri", "approov-token"] + optional).map { SignatureComponent($0) }
    }

    private func doing<Result>(_ what: String, _ body: () throws -> Result) throws(MintingError) -> Result {
        do {
            return try body()
        } catch {
            throw MintingError("\(what): \(error)")
        }
    }
}

extension ApproovMessageBlueprint.Signer {
    /// The signature label that Approov's SDKs use.
    package var label: String {
        switch self {
        case .installation: "install"
        case .account: "account"
        }
    }

    /// The name of the algorithm (RFC 9421 section 6.2).
    package var algorithm: String {
        switch self {
        case .installation: "ecdsa-p256-sha256"
        case .account: "hmac-sha256"
        }
    }
}
