import AssayCore

/// A label of a Play Integrity payload, such as `MEETS_DEVICE_INTEGRITY` (Google, "Integrity verdicts"). Google may add
/// labels: unknown ones are kept, and comparison by bytes ensures that they satisfy no requirement.
public struct IntegrityLabel: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The label as in the payload.
    public let name: String

    /// Creates a label, known or not.
    public init(_ name: String) { self.name = name }

    /// Creates a label, known or not.
    public init(stringLiteral name: String) { self.name = name }

    /// The label as in the payload.
    public var description: String { name }

    /// Compares bytes: a canonically equivalent text is a different label.
    public static func == (left: IntegrityLabel, right: IntegrityLabel) -> Bool {
        left.name.isByteEqual(to: right.name)
    }

    /// Hashes bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

extension Collection where Element == IntegrityLabel {
    /// The labels, comma-separated, for messages.
    var listed: String { isEmpty ? "none" : map(\.name.excerpt).joined(separator: ", ") }
}

// MARK: Labels that checks and policies name

extension IntegrityLabel {
    package static let playRecognized: IntegrityLabel = "PLAY_RECOGNIZED"
    package static let unevaluated: IntegrityLabel = "UNEVALUATED"
    package static let licensed: IntegrityLabel = "LICENSED"

    package static let basic: IntegrityLabel = "MEETS_BASIC_INTEGRITY"
    package static let device: IntegrityLabel = "MEETS_DEVICE_INTEGRITY"
    package static let strong: IntegrityLabel = "MEETS_STRONG_INTEGRITY"
    package static let virtual: IntegrityLabel = "MEETS_VIRTUAL_INTEGRITY"
    package static let pc: IntegrityLabel = "MEETS_PC_INTEGRITY"

    package static let noIssues: IntegrityLabel = "NO_ISSUES"
    package static let noData: IntegrityLabel = "NO_DATA"

    package static let unknownCapturing: IntegrityLabel = "UNKNOWN_CAPTURING"
    package static let unknownOverlays: IntegrityLabel = "UNKNOWN_OVERLAYS"
    package static let unknownControlling: IntegrityLabel = "UNKNOWN_CONTROLLING"

    package static let lowRiskDevice: IntegrityLabel = "LOW_RISK_DEVICE"
    package static let lowRiskNetwork: IntegrityLabel = "LOW_RISK_NETWORK"

    /// The levels of device activity, lowest first.
    static let activityLevels: [IntegrityLabel] = ["LEVEL_1", "LEVEL_2", "LEVEL_3", "LEVEL_4"]

    /// The position of a device activity level, 0 for the lowest; nil for other labels.
    var activityRank: Int? { Self.activityLevels.firstIndex(of: self) }

    /// True if the access risk is about apps that Google Play knows.
    var isOfKnownApps: Bool { name.utf8.starts(with: "KNOWN_".utf8) }

    /// The rank of a phone label; nil for `virtual`, `pc` and unknown labels, which no other label implies.
    private var deviceRank: Int? { [.basic, .device, .strong].firstIndex(of: self) }

    /// True if a device with this label meets the requirement: the same label or a weaker one.
    func satisfies(_ required: IntegrityLabel) -> Bool {
        if self == required { return true }
        guard let deviceRank, let other = required.deviceRank else { return false }
        return deviceRank > other
    }

    /// True if this label requires less than the other. Labels without a rank come below all others.
    func isWeaker(than other: IntegrityLabel) -> Bool { (deviceRank ?? -1) < (other.deviceRank ?? -1) }
}
