public import AssayCore

/// The checks of Play Integrity evidence, in the order in which they run. Both kinds share those of one name.
public enum PlayIntegrityCheck {
    /// Tokens that are opened here with the keys of the app.
    public static let classicKind = EvidenceKind("play-integrity.classic")
    /// Tokens that Google opens: its answer, or a token that is sent to it.
    public static let standardKind = EvidenceKind("play-integrity.standard")

    /// The evidence has the one form that is allowed.
    public static let decode = CheckID("play-integrity.decode")
    /// A live key of the app opens the token.
    public static let decryption = CheckID("play-integrity.decryption")
    /// Google signed what is in the token.
    public static let signature = CheckID("play-integrity.signature")
    /// The payload is strict JSON of the known schema.
    public static let payload = CheckID("play-integrity.payload")
    /// The app asked for the token.
    public static let requestPackage = CheckID("play-integrity.request-package")
    /// The token answers the nonce of this request.
    public static let nonce = CheckID("play-integrity.nonce")
    /// The token was asked for with the hash of this request.
    public static let requestHash = CheckID("play-integrity.request-hash")
    /// The token was made just now.
    public static let freshness = CheckID("play-integrity.freshness")
    /// The answer was not made up for a tester.
    public static let testingResponse = CheckID("play-integrity.testing-response")
    /// Google Play recognises the app.
    public static let appRecognition = CheckID("play-integrity.app-recognition")
    /// The app has the package name of the policy.
    public static let appPackage = CheckID("play-integrity.app-package")
    /// The app is signed with the certificates of the policy.
    public static let certificate = CheckID("play-integrity.certificate")
    /// The app is not too old.
    public static let versionCode = CheckID("play-integrity.version-code")
    /// The device meets what the policy demands of its Android.
    public static let deviceRecognition = CheckID("play-integrity.device-recognition")
    /// The device's Android is not too old.
    public static let sdkVersion = CheckID("play-integrity.sdk-version")
    /// The device has not asked for too many tokens.
    public static let deviceActivity = CheckID("play-integrity.device-activity")
    /// The app's owner has not marked the device.
    public static let deviceRecall = CheckID("play-integrity.device-recall")
    /// The user got the app from Google Play.
    public static let licensing = CheckID("play-integrity.licensing")
    /// Play Protect found nothing harmful.
    public static let playProtect = CheckID("play-integrity.play-protect")
    /// No other app can watch or control this one.
    public static let appAccessRisk = CheckID("play-integrity.app-access-risk")
    /// The location can be trusted.
    public static let locationSpoofing = CheckID("play-integrity.location-spoofing")
    /// The game runs in a genuine Google Play Games on PC.
    public static let pcIntegrity = CheckID("play-integrity.pc-integrity")
    /// The nonce was issued and is used once; or the token is used once.
    public static let challenge = CheckID("play-integrity.challenge")

    private static let policyChecks = [
        appRecognition, appPackage, certificate, versionCode, deviceRecognition, sdkVersion, deviceActivity,
        deviceRecall, licensing, playProtect, appAccessRisk, locationSpoofing, pcIntegrity,
    ]
    /// What is judged of a classic token before the ledger decides, in its order.
    public static let classicChecks =
        [decode, decryption, signature, payload, requestPackage, nonce, freshness, testingResponse] + policyChecks
    /// What is judged of a standard token before the ledger decides, in its order.
    public static let standardChecks =
        [decode, payload, requestPackage, requestHash, freshness, testingResponse] + policyChecks
}
