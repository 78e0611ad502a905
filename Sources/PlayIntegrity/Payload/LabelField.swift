/// A payload field whose value is a label or a list of labels.
package enum LabelField: String, CaseIterable {
    case appRecognition = "appIntegrity.appRecognitionVerdict"
    case deviceRecognition = "deviceIntegrity.deviceRecognitionVerdict"
    case legacyDeviceRecognition = "deviceIntegrity.legacyDeviceRecognitionVerdict"
    case deviceActivity = "deviceIntegrity.recentDeviceActivity.deviceActivityLevel"
    case licensing = "accountDetails.appLicensingVerdict"
    case accessRisk = "environmentDetails.appAccessRiskVerdict.appsDetected"
    case playProtect = "environmentDetails.playProtectVerdict"
    /// Google's API description has this field but not its labels. The labels here come from captured answers, or
    /// follow their pattern. A policy may name others.
    case locationSpoofing = "environmentDetails.locationSpoofingRiskVerdict"

    var labels: [IntegrityLabel] { Self.labels[index] }

    /// True if the label is one that Google documents for the field.
    func contains(_ label: IntegrityLabel) -> Bool { Self.labels[index].contains(label) }

    /// Created once: every payload is compared with them.
    private static let labels = allCases.map { field in field.meanings.map { IntegrityLabel($0.label) } }

    private var index: Int {
        switch self {
        case .appRecognition: 0
        case .deviceRecognition: 1
        case .legacyDeviceRecognition: 2
        case .deviceActivity: 3
        case .licensing: 4
        case .accessRisk: 5
        case .playProtect: 6
        case .locationSpoofing: 7
        }
    }

    /// The known labels of the field with their meanings.
    package var meanings: [(label: String, meaning: String)] {
        switch self {
        case .appRecognition: Self.recognition
        case .deviceRecognition, .legacyDeviceRecognition: Self.device
        case .deviceActivity: Self.activity
        case .licensing: Self.license
        case .accessRisk: Self.access
        case .playProtect: Self.protect
        case .locationSpoofing: Self.location
        }
    }

    private static let unevaluated = (label: "UNEVALUATED", meaning: "not evaluated: a precondition was not met")

    private static let recognition = [
        ("PLAY_RECOGNIZED", "app and certificate are those that Google Play distributes"),
        ("UNRECOGNIZED_VERSION", "certificate or package name are others than those on record"),
        unevaluated,
    ]

    private static let device = [
        ("MEETS_BASIC_INTEGRITY", "basic checks of the system; the device may not be certified"),
        ("MEETS_DEVICE_INTEGRITY", "a certified Android device"),
        (
            "MEETS_STRONG_INTEGRITY",
            "a certified device with a hardware-backed proof of boot, and from Android 13 on a security update of the "
                + "last year"
        ),
        ("MEETS_VIRTUAL_INTEGRITY", "an emulator with Google Play services"),
        ("MEETS_PC_INTEGRITY", "a genuine Google Play Games on PC"),
    ]

    private static let activity = [
        ("LEVEL_1", "the lowest activity: few tokens in the last hour"), ("LEVEL_2", "low activity"),
        ("LEVEL_3", "high activity"), ("LEVEL_4", "the highest activity: an attack or a farm may do this"), unevaluated,
    ]

    private static let license = [
        ("LICENSED", "the user installed or bought the app on Google Play"),
        ("UNLICENSED", "the user did not get the app from Google Play; the dialog GET_LICENSED (1) offers it"),
        unevaluated,
    ]

    private static let access = [
        ("KNOWN_INSTALLED", "apps from Google Play, or of the system, are installed"),
        ("KNOWN_CAPTURING", "such apps may see the screen"), ("KNOWN_OVERLAYS", "such apps may draw over this one"),
        ("KNOWN_CONTROLLING", "such apps may control the device"), ("UNKNOWN_INSTALLED", "other apps are installed"),
        ("UNKNOWN_CAPTURING", "other apps may see the screen"),
        ("UNKNOWN_OVERLAYS", "other apps may draw over this one"),
        ("UNKNOWN_CONTROLLING", "other apps may control the device"),
    ]

    private static let protect = [
        ("NO_ISSUES", "on, and nothing was found"), ("NO_DATA", "on, and it has not looked yet"),
        ("POSSIBLE_RISK", "off"), ("MEDIUM_RISK", "potentially harmful apps are installed"),
        ("HIGH_RISK", "dangerous apps are installed"), unevaluated,
    ]

    private static let location = [
        ("LOW_RISK_DEVICE", "low risk of the device"), ("LOW_RISK_NETWORK", "low risk of the network"),
        ("HIGH_RISK_DEVICE", "high risk of the device"), ("HIGH_RISK_NETWORK", "high risk of the network"), unevaluated,
    ]
}
