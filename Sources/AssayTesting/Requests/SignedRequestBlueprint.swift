package import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// A request to mint that carries evidence as its HTTP message signature (RFC 9421). The initial values are genuine. Change any
/// part before minting, or change the minted request.
///
///     let key = AttestedKey()
///     var blueprint = SignedRequestBlueprint(
///         method: "POST", targetURI: "https://api.example.com/v1/items?a=1",
///         evidence: .assertion(key, appID: "1234567890.com.example.shop", counter: 1), createdAt: Date())
///     blueprint.body = Array(#"{"hello":"world"}"#.utf8)
///     let request = try blueprint.mint()      // request.headers, request.record(id:receivedAt:).jsonLine
public struct SignedRequestBlueprint: Sendable {
    /// The value of the signature.
    public enum Evidence: Sendable {
        /// An assertion of a key, whose counter is 1 for its first assertion.
        case assertion(AttestedKey, appID: String, counter: UInt32)
        /// A standard integrity token, as text. Google's answer on it has ``MintedRequest/requestHash``.
        case integrityToken(String)
        /// The signature of a key that Android's key store attested.
        case androidKey(AndroidAttestedKey)
    }

    package var method: String
    package var targetURI: String
    /// The fields before those of the signature.
    package var fields: [HTTPMessageParts.Field] = []
    /// The body. An empty body gets no digest.
    public var body: [UInt8] = []
    /// The algorithms of the field `Content-Digest`.
    package var digests: [ContentDigest.Algorithm] = [.sha256]
    /// Replaces the value of `Content-Digest`; empty omits the field; nil for the digests of the body.
    package var contentDigest: String?
    /// The value of the signature.
    package var evidence: Evidence
    package var signing: RequestSigning
    /// A change to an assertion, before it is made.
    package var changeAssertion: @Sendable (inout AssertionBlueprint) -> Void = { _ in }

    /// Creates the blueprint of a genuine request without a body.
    ///
    /// - Parameters:
    ///   - nonce: a challenge of the ledger, as text; nil for none.
    ///   - createdAt: the time of signing, in whole seconds.
    public init(
        method: String, targetURI: String, evidence: Evidence, nonce: String? = nil, createdAt: Date
    ) {
        (self.method, self.targetURI, self.evidence) = (method, targetURI, evidence)
        var parameters = [
            StructuredParameter("created", .integer(Int64(createdAt.timeIntervalSince1970.rounded(.down))))
        ]
        if let nonce { parameters.append(StructuredParameter("nonce", .string(nonce))) }
        switch evidence {
        case .assertion(let key, _, _):
            parameters.append(StructuredParameter("keyid", .string(Base64.encode(key.keyID, .standard))))
            parameters.append(StructuredParameter("tag", .string("app-attest")))
        case .integrityToken:
            parameters.append(StructuredParameter("tag", .string("play-integrity")))
        case .androidKey(let key):
            parameters.append(StructuredParameter("alg", .string(key.signatureAlgorithmName)))
            parameters.append(StructuredParameter("keyid", .string(Base64.encode(key.keyID, .standard))))
            parameters.append(StructuredParameter("tag", .string("android-key")))
        }
        signing = RequestSigning(label: RequestRules.standardLabel, parameters: parameters)
    }

    /// Mints the request.
    ///
    /// - Throws: ``MintingError`` if the components cannot be signed, as for an absent field.
    public func mint() throws(MintingError) -> MintedRequest {
        var fields = fields
        let digest = if let contentDigest { contentDigest } else { try RequestSigning.contentDigest(of: body, digests) }
        if !digest.isEmpty { fields.append(HTTPMessageParts.Field("Content-Digest", digest)) }
        let parts = HTTPMessageParts(method: method, targetURI: targetURI, fields: fields)
        let (signature, base) = try signing.sign(
            parts, covering: ["@method", "@target-uri"] + (digest.isEmpty ? [] : ["content-digest"])
        ) { (base) throws(MintingError) in
            switch evidence {
            case .assertion(let key, let appID, let counter):
                var assertion = AssertionBlueprint(
                    key: key, appID: appID, counter: counter, clientData: .bytes(base))
                changeAssertion(&assertion)
                return try assertion.mint().assertion
            case .integrityToken(let token): return Array(token.utf8)
            case .androidKey(let key): return try key.signature(over: base)
            }
        }
        let kind =
            switch evidence {
            case .assertion: "app-attest.request"
            case .integrityToken: "play-integrity.request"
            case .androidKey: "android-key.request"
            }
        return MintedRequest(
            kind: EvidenceKind(kind), method: method, targetURI: targetURI, fields: fields + signature, body: body,
            signatureBase: base)
    }
}
