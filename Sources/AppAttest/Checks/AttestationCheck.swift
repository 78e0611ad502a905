public import AssayCore

/// The checks of an App Attest attestation, in the order in which they run.
///
/// The steps are those of Apple, "Validating apps that connect to your server", section "Verify the attestation".
public enum AttestationCheck {
    /// The kind of evidence.
    public static let kind = EvidenceKind("app-attest.attestation")

    /// The attestation object has the one form that is allowed.
    public static let decode = CheckID("app-attest.attestation.decode")
    /// Step 1: the certificates lead to Apple's App Attest root.
    public static let chain = CheckID("app-attest.attestation.chain")
    /// Step 5, first half, and the credential key: the attested key is a P-256 key, and the same in both places.
    public static let publicKey = CheckID("app-attest.attestation.public-key")
    /// Steps 2 to 4: the leaf's nonce is made from authenticator data and client data.
    public static let nonce = CheckID("app-attest.attestation.nonce")
    /// Step 5: the key identifier is the hash of the attested key.
    public static let keyID = CheckID("app-attest.attestation.key-id")
    /// Step 9: the credential ID is the key identifier.
    public static let credentialID = CheckID("app-attest.attestation.credential-id")
    /// Step 6: the authenticator data is for one of the policy's App IDs.
    public static let appID = CheckID("app-attest.attestation.app-id")
    /// Step 8: the AAGUID names an environment that the policy allows.
    public static let environment = CheckID("app-attest.attestation.environment")
    /// Step 7: the counter is 0.
    public static let counter = CheckID("app-attest.attestation.counter")
    /// The receipt is Apple's, and about this key and app.
    public static let receipt = CheckID("app-attest.attestation.receipt")
    /// How the app got onto the device, since iOS 27.
    public static let validationCategory = CheckID("app-attest.attestation.validation-category")
    /// The app's build, since iOS 27.
    public static let bundleVersion = CheckID("app-attest.attestation.bundle-version")
    /// The device's operating system.
    public static let osVersion = CheckID("app-attest.attestation.os-version")
    /// What only macOS demands.
    public static let platform = CheckID("app-attest.attestation.platform")
    /// The challenge was issued and is used once.
    public static let challenge = CheckID("app-attest.attestation.challenge")
    /// The key is enrolled once.
    public static let enrolment = CheckID("app-attest.attestation.enrolment")

    private static let apple = "Apple, Validating apps that connect to your server, Verify the attestation"

    /// What each check is for.
    public static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            decode, .gate,
            proves: "The attestation is one CBOR map in strict form with format apple-appattest, two well-formed "
                + "certificates, and authenticator data whose parts fill it exactly.",
            stops: "Input that two parsers read differently: duplicate keys, trailing bytes, overlong lengths, a part "
                + "that hides behind another.",
            lookAt: "The byte that the detail names. A truncated or doubly encoded transport is the usual cause; "
                + "assertions sent as attestations are the next.",
            source: "\(apple), and Web Authentication Level 2, sections 6.1 and 6.5.1"),
        CheckDefinition(
            chain, .gate,
            proves: "The leaf was issued by Apple's App Attest authority and valid at the time of judgement.",
            stops: "Certificates of the attacker's own, or of another Apple authority, and keys whose certificate has "
                + "expired.",
            lookAt: "The time of judgement first: leaves live for three days to a year, so captured evidence is judged "
                + "at the time of its receipt (--as-captured). Then the issuer that the detail names.",
            source: "\(apple), step 1; RFC 5280 section 6"),
        CheckDefinition(
            publicKey, .gate,
            proves: "The attested key is an uncompressed P-256 key, and the key in the authenticator data is the same.",
            stops: "An attested certificate with the credential key of somebody else.",
            lookAt: "Whether the object was assembled from two attestations.",
            source: "\(apple), step 5; Web Authentication Level 2, section 8.8"),
        CheckDefinition(
            nonce, .gate,
            proves: "The leaf certifies exactly this authenticator data and this challenge: its extension "
                + "1.2.840.113635.100.8.2 is SHA-256(authenticatorData || clientDataHash).",
            stops: "Replaying a genuine attestation for another challenge, and changing anything in the authenticator "
                + "data.",
            lookAt: "What exactly the app hashes. Apps pass SHA-256 of the challenge as clientDataHash; give the "
                + "challenge itself as `challenge`, or what the app passed as `clientDataHash`. Text and decoded bytes "
                + "of a base64 challenge are two different challenges.",
            source: "\(apple), steps 2 to 4"),
        CheckDefinition(
            keyID, .gate,
            proves: "The key identifier that the app sent is SHA-256 of the attested key's X9.63 point.",
            stops: "Enrolling a genuine key under the name of another.",
            lookAt: "The encoding of keyId: standard base64 of 32 bytes.",
            source: "\(apple), step 5"),
        CheckDefinition(
            credentialID, .gate,
            proves: "The credential ID in the authenticator data is the key identifier.",
            stops: "Authenticator data of another key.",
            lookAt: "Whether keyId and attestation belong together.",
            source: "\(apple), step 9"),
        CheckDefinition(
            appID, .gate,
            proves: "The authenticator data is for one of the policy's App IDs.",
            stops: "Genuine attestations made by another app, the attacker's own included.",
            lookAt: "appIDs in the policy: team identifier or App ID prefix, a period, bundle identifier. App Clips "
                + "have the full app's.",
            source: "\(apple), step 6"),
        CheckDefinition(
            environment, .gate,
            proves: "All 16 bytes of the AAGUID name an environment that the policy allows.",
            stops: "Development builds, which anybody with a developer account can sign and debug, in production.",
            lookAt: "The app's entitlement com.apple.developer.devicecheck.appattest-environment, and environments in "
                + "the policy. TestFlight and App Store builds are always production.",
            source: "\(apple), step 8"),
        CheckDefinition(
            counter, .gate,
            proves: "The key has signed nothing yet.",
            stops: "Enrolling a key that was in use elsewhere.",
            lookAt: "Whether the object is really an attestation.",
            source: "\(apple), step 7"),
        CheckDefinition(
            receipt, .policy(default: .annotate),
            proves: "The receipt is signed by Apple and is about this key, this app and this environment.",
            stops: "Somebody else's receipt, with which a risk metric would be fetched for the wrong device.",
            lookAt: "The detail. Receipts of August and September 2020 do not verify; the attestation is good "
                + "without one, but no risk metric can be had.",
            source: "Apple, Assessing fraud risk, Verify the receipt"),
        .validationCategory(validationCategory),
        .bundleVersion(bundleVersion),
        CheckDefinition(
            osVersion, .policy(default: .enforce),
            proves: "The operating system that Apple certified is at least the policy's minimum.",
            stops: "Devices on systems with known jailbreaks.",
            lookAt: "minimumOSVersion in the policy, and the version in the detail.",
            source: "Leaf extension 1.2.840.113635.100.8.7, as issued since 2020"),
        CheckDefinition(
            platform, .policy(default: .enforce),
            proves: "On macOS the key's access control list is the one that Apple documents.",
            stops: "Keys on a Mac that software without the app's identity may use.",
            lookAt: "Leaf extension 1.2.840.113635.100.8.6. On iOS nothing is demanded.",
            source: "Apple, Validating apps that connect to your server, macOS"),
        CheckDefinition(
            challenge, .ledger,
            proves: "The challenge was issued for this app and purpose, has not expired, and is used for the first "
                + "time.",
            stops: "Replay of a recorded attestation.",
            lookAt: "`challenge` in the policy, the challenge's lifetime, and whether the request was retried.",
            source: "\(apple), step 2"),
        CheckDefinition(
            enrolment, .ledger,
            proves: "The key is enrolled for the first time, and is not blocked.",
            stops: "Taking over an enrolled key's entry, and resetting its counter.",
            lookAt: "`assay ledger show` for the key. An app attests a key once; a retry after a lost answer needs a "
                + "new key.",
            source: "Apple, Validating apps that connect to your server, Store the attested key"),
    ]
}
