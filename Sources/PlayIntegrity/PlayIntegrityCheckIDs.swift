public import AssayCore

/// The checks of Play Integrity, by name.
extension CheckID {
    /// The account is not blocked.
    public static let playIntegrityAccount = CheckID("play-integrity.account")
    /// No other app can capture or control this one.
    public static let playIntegrityAppAccessRisk = CheckID("play-integrity.app-access-risk")
    /// The app's package name is the policy's.
    public static let playIntegrityAppPackage = CheckID("play-integrity.app-package")
    /// Google Play recognises the app.
    public static let playIntegrityAppRecognition = CheckID("play-integrity.app-recognition")
    /// The app is signed with the certificates of the policy.
    public static let playIntegrityCertificate = CheckID("play-integrity.certificate")
    /// The nonce of a classic token was issued and is used only once; a standard token is used only once.
    public static let playIntegrityChallenge = CheckID("play-integrity.challenge")
    /// The evidence has the only allowed form.
    public static let playIntegrityDecode = CheckID("play-integrity.decode")
    /// A live key of the app opens the token.
    public static let playIntegrityDecryption = CheckID("play-integrity.decryption")
    /// The device has not requested too many tokens.
    public static let playIntegrityDeviceActivity = CheckID("play-integrity.device-activity")
    /// The app's owner has not flagged the device.
    public static let playIntegrityDeviceRecall = CheckID("play-integrity.device-recall")
    /// The device has the label that the policy demands for its Android version.
    public static let playIntegrityDeviceRecognition = CheckID("play-integrity.device-recognition")
    /// The token is recent.
    public static let playIntegrityFreshness = CheckID("play-integrity.freshness")
    /// The user's account has a Google Play licence for the app.
    public static let playIntegrityLicensing = CheckID("play-integrity.licensing")
    /// The location can be trusted.
    public static let playIntegrityLocationSpoofing = CheckID("play-integrity.location-spoofing")
    /// The token answers the nonce of this request.
    public static let playIntegrityNonce = CheckID("play-integrity.nonce")
    /// The payload is strict JSON of the documented schema.
    public static let playIntegrityPayload = CheckID("play-integrity.payload")
    /// The game runs in a genuine Google Play Games on PC.
    public static let playIntegrityPCIntegrity = CheckID("play-integrity.pc-integrity")
    /// Play Protect found nothing harmful.
    public static let playIntegrityPlayProtect = CheckID("play-integrity.play-protect")
    /// The app requested the token with the hash of this request.
    public static let playIntegrityRequestHash = CheckID("play-integrity.request-hash")
    /// The policy's app requested the token.
    public static let playIntegrityRequestPackage = CheckID("play-integrity.request-package")
    /// The signature covers what the policy demands.
    public static let playIntegrityRequestComponents = CheckID("play-integrity.request.components")
    /// The body is the signed one.
    public static let playIntegrityRequestContentDigest = CheckID("play-integrity.request.content-digest")
    /// The signature of the request and its input are strict structured fields.
    public static let playIntegrityRequestDecode = CheckID("play-integrity.request.decode")
    /// The signature is fresh.
    public static let playIntegrityRequestFreshness = CheckID("play-integrity.request.freshness")
    /// The device's Android version is not too old.
    public static let playIntegritySDKVersion = CheckID("play-integrity.sdk-version")
    /// Google signed the payload.
    public static let playIntegritySignature = CheckID("play-integrity.signature")
    /// The answer is not a test response.
    public static let playIntegrityTestingResponse = CheckID("play-integrity.testing-response")
    /// The version of the app is allowed.
    public static let playIntegrityVersionCode = CheckID("play-integrity.version-code")
}
