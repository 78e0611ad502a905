public import AssayCore

/// The checks of Approov evidence, in the order in which they run.
///
/// Messages and proofs that carry a token have its checks first, under the token's names.
public enum ApproovCheck {
    /// Tokens, and loggable tokens, which stand for one in logs.
    public static let tokenKind = EvidenceKind("approov.token")
    /// HTTP requests that the app has signed.
    public static let messageKind = EvidenceKind("approov.message")
    /// Proofs that a measurement is still the one that a token carried.
    public static let proofKind = EvidenceKind("approov.proof")

    /// The token has the form that the policy names.
    public static let decode = CheckID("approov.token.decode")
    /// There is a live key that the header may mean, for the algorithm that it names.
    public static let key = CheckID("approov.token.key")
    /// Approov signed the token.
    public static let signature = CheckID("approov.token.signature")
    /// Approov encrypted the token.
    public static let decryption = CheckID("approov.token.decryption")
    /// The claims are strict JSON, and each known one has its type.
    public static let claims = CheckID("approov.token.claims")
    /// The token has not expired.
    public static let expiry = CheckID("approov.token.expiry")
    /// The token is bound to what this request carries.
    public static let binding = CheckID("approov.token.binding")
    /// The issuer, if there is one, is one of the policy's and not revoked.
    public static let issuer = CheckID("approov.token.issuer")
    /// The token is meant for this API.
    public static let audience = CheckID("approov.token.audience")
    /// The token comes from the primary service, or the policy takes those of the failover.
    public static let failover = CheckID("approov.token.failover")
    /// The device has no property that the policy rejects.
    public static let annotations = CheckID("approov.token.annotations")
    /// The device is not blocked.
    public static let device = CheckID("approov.token.device")
    /// The request comes from the address that Approov saw.
    public static let address = CheckID("approov.token.address")

    /// The signature's fields have the one form that is allowed.
    public static let messageDecode = CheckID("approov.message.decode")
    /// The token names a key for messages of the kind that the policy demands.
    public static let messageKey = CheckID("approov.message.key")
    /// The signature covers what the policy demands, and nothing ambiguous.
    public static let components = CheckID("approov.message.components")
    /// The app signed this message.
    public static let messageSignature = CheckID("approov.message.signature")
    /// The signature was made just now.
    public static let freshness = CheckID("approov.message.freshness")
    /// The body is the one that the signature covers.
    public static let contentDigest = CheckID("approov.message.content-digest")
    /// The message is used once.
    public static let replay = CheckID("approov.message.replay")

    /// The measurement is still the one that the token carried.
    public static let measurement = CheckID("approov.proof.measurement")

    private static let claimChecks = [
        claims, expiry, binding, issuer, audience, failover, annotations, device, address,
    ]
    /// What is judged of a signed token, in its order.
    public static let signedTokenChecks = [decode, key, signature] + claimChecks
    /// What is judged of an encrypted token, in its order.
    public static let encryptedTokenChecks = [decode, key, decryption] + claimChecks
    /// What is judged of a message after its token and before the ledger decides, in its order.
    public static let messageChecks = [
        messageDecode, messageKey, components, messageSignature, freshness, contentDigest,
    ]
}
