/// A field of the payload of an integrity token, by its path.
///
/// Source: the schema of `tokenPayloadExternal` in Google's API description, revision 20260910.
public struct PlayIntegrityField: Sendable, Hashable {
    /// The names from the outermost block inwards.
    public let path: [String]

    /// Names a field, such as `PlayIntegrityField("deviceIntegrity", "newSignal")`.
    public init(_ path: String...) { self.path = path }

    /// Block: what the app asked for.
    public static let requestDetails = PlayIntegrityField("requestDetails")
    /// Text: the app that asked.
    public static let requestPackageName = PlayIntegrityField("requestDetails", "requestPackageName")
    /// Base64url text, classic only.
    public static let nonce = PlayIntegrityField("requestDetails", "nonce")
    /// Text, standard and PC only.
    public static let requestHash = PlayIntegrityField("requestDetails", "requestHash")
    /// Milliseconds since 1970 as text, classic and standard.
    public static let timestampMillis = PlayIntegrityField("requestDetails", "timestampMillis")
    /// RFC 3339, PC only.
    public static let requestTime = PlayIntegrityField("requestDetails", "requestTime")

    /// Block: what Google Play knows of the app.
    public static let appIntegrity = PlayIntegrityField("appIntegrity")
    /// `PLAY_RECOGNIZED`, `UNRECOGNIZED_VERSION` or `UNEVALUATED`.
    public static let appRecognitionVerdict = PlayIntegrityField("appIntegrity", "appRecognitionVerdict")
    /// Text: the app that is installed.
    public static let packageName = PlayIntegrityField("appIntegrity", "packageName")
    /// List of base64url texts without padding.
    public static let certificateSha256Digest = PlayIntegrityField("appIntegrity", "certificateSha256Digest")
    /// A 64-bit number as text.
    public static let versionCode = PlayIntegrityField("appIntegrity", "versionCode")

    /// Block: what Google Play knows of the device.
    public static let deviceIntegrity = PlayIntegrityField("deviceIntegrity")
    /// List of `MEETS_BASIC_INTEGRITY`, `MEETS_DEVICE_INTEGRITY`, `MEETS_STRONG_INTEGRITY`,
    /// `MEETS_VIRTUAL_INTEGRITY`, and on PC `MEETS_PC_INTEGRITY`.
    public static let deviceRecognitionVerdict = PlayIntegrityField("deviceIntegrity", "deviceRecognitionVerdict")
    /// List, as ``deviceRecognitionVerdict``: what it would have been before May 2025.
    public static let legacyDeviceRecognitionVerdict =
        PlayIntegrityField("deviceIntegrity", "legacyDeviceRecognitionVerdict")
    /// Block: how many tokens were asked for.
    public static let recentDeviceActivity = PlayIntegrityField("deviceIntegrity", "recentDeviceActivity")
    /// `LEVEL_1` to `LEVEL_4`, or `UNEVALUATED`.
    public static let deviceActivityLevel =
        PlayIntegrityField("deviceIntegrity", "recentDeviceActivity", "deviceActivityLevel")
    /// Block: the device's attributes.
    public static let deviceAttributes = PlayIntegrityField("deviceIntegrity", "deviceAttributes")
    /// A number: Android's API level.
    public static let sdkVersion = PlayIntegrityField("deviceIntegrity", "deviceAttributes", "sdkVersion")
    /// Block: the bits that the app's owner wrote.
    public static let deviceRecall = PlayIntegrityField("deviceIntegrity", "deviceRecall")
    /// Block of booleans `bitFirst`, `bitSecond`, `bitThird`.
    public static let recallValues = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values")
    /// Boolean.
    public static let bitFirst = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values", "bitFirst")
    /// Boolean.
    public static let bitSecond = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values", "bitSecond")
    /// Boolean.
    public static let bitThird = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values", "bitThird")
    /// Block of numbers `yyyymmFirst`, `yyyymmSecond`, `yyyymmThird`.
    public static let recallWriteDates = PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates")
    /// A number such as 202609.
    public static let yyyymmFirst = PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates", "yyyymmFirst")
    /// A number such as 202609.
    public static let yyyymmSecond =
        PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates", "yyyymmSecond")
    /// A number such as 202609.
    public static let yyyymmThird = PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates", "yyyymmThird")

    /// Block: what Google Play knows of the account.
    public static let accountDetails = PlayIntegrityField("accountDetails")
    /// `LICENSED`, `UNLICENSED` or `UNEVALUATED`.
    public static let appLicensingVerdict = PlayIntegrityField("accountDetails", "appLicensingVerdict")

    /// Block: what else runs on the device.
    public static let environmentDetails = PlayIntegrityField("environmentDetails")
    /// Block: apps that may capture or control the app.
    public static let appAccessRiskVerdict = PlayIntegrityField("environmentDetails", "appAccessRiskVerdict")
    /// List of `KNOWN_` or `UNKNOWN_` with `INSTALLED`, `CAPTURING`, `OVERLAYS` or `CONTROLLING`.
    public static let appsDetected = PlayIntegrityField("environmentDetails", "appAccessRiskVerdict", "appsDetected")
    /// `NO_ISSUES`, `NO_DATA`, `POSSIBLE_RISK`, `MEDIUM_RISK`, `HIGH_RISK` or `UNEVALUATED`.
    public static let playProtectVerdict = PlayIntegrityField("environmentDetails", "playProtectVerdict")
    /// List of labels such as `LOW_RISK_DEVICE` and `HIGH_RISK_NETWORK`.
    public static let locationSpoofingRiskVerdict =
        PlayIntegrityField("environmentDetails", "locationSpoofingRiskVerdict")

    /// Block: what the console was told to answer.
    public static let testingDetails = PlayIntegrityField("testingDetails")
    /// Boolean.
    public static let isTestingResponse = PlayIntegrityField("testingDetails", "isTestingResponse")
}
