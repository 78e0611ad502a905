public import AssayCore

/// The checks of App Attest, by name.
extension CheckID {
    /// The key belongs to the account of the request.
    public static let appAttestAssertionAccount = CheckID("app-attest.assertion.account")
    /// Step 4: the authenticator data is for the App ID of the key.
    public static let appAttestAssertionAppID = CheckID("app-attest.assertion.app-id")
    /// The app's build, since iOS 27.
    public static let appAttestAssertionBundleVersion = CheckID("app-attest.assertion.bundle-version")
    /// The challenge was issued and is used once.
    public static let appAttestAssertionChallenge = CheckID("app-attest.assertion.challenge")
    /// Step 6: the client data carries the challenge.
    public static let appAttestAssertionClientData = CheckID("app-attest.assertion.client-data")
    /// Step 5: the counter increases.
    public static let appAttestAssertionCounter = CheckID("app-attest.assertion.counter")
    /// The assertion has the only allowed form.
    public static let appAttestAssertionDecode = CheckID("app-attest.assertion.decode")
    /// The key is known.
    public static let appAttestAssertionKey = CheckID("app-attest.assertion.key")
    /// The key may still be used.
    public static let appAttestAssertionKeyState = CheckID("app-attest.assertion.key-state")
    /// The device has not attested too many keys, by the last refreshed receipt of its key.
    public static let appAttestAssertionRiskMetric = CheckID("app-attest.assertion.risk-metric")
    /// Steps 1 to 3: the key signed the authenticator data and the client data.
    public static let appAttestAssertionSignature = CheckID("app-attest.assertion.signature")
    /// How the app was installed, since iOS 27.
    public static let appAttestAssertionValidationCategory = CheckID("app-attest.assertion.validation-category")
    /// The account may enrol the key.
    public static let appAttestAttestationAccount = CheckID("app-attest.attestation.account")
    /// Step 6: the authenticator data is for one of the policy's App IDs.
    public static let appAttestAttestationAppID = CheckID("app-attest.attestation.app-id")
    /// The app's build, since iOS 27.
    public static let appAttestAttestationBundleVersion = CheckID("app-attest.attestation.bundle-version")
    /// Step 1: the certificates lead to Apple's App Attest root.
    public static let appAttestAttestationChain = CheckID("app-attest.attestation.chain")
    /// The challenge was issued and is used once.
    public static let appAttestAttestationChallenge = CheckID("app-attest.attestation.challenge")
    /// Step 7: the counter is 0.
    public static let appAttestAttestationCounter = CheckID("app-attest.attestation.counter")
    /// Step 9: the credential ID is the key identifier.
    public static let appAttestAttestationCredentialID = CheckID("app-attest.attestation.credential-id")
    /// The attestation object has the only allowed form.
    public static let appAttestAttestationDecode = CheckID("app-attest.attestation.decode")
    /// The key is enrolled, or the facts of an enrolled key are refreshed.
    public static let appAttestAttestationEnrolment = CheckID("app-attest.attestation.enrolment")
    /// Step 8: the AAGUID names an environment that the policy allows.
    public static let appAttestAttestationEnvironment = CheckID("app-attest.attestation.environment")
    /// Step 5: the key identifier is the hash of the attested key.
    public static let appAttestAttestationKeyID = CheckID("app-attest.attestation.key-id")
    /// Steps 2 to 4: the leaf's nonce covers authenticator data and client data.
    public static let appAttestAttestationNonce = CheckID("app-attest.attestation.nonce")
    /// The device's operating system.
    public static let appAttestAttestationOSVersion = CheckID("app-attest.attestation.os-version")
    /// The additional requirements for macOS.
    public static let appAttestAttestationPlatform = CheckID("app-attest.attestation.platform")
    /// Step 5, first half, and the credential key: the attested key is a P-256 key, and the same in both
    /// places.
    public static let appAttestAttestationPublicKey = CheckID("app-attest.attestation.public-key")
    /// The receipt is Apple's, and about this key and app.
    public static let appAttestAttestationReceipt = CheckID("app-attest.attestation.receipt")
    /// How the app was installed, since iOS 27.
    public static let appAttestAttestationValidationCategory = CheckID("app-attest.attestation.validation-category")
    /// The receipt is for one of the policy's App IDs.
    public static let appAttestReceiptAppID = CheckID("app-attest.receipt.app-id")
    /// The signer is Apple's receipt service.
    public static let appAttestReceiptChain = CheckID("app-attest.receipt.chain")
    /// The receipt is a CMS message with a payload in the allowed form.
    public static let appAttestReceiptDecode = CheckID("app-attest.receipt.decode")
    /// The policy allows the environment of the receipt.
    public static let appAttestReceiptEnvironment = CheckID("app-attest.receipt.environment")
    /// The receipt is fresh, and has not expired.
    public static let appAttestReceiptFreshness = CheckID("app-attest.receipt.freshness")
    /// The receipt is about the key.
    public static let appAttestReceiptPublicKey = CheckID("app-attest.receipt.public-key")
    /// The device has not attested too many keys.
    public static let appAttestReceiptRiskMetric = CheckID("app-attest.receipt.risk-metric")
    /// The signer signed the payload.
    public static let appAttestReceiptSignature = CheckID("app-attest.receipt.signature")
    /// The signature covers what the policy demands.
    public static let appAttestRequestComponents = CheckID("app-attest.request.components")
    /// The body is the signed one.
    public static let appAttestRequestContentDigest = CheckID("app-attest.request.content-digest")
    /// The signature of the request and its input are strict structured fields.
    public static let appAttestRequestDecode = CheckID("app-attest.request.decode")
    /// The signature is fresh.
    public static let appAttestRequestFreshness = CheckID("app-attest.request.freshness")
}
