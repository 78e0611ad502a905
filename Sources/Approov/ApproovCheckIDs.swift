public import AssayCore

/// The checks of Approov, by name.
extension CheckID {
    /// The signature covers the components that the policy demands, and nothing ambiguous.
    public static let approovMessageComponents = CheckID("approov.message.components")
    /// The body matches the digests that the signature covers.
    public static let approovMessageContentDigest = CheckID("approov.message.content-digest")
    /// The signature's fields have the only allowed form.
    public static let approovMessageDecode = CheckID("approov.message.decode")
    /// The signature is recent.
    public static let approovMessageFreshness = CheckID("approov.message.freshness")
    /// The token names a message key of the kind that the policy demands.
    public static let approovMessageKey = CheckID("approov.message.key")
    /// The message is used only once.
    public static let approovMessageReplay = CheckID("approov.message.replay")
    /// The app signed this message.
    public static let approovMessageSignature = CheckID("approov.message.signature")
    /// The nonce is a challenge of the ledger.
    public static let approovProofChallenge = CheckID("approov.proof.challenge")
    /// The measurement equals the one in the token.
    public static let approovProofMeasurement = CheckID("approov.proof.measurement")
    /// A key of the hardware opens the measurement token.
    public static let approovProofSealed = CheckID("approov.proof.sealed")
    /// The text and its signature are well-formed.
    public static let approovTextDecode = CheckID("approov.text.decode")
    /// The token names a key of the account.
    public static let approovTextKey = CheckID("approov.text.key")
    /// The text is used only once.
    public static let approovTextReplay = CheckID("approov.text.replay")
    /// The account's key signed the text.
    public static let approovTextSignature = CheckID("approov.text.signature")
    /// The text contains the token.
    public static let approovTextToken = CheckID("approov.text.token")
    /// The account is not blocked.
    public static let approovTokenAccount = CheckID("approov.token.account")
    /// The request comes from the address that Approov saw.
    public static let approovTokenAddress = CheckID("approov.token.address")
    /// The device has no property that the policy rejects.
    public static let approovTokenAnnotations = CheckID("approov.token.annotations")
    /// The token is meant for this API.
    public static let approovTokenAudience = CheckID("approov.token.audience")
    /// The token is bound to the data in this request.
    public static let approovTokenBinding = CheckID("approov.token.binding")
    /// The claims are strict JSON, and each known claim has its type.
    public static let approovTokenClaims = CheckID("approov.token.claims")
    /// The token has the form that the policy demands.
    public static let approovTokenDecode = CheckID("approov.token.decode")
    /// Approov encrypted the token.
    public static let approovTokenDecryption = CheckID("approov.token.decryption")
    /// The device is not blocked.
    public static let approovTokenDevice = CheckID("approov.token.device")
    /// The token has not expired.
    public static let approovTokenExpiry = CheckID("approov.token.expiry")
    /// The token comes from the primary service, or the policy accepts failover tokens.
    public static let approovTokenFailover = CheckID("approov.token.failover")
    /// The issuer, if any, is one of the policy's and is not revoked.
    public static let approovTokenIssuer = CheckID("approov.token.issuer")
    /// A live key matches the header's key ID and algorithm.
    public static let approovTokenKey = CheckID("approov.token.key")
    /// Approov signed the token.
    public static let approovTokenSignature = CheckID("approov.token.signature")
    /// The token names no property that shows tampering.
    public static let approovTokenTampering = CheckID("approov.token.tampering")
}
