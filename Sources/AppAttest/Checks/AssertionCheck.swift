public import AssayCore

/// The checks of an App Attest assertion, in the order in which they run.
///
/// The steps are those of Apple, "Validating apps that connect to your server", section "Verify the assertion".
public enum AssertionCheck {
    /// The kind of evidence.
    public static let kind = EvidenceKind("app-attest.assertion")

    /// The assertion has the one form that is allowed.
    public static let decode = CheckID("app-attest.assertion.decode")
    /// The key is known.
    public static let key = CheckID("app-attest.assertion.key")
    /// Steps 1 to 3: the key signed the authenticator data and the client data.
    public static let signature = CheckID("app-attest.assertion.signature")
    /// Step 4: the authenticator data is for the App ID of the key.
    public static let appID = CheckID("app-attest.assertion.app-id")
    /// Step 6: the client data carries the challenge.
    public static let clientData = CheckID("app-attest.assertion.client-data")
    /// How the app got onto the device, since iOS 27.
    public static let validationCategory = CheckID("app-attest.assertion.validation-category")
    /// The app's build, since iOS 27.
    public static let bundleVersion = CheckID("app-attest.assertion.bundle-version")
    /// The key may still be used.
    public static let keyState = CheckID("app-attest.assertion.key-state")
    /// The challenge was issued and is used once.
    public static let challenge = CheckID("app-attest.assertion.challenge")
    /// Step 5: the counter moves on.
    public static let counter = CheckID("app-attest.assertion.counter")

    private static let apple = "Apple, Validating apps that connect to your server, Verify the assertion"

    /// What each check is for.
    public static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            decode, .gate,
            proves: "The assertion is one CBOR map in strict form with a signature and authenticator data whose parts "
                + "fill it exactly.",
            stops: "Input that two parsers read differently.",
            lookAt: "The byte that the detail names; whether an attestation was sent in place of an assertion.",
            source: apple),
        CheckDefinition(
            key, .gate,
            proves: "The key identifier names a key that was enrolled for this app, or the one that came with the "
                + "record.",
            stops: "Assertions by keys that were never attested, and by keys of another app.",
            lookAt: """
                Whether the attestation was verified against the same ledger and for the same app, and accepted. Where a \
                policy rejects the attestation of a key, every assertion of that key fails here.
                """,
            source: apple),
        CheckDefinition(
            signature, .gate,
            proves: "The attested key signed SHA-256(authenticatorData || clientDataHash) as a message.",
            stops: "Requests that the device did not make, and changes to one that it made.",
            lookAt: "What exactly the app signs: the bytes of clientData as they were sent, before any parsing or "
                + "re-encoding.",
            source: "\(apple), steps 1 to 3"),
        CheckDefinition(
            appID, .gate,
            proves: "The authenticator data is for the App ID for which the key was enrolled.",
            stops: "Assertions of another app of the same device.",
            lookAt: "appIDs in the policy; whether the app moved to another team.",
            source: "\(apple), step 4"),
        CheckDefinition(
            clientData, .policy(default: .enforce),
            proves: "The signed client data carries the challenge, at the place that the policy names.",
            stops: "Replay of a signed request under another challenge.",
            lookAt: "clientData in the policy: raw, none, or the JSON pointer of the challenge.",
            source: "\(apple), step 6"),
        .validationCategory(validationCategory),
        .bundleVersion(bundleVersion),
        CheckDefinition(
            keyState, .policy(default: .enforce),
            proves: "The key is not blocked, and the policy still allows the environment that it was enrolled in.",
            stops: "Further use of keys that were found to be abused.",
            lookAt: "`assay ledger show` for the key.",
            source: "Apple, Assessing fraud risk"),
        CheckDefinition(
            challenge, .ledger,
            proves: "The challenge was issued for this app and purpose, has not expired, and is used for the first "
                + "time.",
            stops: "Replay of a recorded request.",
            lookAt: "`challenge` in the policy, the challenge's lifetime, and whether the request was retried.",
            source: "\(apple), step 6"),
        CheckDefinition(
            counter, .ledger,
            proves: "The counter is greater than every one before it, or the direct successor when the policy says so.",
            stops: "Replay of a recorded request, and use of a copied key.",
            lookAt: "The two counters in the detail. Requests of one device that overtake each other on the way have "
                + "to be sent one after the other.",
            source: "\(apple), step 5"),
    ]
}
