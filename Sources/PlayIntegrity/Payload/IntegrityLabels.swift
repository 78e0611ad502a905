import AssayCore

/// A word of a payload, of a list that Google may extend.
///
/// Unknown words are kept as they are. They equal no known one, compared by bytes, so that none satisfies a requirement.
public protocol IntegrityLabel: Hashable, Sendable, CustomStringConvertible {
    /// The word as it stands in the payload.
    var name: String { get }

    /// Takes a word, known or not.
    init(_ name: String)
}

/// A label whose documented words are listed.
package protocol DocumentedLabel: IntegrityLabel {
    /// The words that are documented.
    static var known: [Self] { get }
}

extension IntegrityLabel {
    /// The word as it stands in the payload.
    public var description: String { name }

    /// Compares bytes: a canonically equivalent text is another word.
    public static func == (left: Self, right: Self) -> Bool { left.name.isByteEqual(to: right.name) }

    /// Hashes bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

extension DocumentedLabel {
    /// Whether the word is documented.
    package var isKnown: Bool { Self.known.contains(self) }
}

extension Collection where Element: IntegrityLabel {
    /// The words, as a detail lists them.
    var listed: String { isEmpty ? "none" : map(\.name.excerpt).joined(separator: ", ") }
}

/// Whether Google Play recognises the app: `appIntegrity.appRecognitionVerdict`.
public struct AppRecognition: DocumentedLabel {
    /// The word as it stands in the payload.
    public let name: String
    /// Takes a word, known or not.
    public init(_ name: String) { self.name = name }

    /// App and certificate are those that Google Play distributes.
    public static let playRecognized = AppRecognition("PLAY_RECOGNIZED")
    /// Certificate or package name are others than those on record.
    public static let unrecognizedVersion = AppRecognition("UNRECOGNIZED_VERSION")
    /// A precondition was not met, such as a device that can be trusted.
    public static let unevaluated = AppRecognition("UNEVALUATED")
    /// The words that are documented.
    package static let known = [playRecognized, unrecognizedVersion, unevaluated]
}

/// What a device meets: `deviceIntegrity.deviceRecognitionVerdict`.
public struct DeviceIntegrityLabel: DocumentedLabel {
    /// The word as it stands in the payload.
    public let name: String
    /// Takes a word, known or not.
    public init(_ name: String) { self.name = name }

    /// Basic checks of the system; it may not be certified.
    public static let basic = DeviceIntegrityLabel("MEETS_BASIC_INTEGRITY")
    /// A certified Android device.
    public static let device = DeviceIntegrityLabel("MEETS_DEVICE_INTEGRITY")
    /// A certified device with a hardware-backed proof of boot, and since Android 13 a recent security update.
    public static let strong = DeviceIntegrityLabel("MEETS_STRONG_INTEGRITY")
    /// An emulator with Google Play services.
    public static let virtual = DeviceIntegrityLabel("MEETS_VIRTUAL_INTEGRITY")
    /// A genuine Google Play Games on PC.
    public static let pc = DeviceIntegrityLabel("MEETS_PC_INTEGRITY")
    /// The words that are documented.
    package static let known = [basic, device, strong, virtual, pc]

    /// How much a label of a device proves; those that stand for themselves alone have none.
    private var rank: Int? {
        switch self {
        case .basic: 1
        case .device: 2
        case .strong: 3
        default: nil
        }
    }

    /// Whether the label satisfies the demand for another: itself, or a stronger one.
    func satisfies(_ demanded: DeviceIntegrityLabel) -> Bool {
        if self == demanded { return true }
        guard let rank, let other = demanded.rank else { return false }
        return rank > other
    }

    /// Whether the label demands less than another one. One that stands for itself alone is below all others.
    func isWeaker(than other: DeviceIntegrityLabel) -> Bool { (rank ?? 0) < (other.rank ?? 0) }
}

/// How many tokens a device asked for lately: `deviceIntegrity.recentDeviceActivity.deviceActivityLevel`.
public struct DeviceActivityLevel: DocumentedLabel {
    /// The word as it stands in the payload.
    public let name: String
    /// Takes a word, known or not.
    public init(_ name: String) { self.name = name }

    /// The lowest activity.
    public static let level1 = DeviceActivityLevel("LEVEL_1")
    /// Low activity.
    public static let level2 = DeviceActivityLevel("LEVEL_2")
    /// High activity.
    public static let level3 = DeviceActivityLevel("LEVEL_3")
    /// The highest activity.
    public static let level4 = DeviceActivityLevel("LEVEL_4")
    /// A precondition was not met.
    public static let unevaluated = DeviceActivityLevel("UNEVALUATED")
    /// The levels, lowest first.
    static let levels = [level1, level2, level3, level4]
    /// The words that are documented.
    package static let known = levels + [unevaluated]

    /// The number of a level.
    var rank: Int? { Self.levels.firstIndex(of: self) }
}
