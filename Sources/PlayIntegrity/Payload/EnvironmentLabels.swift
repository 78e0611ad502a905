/// Whether the user got the app from Google Play: `accountDetails.appLicensingVerdict`.
public struct AppLicensing: DocumentedLabel {
    /// The word as it stands in the payload.
    public let name: String
    /// Takes a word, known or not.
    public init(_ name: String) { self.name = name }

    /// The user installed or bought the app on Google Play.
    public static let licensed = AppLicensing("LICENSED")
    /// The user did not, as with a sideloaded copy.
    public static let unlicensed = AppLicensing("UNLICENSED")
    /// A precondition was not met.
    public static let unevaluated = AppLicensing("UNEVALUATED")
    /// The words that are documented.
    package static let known = [licensed, unlicensed, unevaluated]
}

/// What other apps could do to this one: `environmentDetails.appAccessRiskVerdict.appsDetected`.
public struct AppAccessRisk: DocumentedLabel {
    /// The word as it stands in the payload.
    public let name: String
    /// Takes a word, known or not.
    public init(_ name: String) { self.name = name }

    /// Apps from Google Play, or of the system, are installed.
    public static let knownInstalled = AppAccessRisk("KNOWN_INSTALLED")
    /// Such apps may see the screen.
    public static let knownCapturing = AppAccessRisk("KNOWN_CAPTURING")
    /// Such apps may draw over this one.
    public static let knownOverlays = AppAccessRisk("KNOWN_OVERLAYS")
    /// Such apps may control the device.
    public static let knownControlling = AppAccessRisk("KNOWN_CONTROLLING")
    /// Other apps are installed.
    public static let unknownInstalled = AppAccessRisk("UNKNOWN_INSTALLED")
    /// Other apps may see the screen.
    public static let unknownCapturing = AppAccessRisk("UNKNOWN_CAPTURING")
    /// Other apps may draw over this one.
    public static let unknownOverlays = AppAccessRisk("UNKNOWN_OVERLAYS")
    /// Other apps may control the device.
    public static let unknownControlling = AppAccessRisk("UNKNOWN_CONTROLLING")
    /// The words that are documented.
    package static let known = [
        knownInstalled, knownCapturing, knownOverlays, knownControlling, unknownInstalled, unknownCapturing,
        unknownOverlays, unknownControlling,
    ]

    /// Whether the apps are ones that Google Play knows.
    var isOfKnownApps: Bool { name.utf8.starts(with: "KNOWN_".utf8) }
}

/// What Play Protect says of the device: `environmentDetails.playProtectVerdict`.
public struct PlayProtectVerdict: DocumentedLabel {
    /// The word as it stands in the payload.
    public let name: String
    /// Takes a word, known or not.
    public init(_ name: String) { self.name = name }

    /// On, and nothing was found.
    public static let noIssues = PlayProtectVerdict("NO_ISSUES")
    /// On, and it has not looked yet.
    public static let noData = PlayProtectVerdict("NO_DATA")
    /// Off.
    public static let possibleRisk = PlayProtectVerdict("POSSIBLE_RISK")
    /// Potentially harmful apps are installed.
    public static let mediumRisk = PlayProtectVerdict("MEDIUM_RISK")
    /// Dangerous apps are installed.
    public static let highRisk = PlayProtectVerdict("HIGH_RISK")
    /// A precondition was not met.
    public static let unevaluated = PlayProtectVerdict("UNEVALUATED")
    /// The words that are documented.
    package static let known = [noIssues, noData, possibleRisk, mediumRisk, highRisk, unevaluated]
}

/// How far the location can be trusted: `environmentDetails.locationSpoofingRiskVerdict`.
///
/// Google's description of the API names the field and not its words. Those here have been seen, or are the same words of
/// the other part; a policy may name more.
public struct LocationSpoofingRisk: DocumentedLabel {
    /// The word as it stands in the payload.
    public let name: String
    /// Takes a word, known or not.
    public init(_ name: String) { self.name = name }

    /// Low risk of the device.
    public static let lowRiskDevice = LocationSpoofingRisk("LOW_RISK_DEVICE")
    /// Low risk of the network.
    public static let lowRiskNetwork = LocationSpoofingRisk("LOW_RISK_NETWORK")
    /// High risk of the device.
    public static let highRiskDevice = LocationSpoofingRisk("HIGH_RISK_DEVICE")
    /// High risk of the network.
    public static let highRiskNetwork = LocationSpoofingRisk("HIGH_RISK_NETWORK")
    /// A precondition was not met.
    public static let unevaluated = LocationSpoofingRisk("UNEVALUATED")
    /// The words that have been seen.
    package static let known = [lowRiskDevice, lowRiskNetwork, highRiskDevice, highRiskNetwork, unevaluated]
}
