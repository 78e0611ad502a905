public import AssayCore

extension EvidenceKind {
    /// An Approov token.
    public static let approovToken = EvidenceKind("approov.token")
    /// A request with an Approov token and a signature over the request.
    public static let approovMessage = EvidenceKind("approov.message")
    /// A text with an Approov token in it, signed with the account's message signing key.
    public static let approovText = EvidenceKind("approov.text")
    /// An Approov proof of a measurement of the device or the app.
    public static let approovProof = EvidenceKind("approov.proof")
}

/// The checks of Approov evidence. The file of each rule defines the check's name, catalogue entry and codes. The
/// checks of a message, text or proof begin with those of its token, under the token's names.
package enum ApproovCheck {
    /// The entries of all checks, in execution order.
    package static let catalogue: [CheckDefinition] =
        [decodeEntry, keyEntry, signatureEntry, decryptionEntry, claimsEntry] + ApproovTokenRules.catalogue + [
            messageDecodeEntry, messageKeyEntry, componentsEntry, messageSignatureEntry, freshnessEntry,
            contentDigestEntry, replayEntry, textDecodeEntry, textKeyEntry, textTokenEntry, textSignatureEntry,
            textReplayEntry, sealedEntry, measurementEntry, proofChallengeEntry,
        ]

    static let tokens = "Approov, Token Format"
    static let backend = "Approov, Backend Integration"
    static let signatures = "RFC 9421; Approov, HTTP Message Signing"

    private static let claimChecks: [CheckID] = [
        .approovTokenClaims, .approovTokenExpiry, .approovTokenBinding, .approovTokenTampering, .approovTokenIssuer,
        .approovTokenAudience, .approovTokenFailover, .approovTokenAnnotations, .approovTokenDevice,
        .approovTokenAccount, .approovTokenAddress,
    ]
    /// The checks of a signed token, in order.
    package static let signedTokenChecks: [CheckID] =
        [.approovTokenDecode, .approovTokenKey, .approovTokenSignature] + claimChecks
    /// The checks of an encrypted token, in order.
    package static let encryptedTokenChecks: [CheckID] =
        [.approovTokenDecode, .approovTokenKey, .approovTokenDecryption] + claimChecks
    /// The checks of a message between those of its token and those of the ledger, in order.
    package static let messageChecks: [CheckID] = [
        .approovMessageDecode, .approovMessageKey, .approovMessageComponents, .approovMessageSignature,
        .approovMessageFreshness, .approovMessageContentDigest,
    ]
    /// The checks of a signed text between those of its token and those of the ledger, in order.
    package static let textChecks: [CheckID] = [
        .approovTextDecode, .approovTextKey, .approovTextToken, .approovTextSignature,
    ]
}
