public import AssayCore
public import FoundationEssentials

/// The facts of an authentic token.
public struct TokenSubject: EngineSubject, Equatable {
    /// What stands behind the token in place of a genuine device; nil for one of a genuine device.
    static func testAuthority(of claims: TokenClaims) -> String? {
        guard claims.mark == .test else { return nil }
        guard claims.attestation.kind.isByteEqual(to: DebugToken.attestationKind) else {
            return "the test authority of the token's evidence"
        }
        let name = (claims.subject ?? "").split(separator: ":", maxSplits: 1).last ?? ""
        return "the debug token \(name.description.excerpt)"
    }

    /// The pseudonym of the attested key or account in this app; nil if the evidence names neither.
    public let subject: String?
    /// For whom the token was issued.
    public let audience: String
    /// When it was issued.
    public let issuedAt: Date
    /// When it ends.
    public let expiresAt: Date
    /// The ID of the token.
    public let tokenID: String
    /// The kind of the evidence that it was issued for.
    public let attestationKind: String
    /// When that evidence was judged.
    public let attestedAt: Date
    /// The checks of that evidence that failed without rejecting it.
    public let attestationAnnotated: [String]
    /// The thumbprint of the key that the token is bound to; nil for a bearer token.
    public let keyThumbprint: String?
    /// Whether the token is accepted once.
    public let isLimitedUse: Bool
    /// `env`, what stands behind the token in place of a genuine device with an app of the store: `test`, `development` or
    /// `caller`; nil for genuine evidence.
    public let environment: String?
    /// What the app put into the token under `tokens.claims`: the text of a JSON object of texts, numbers and flags. Nil for none. It is
    /// the app's own word, which the evidence covered.
    public let claims: String?

    /// The nonce that the next proof must contain, where the policy demands one: for the field `DPoP-Nonce` of answers.
    package let serverNonce: String?

    /// The facts of a token with these claims, as for the stub of a verdict.
    ///
    /// - Parameter claims: the payload of a token, a JSON object.
    /// - Throws: ``DecodeError`` for claims that no token may have.
    public init(claims: String) throws(DecodeError) {
        self.init(try TokenClaims(Array(claims.utf8)), serverNonce: nil)
    }

    init(_ claims: TokenClaims, serverNonce: String?) {
        self.serverNonce = serverNonce
        subject = claims.subject
        audience = claims.audience
        issuedAt = claims.issuedAt.rounded(.towardZero).time
        expiresAt = claims.expiresAt.rounded(.towardZero).time
        tokenID = claims.tokenID
        attestationKind = claims.attestation.kind
        attestedAt = claims.attestation.at.rounded(.towardZero).time
        attestationAnnotated = claims.attestation.annotated
        keyThumbprint = claims.keyThumbprint
        isLimitedUse = claims.isLimitedUse
        environment = claims.environment
        self.claims = claims.appClaims
    }

    /// Every fact.
    public var fields: [SubjectField] {
        var fields: [SubjectField] = []
        fields.add("subject", text: subject)
        fields.add("audience", text: audience)
        fields.add("issuedAt", time: issuedAt)
        fields.add("expiresAt", time: expiresAt)
        fields.add("tokenId", text: tokenID)
        fields.add("attestationKind", text: attestationKind)
        fields.add("attestedAt", time: attestedAt)
        if !attestationAnnotated.isEmpty { fields.add("attestationAnnotated", .texts(attestationAnnotated)) }
        fields.add("keyThumbprint", text: keyThumbprint)
        fields.add("limitedUse", .flag(isLimitedUse))
        fields.add("env", text: environment)
        fields.add("claims", text: claims)
        return fields
    }

    package var dimensions: [SubjectField] {
        fields.filter { ["audience", "attestationKind"].contains($0.name) }
    }

    /// When the token was issued.
    package var madeAt: Date? { issuedAt }

    /// The pseudonym: the ledger's own name of the key is not in the open part of a token.
    package var identifier: String? { subject }
}

extension Verdict {
    /// The facts of an authentic token of Assay; nil for other evidence.
    public var assayToken: TokenSubject? { engineSubject as? TokenSubject }
}
