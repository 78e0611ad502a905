/// A field of an integrity token's payload, by its path such as `deviceIntegrity.deviceRecognitionVerdict`. Source: the
/// schema of `tokenPayloadExternal` in Google's API description, revision 20260910.
public struct PlayIntegrityField: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The names from the outermost block to the field.
    package let path: [String]

    /// Names a field, such as `PlayIntegrityField("deviceIntegrity", "newSignal")`.
    package init(_ path: String...) { self.path = path }

    /// Names a field, known or not, by its dotted path.
    public init(stringLiteral path: String) { self.path = path.split(separator: ".").map(String.init) }

    /// Block: the request of the app.
    package static let requestDetails = PlayIntegrityField("requestDetails")
    /// Text: the package name of the requesting app.
    package static let requestPackageName = PlayIntegrityField("requestDetails", "requestPackageName")
    /// Base64url text, classic only.
    package static let nonce = PlayIntegrityField("requestDetails", "nonce")
    /// Text, standard and PC only.
    package static let requestHash = PlayIntegrityField("requestDetails", "requestHash")
    /// Milliseconds since 1970 as text, classic and standard.
    package static let timestampMillis = PlayIntegrityField("requestDetails", "timestampMillis")
    /// RFC 3339, PC only.
    package static let requestTime = PlayIntegrityField("requestDetails", "requestTime")

    /// Block: the app as Google Play knows it.
    package static let appIntegrity = PlayIntegrityField("appIntegrity")
    /// `PLAY_RECOGNIZED`, `UNRECOGNIZED_VERSION` or `UNEVALUATED`.
    package static let appRecognitionVerdict = PlayIntegrityField("appIntegrity", "appRecognitionVerdict")
    /// Text: the package name of the installed app.
    package static let packageName = PlayIntegrityField("appIntegrity", "packageName")
    /// List of base64url texts without padding: the digests of the signing certificates.
    package static let certificateSha256Digest = PlayIntegrityField("appIntegrity", "certificateSha256Digest")
    /// A 64-bit number as text.
    package static let versionCode = PlayIntegrityField("appIntegrity", "versionCode")

    /// Block: the device as Google Play knows it.
    package static let deviceIntegrity = PlayIntegrityField("deviceIntegrity")
    /// List of `MEETS_BASIC_INTEGRITY`, `MEETS_DEVICE_INTEGRITY`, `MEETS_STRONG_INTEGRITY`,
    /// `MEETS_VIRTUAL_INTEGRITY`, and on PC `MEETS_PC_INTEGRITY`.
    package static let deviceRecognitionVerdict = PlayIntegrityField("deviceIntegrity", "deviceRecognitionVerdict")
    /// List like ``deviceRecognitionVerdict``: the verdict by the rules before May 2025.
    package static let legacyDeviceRecognitionVerdict =
        PlayIntegrityField("deviceIntegrity", "legacyDeviceRecognitionVerdict")
    /// Block: the number of recent token requests.
    package static let recentDeviceActivity = PlayIntegrityField("deviceIntegrity", "recentDeviceActivity")
    /// `LEVEL_1` to `LEVEL_4`, or `UNEVALUATED`.
    package static let deviceActivityLevel =
        PlayIntegrityField("deviceIntegrity", "recentDeviceActivity", "deviceActivityLevel")
    /// Block: the device's attributes.
    package static let deviceAttributes = PlayIntegrityField("deviceIntegrity", "deviceAttributes")
    /// Number: Android's API level.
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

    /// Block: the account as Google Play knows it.
    package static let accountDetails = PlayIntegrityField("accountDetails")
    /// `LICENSED`, `UNLICENSED` or `UNEVALUATED`.
    package static let appLicensingVerdict = PlayIntegrityField("accountDetails", "appLicensingVerdict")

    /// Block: the other software on the device.
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

    /// Block: the test response configured in the console.
    package static let testingDetails = PlayIntegrityField("testingDetails")
    /// Boolean.
    package static let isTestingResponse = PlayIntegrityField("testingDetails", "isTestingResponse")
}
