public import AssayCore

/// The checks of tokens of Assay, by name.
extension CheckID {
    /// The account of the session is not blocked, and is that of the token.
    public static let assayTokenAccount = CheckID("assay.token.account")
    /// The token is for this service.
    public static let assayTokenAudience = CheckID("assay.token.audience")
    /// The proof is of the token's key, and about this request and token.
    public static let assayTokenBinding = CheckID("assay.token.binding")
    /// The token is of the policy's issuer, app and environment.
    public static let assayTokenClaims = CheckID("assay.token.claims")
    /// The request carries one token of the right type, and it can be decoded.
    public static let assayTokenDecode = CheckID("assay.token.decode")
    /// The token is in force.
    public static let assayTokenExpiry = CheckID("assay.token.expiry")
    /// The proof is fresh.
    public static let assayTokenFreshness = CheckID("assay.token.freshness")
    /// The header names a published key of the issuer.
    public static let assayTokenKey = CheckID("assay.token.key")
    /// The proof of the key is well-formed, and signed by its key.
    public static let assayTokenProof = CheckID("assay.token.proof")
    /// The proof, and a token for one use, come for the first time.
    public static let assayTokenReplay = CheckID("assay.token.replay")
    /// That key signed the token.
    public static let assayTokenSignature = CheckID("assay.token.signature")
    /// The device that was attested is not blocked.
    public static let assayTokenSubject = CheckID("assay.token.subject")
}
