package import AssayHTTPSignatures
import AssayPrimitives
public import FoundationEssentials

/// A signed HTTP request to be minted, as the SDKs of Approov sign it (RFC 9421). As initialised it is a genuine one; every
/// part can be changed first, and what was minted can be changed afterwards.
///
///     var blueprint = ApproovMessageBlueprint(
///         method: "POST", targetURI: "https://api.example.com/v1/items?a=1", token: minted.token,
///         signer: .installation(keys.installationKey), createdAt: Date())
///     blueprint.body = Array(#"{"hello":"world"}"#.utf8)
///     var message = try blueprint.mint()      // message.fields, message.record(id:).jsonLine
///     message.method = "PUT"                  // what the server must refuse
public struct ApproovMessageBlueprint: Sendable {
    /// What signs, whatever the parameters say.
    public enum Signer: Sendable {
        /// The key of an installation, on P-256: label `install`, `ecdsa-p256-sha256`.
        case installation(TestKey)
        /// The message key of the account: label `account`, `hmac-sha256`.
        case account([UInt8])
    }

    /// The method.
    package var method: String
    /// The target URI.
    package var targetURI: String
    /// The fields in front of those of the signature, among them the one with the token.
    package var fields: [HTTPMessageParts.Field]
    /// The body; without one, no digest is added.
    public var body: [UInt8] = []
    /// The digests of the body that the field `Content-Digest` gets.
    package var digests: [ContentDigest.Algorithm] = [.sha256]
    /// The value of `Content-Digest`, where it is to be another than the digests of the body; empty for no such field.
    package var contentDigest: String?
    /// What signs.
    package var signer: Signer
    /// The label of the signature.
    package var label: String
    /// What the signature covers; nil for the method, the target URI, the token, and those of `authorization`,
    /// `content-length`, `content-type` and `content-digest` that are there.
    package var components: [SignatureComponent]?
    /// The parameters of the signature, in their order.
    package var parameters: [StructuredParameter]
    /// The target URI that is signed, where it is not the one of the request, such as one with its fragment.
    package var signedTargetURI: String?
    /// The rules of the signature base.
    package var rules = SignatureBaseRules()
    /// A last change to the signature base. It is the result that is signed.
    package var changeBase: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// How an ECDSA signature is written: as r and s one after the other, where the standard is kept.
    package var writeSignature: @Sendable (ECDSASignature) -> [UInt8] = { $0.concatenated }
    /// A last change to the signature's bytes.
    package var changeSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the value of `Signature-Input`, after signing.
    package var changeInputField: @Sendable (String) -> String = { $0 }
    /// A last change to the value of `Signature`.
    package var changeSignatureField: @Sendable (String) -> String = { $0 }

    /// How long signatures of Approov's SDKs are valid, in seconds.
    package static let lifetime: Int64 = 15

    /// The blueprint of a genuine request without a body.
    ///
    /// - Parameters:
    ///   - token: what stands in the field `Approov-Token`.
    ///   - createdAt: when it is signed, to the second.
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

    /// A parameter of the signature: nil when it is not there. Setting nil leaves it out.
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

    /// Mints the request.
    ///
    /// - Throws: ``MintingError`` when the components cannot be signed, such as a field that is not there.
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
    /// The label that Approov's SDKs give the signature.
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
