public import AssayCore

/// The checks of Approov evidence. Each one's name, entry and codes stand in the file of the rule that decides it.
///
/// The checks of a message or proof begin with those of its token, under the token's names.
public enum ApproovCheck {
    /// Tokens, and loggable tokens, which replace them in logs.
    public static let tokenKind = EvidenceKind("approov.token")
    /// HTTP requests that the app has signed.
    public static let messageKind = EvidenceKind("approov.message")
    /// Proofs that a measurement is still the one that a token carried.
    public static let proofKind = EvidenceKind("approov.proof")

    /// The entries of all checks, in the order in which they run.
    package static let catalogue: [CheckDefinition] = [
        decodeEntry, keyEntry, signatureEntry, decryptionEntry, claimsEntry, expiryEntry, bindingEntry, issuerEntry,
        audienceEntry, failoverEntry, annotationsEntry, deviceEntry, addressEntry, messageDecodeEntry,
        messageKeyEntry, componentsEntry, messageSignatureEntry, freshnessEntry, contentDigestEntry, replayEntry,
        measurementEntry,
    ]

    static let tokens = "Approov, Token Format"
    static let backend = "Approov, Backend Integration"
    static let signatures = "RFC 9421; Approov, HTTP Message Signing"

    private static let claimChecks = [
        claims, expiry, binding, issuer, audience, failover, annotations, device, address,
    ]
    /// The checks of a signed token, in their order.
    package static let signedTokenChecks = [decode, key, signature] + claimChecks
    /// The checks of an encrypted token, in their order.
    package static let encryptedTokenChecks = [decode, key, decryption] + claimChecks
    /// The checks of a message after those of its token and before those of the ledger, in their order.
    package static let messageChecks = [
        messageDecode, messageKey, components, messageSignature, freshness, contentDigest,
    ]
}
