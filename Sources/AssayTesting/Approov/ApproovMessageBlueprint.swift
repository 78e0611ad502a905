package import AssayCore
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

    package var method: String
    package var targetURI: String
    /// The fields before those of the signature, including the token field.
    package var fields: [HTTPMessageParts.Field]
    /// The body. An empty body gets no digest.
    public var body: [UInt8] = []
    /// The algorithms of the field `Content-Digest`.
    package var digests: [ContentDigest.Algorithm] = [.sha256]
    /// Replaces the value of `Content-Digest`; empty omits the field; nil for the digests of the body.
    package var contentDigest: String?
    package var signer: Signer
    /// The signature. By default it covers the method, the target URI, the token, and those of `authorization`,
    /// `content-length`, `content-type` and `content-digest` that are present.
    package var signing: RequestSigning
    /// The signed target URI if it differs from the request's, such as one with its fragment.
    package var signedTargetURI: String?
    /// The encoding of an ECDSA signature. The standard demands r followed by s.
    package var writeSignature: @Sendable (ECDSASignature) -> [UInt8] = { $0.concatenated }
    /// The validity of signatures by Approov's SDKs, in seconds.
    package static let lifetime: Int64 = 15

    /// Creates the blueprint of a genuine request without a body. `createdAt` is the time of signing, in whole seconds.
    public init(method: String, targetURI: String, token: String, signer: Signer, createdAt: Date) {
        (self.method, self.targetURI, self.signer) = (method, targetURI, signer)
        fields = [HTTPMessageParts.Field("Approov-Token", token)]
        let created = Int64(createdAt.timeIntervalSince1970.rounded(.down))
        signing = RequestSigning(
            label: signer.label,
            parameters: [
                StructuredParameter("alg", .string(signer.algorithm)),
                StructuredParameter("created", .integer(created)),
                StructuredParameter("expires", .integer(created + Self.lifetime)),
            ])
    }

    /// Mints the request; throws ``MintingError`` if the components cannot be signed, as for an absent field.
    public func mint() throws(MintingError) -> MintedApproovMessage {
        var fields = fields
        let digest = if let contentDigest { contentDigest } else { try RequestSigning.contentDigest(of: body, digests) }
        if !digest.isEmpty { fields.append(HTTPMessageParts.Field("Content-Digest", digest)) }
        let parts = HTTPMessageParts(method: method, targetURI: signedTargetURI ?? targetURI, fields: fields)
        let (signature, base) = try signing.sign(parts, covering: standardComponents(fields)) {
            (base) throws(MintingError) in
            switch signer {
            case .installation(let key): writeSignature(try key.signature(over: base))
            case .account(let secret): HMAC.sha256(key: secret, base)
            }
        }
        return MintedApproovMessage(
            kind: EvidenceKind("approov.message"), method: method, targetURI: targetURI, fields: fields + signature,
            body: body, signatureBase: base)
    }

    private func standardComponents(_ fields: [HTTPMessageParts.Field]) -> [String] {
        let names = Set(fields.map { $0.name.lowercased() })
        let optional = ["authorization", "content-length", "content-type", "content-digest"].filter(names.contains)
        return ["@method", "@target-uri", "approov-token"] + optional
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
