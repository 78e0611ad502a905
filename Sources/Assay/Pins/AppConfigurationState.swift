package import AssayCore
package import AssayPrimitives
import AssayTokens
package import FoundationEssentials

/// What the ledger keeps of the configuration of apps: its version with what it stands for, the version that apps must have, and the
/// modes of devices.
///
/// The version grows by one whenever a server, or a command, finds other pins or keys than the version stands for. Of several that do
/// so at once, one stores the next version, and the others find it stored. So a version has one content for all servers of a ledger.
package struct AppConfigurationState: LedgerRegisterContent {
    package static let documentName = "app-configuration"
    package static let title = "the state of the configuration of apps"
    /// The most devices with a mode.
    package static let maximumModes = 1000

    /// The version; 0 before the first one.
    package private(set) var version: Int64 = 0
    /// The revision of the pins that the version stands for.
    package private(set) var pins: Int64 = 0
    /// The IDs of the keys that it stands for, in a fixed order.
    package private(set) var keys: [String] = []
    /// Apps with an older version must take over the present one before they connect; 0 for none.
    package private(set) var force: Int64 = 0
    /// The modes of devices, of which some may have ended.
    package private(set) var modes: [DevicePinMode] = []

    /// Before the first version.
    package init() {}

    /// Whether the version stands for these pins and keys.
    func standsFor(pins: Int64, keys: [String]) -> Bool {
        version > 0 && self.pins == pins && self.keys.elementsEqual(keys) { $0.isByteEqual(to: $1) }
    }

    /// Brings the next version for other pins or keys.
    mutating func advance(pins: Int64, keys: [String]) {
        version = min(version + 1, HeldConfiguration.largestVersion)
        (self.pins, self.keys) = (pins, keys)
    }

    /// Has all apps take over the present configuration before they connect to a pinned host.
    ///
    /// - Parameters:
    ///   - pins: the revision of the pins: servers may not have looked at it yet.
    ///   - former: a version that apps may have, as before a backup was restored; the new one is greater.
    package mutating func force(pins: Int64, above former: Int64 = 0) {
        if former >= version || pins != self.pins || version == 0 {
            version = max(version, former)
            advance(pins: pins, keys: keys)
        }
        force = version
    }

    /// The mode of a device in force; nil for none.
    package func mode(of device: LedgerSubject, at now: Date) -> DevicePinMode? {
        modes.first { $0.device == device && $0.isInForce(at: now) }
    }

    /// Sets the mode of a device, and forgets those that have ended. ``PinMode/pin`` ends the mode.
    ///
    /// - Returns: false if there are as many modes as the register takes.
    package mutating func set(_ mode: DevicePinMode, at now: Date) -> Bool {
        var others = modes.filter { $0.isInForce(at: now) && $0.device != mode.device }
        if mode.mode != .pin {
            guard others.count < Self.maximumModes else { return false }
            others.append(mode)
        }
        modes = others
        return true
    }

    /// Reads the register.
    package init(reading object: RecordObject) throws(RecordError) {
        let fields = RecordFields(object, path: "")
        try fields.requireOnly(["version", "pins", "keys", "force", "modes"])
        func number(_ name: String) throws(RecordError) -> Int64 {
            guard case .number(let text)? = fields[name]?.content, let number = Int64(text),
                (0...HeldConfiguration.largestVersion).contains(number)
            else { throw fields.error(name, "expected a whole number") }
            return number
        }
        (version, pins, force) = (try number("version"), try number("pins"), try number("force"))
        keys = try fields.texts("keys")
        guard case .array(let elements)? = fields["modes"]?.content else {
            throw fields.error("modes", "expected a list")
        }
        for (index, element) in elements.enumerated() {
            modes.append(try DevicePinMode(reading: element, path: "modes[\(index)]"))
        }
    }

    /// The register as JSON.
    package var object: RecordObject {
        RecordObject([
            ("version", .number("\(version)")), ("pins", .number("\(pins)")),
            ("keys", .array(keys.map { RecordValue(.text($0), offset: 0) })), ("force", .number("\(force)")),
            ("modes", .array(modes.map { RecordValue(.object($0.object), offset: 0) })),
        ])
    }
}
