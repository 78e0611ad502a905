/// A field of the payload of an integrity token, by its path such as `deviceIntegrity.deviceRecognitionVerdict`.
///
/// Source: the schema of `tokenPayloadExternal` in Google's API description, revision 20260910.
public struct PlayIntegrityField: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The names from the outermost block inwards.
    package let path: [String]

    /// Names a field, such as `PlayIntegrityField("deviceIntegrity", "newSignal")`.
    package init(_ path: String...) { self.path = path }

    /// Names a field, known or not, by its path with dots.
    public init(stringLiteral path: String) { self.path = path.split(separator: ".").map(String.init) }

    /// Block: what the app asked for.
    package static let requestDetails = PlayIntegrityField("requestDetails")
    /// Text: the app that asked.
    package static let requestPackageName = PlayIntegrityField("requestDetails", "requestPackageName")
    /// Base64url text, classic only.
    package static let nonce = PlayIntegrityField("requestDetails", "nonce")
    /// Text, standard and PC only.
    package static let requestHash = PlayIntegrityField("requestDetails", "requestHash")
    /// Milliseconds since 1970 as text, classic and standard.
    package static let timestampMillis = PlayIntegrityField("requestDetails", "timestampMillis")
    /// RFC 3339, PC only.
    package static let requestTime = PlayIntegrityField("requestDetails", "requestTime")

    /// Block: what Google Play knows of the app.
    package static let appIntegrity = PlayIntegrityField("appIntegrity")
    /// `PLAY_RECOGNIZED`, `UNRECOGNIZED_VERSION` or `UNEVALUATED`.
    package static let appRecognitionVerdict = PlayIntegrityField("appIntegrity", "appRecognitionVerdict")
    /// Text: the app that is installed.
    package static let packageName = PlayIntegrityField("appIntegrity", "packageName")
    /// List of base64url texts without padding.
    package static let certificateSha256Digest = PlayIntegrityField("appIntegrity", "certificateSha256Digest")
    /// A 64-bit number as text.
    package static let versionCode = PlayIntegrityField("appIntegrity", "versionCode")

    /// Block: what Google Play knows of the device.
    package static let deviceIntegrity = PlayIntegrityField("deviceIntegrity")
    /// List of `MEETS_BASIC_INTEGRITY`, `MEETS_DEVICE_INTEGRITY`, `MEETS_STRONG_INTEGRITY`,
    /// `MEETS_VIRTUAL_INTEGRITY`, and on PC `MEETS_PC_INTEGRITY`.
    package static let deviceRecognitionVerdict = PlayIntegrityField("deviceIntegrity", "deviceRecognitionVerdict")
    /// List, as ``deviceRecognitionVerdict``: what it would have been before May 2025.
    package static let legacyDeviceRecognitionVerdict =
        PlayIntegrityField("deviceIntegrity", "legacyDeviceRecognitionVerdict")
    /// Block: how many tokens were asked for.
    package static let recentDeviceActivity = PlayIntegrityField("deviceIntegrity", "recentDeviceActivity")
    /// `LEVEL_1` to `LEVEL_4`, or `UNEVALUATED`.
    package static let deviceActivityLevel =
        PlayIntegrityField("deviceIntegrity", "recentDeviceActivity", "deviceActivityLevel")
    /// Block: the device's attributes.
    package static let deviceAttributes = PlayIntegrityField("deviceIntegrity", "deviceAttributes")
    /// A number: Android's API level.
    package static let sdkVersion = PlayIntegrityField("deviceIntegrity", "deviceAttributes", "sdkVersion")
    /// Block: the bits that the app's owner wrote.
    package static let deviceRecall = PlayIntegrityField("deviceIntegrity", "deviceRecall")
    /// Block of booleans `bitFirst`, `bitSecond`, `bitThird`.
    package static let recallValues = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values")
    /// Boolean.
    package static let bitFirst = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values", "bitFirst")
    /// Boolean.
    package static let bitSecond = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values", "bitSecond")
    /// Boolean.
    package static let bitThird = PlayIntegrityField("deviceIntegrity", "deviceRecall", "values", "bitThird")
    /// Block of numbers `yyyymmFirst`, `yyyymmSecond`, `yyyymmThird`.
    package static let recallWriteDates = PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates")
    /// A number such as 202609.
    package static let yyyymmFirst = PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates", "yyyymmFirst")
    /// A number such as 202609.
    package static let yyyymmSecond =
        PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates", "yyyymmSecond")
    /// A number such as 202609.
    package static let yyyymmThird = PlayIntegrityField("deviceIntegrity", "deviceRecall", "writeDates", "yyyymmThird")

    /// Block: what Google Play knows of the account.
    package static let accountDetails = PlayIntegrityField("accountDetails")
    /// `LICENSED`, `UNLICENSED` or `UNEVALUATED`.
    package static let appLicensingVerdict = PlayIntegrityField("accountDetails", "appLicensingVerdict")

    /// Block: what else runs on the device.
    package static let environmentDetails = PlayIntegrityField("environmentDetails")
    /// Block: apps that may capture or control the app.
    package static let appAccessRiskVerdict = PlayIntegrityField("environmentDetails", "appAccessRiskVerdict")
    /// List of `KNOWN_` or `UNKNOWN_` with `INSTALLED`, `CAPTURING`, `OVERLAYS` or `CONTROLLING`.
    package static let appsDetected = PlayIntegrityField("environmentDetails", "appAccessRiskVerdict", "appsDetected")
    /// `NO_ISSUES`, `NO_DATA`, `POSSIBLE_RISK`, `MEDIUM_RISK`, `HIGH_RISK` or `UNEVALUATED`.
    package static let playProtectVerdict = PlayIntegrityField("environmentDetails", "playProtectVerdict")
    /// List of labels such as `LOW_RISK_DEVICE` and `HIGH_RISK_NETWORK`.
    package static let locationSpoofingRiskVerdict =
        PlayIntegrityField("environmentDetails", "locationSpoofingRiskVerdict")

    /// Block: what the console was told to answer.
    package static let testingDetails = PlayIntegrityField("testingDetails")
    /// Boolean.
    package static let isTestingResponse = PlayIntegrityField("testingDetails", "isTestingResponse")
}
