package import AssayCore
import AssayPrimitives
package import AssayTokens
package import FoundationEssentials

/// What one device does with its pins until a time, by the decision of an operator.
package struct DevicePinMode: Sendable, Equatable {
    /// The longest time that a mode is set for, in seconds: 30 days.
    package static let longestTime = 30 * 86_400.0
    /// The longest life of a configuration with a mode, in seconds: a day. A device that goes on gets the next one with a token.
    package static let longestLife = 86_400.0

    /// The attested key, the device, or the client's key.
    package let device: LedgerSubject
    /// What the device does.
    package let mode: PinMode
    /// When the mode ends: a whole second.
    package let until: Date
    /// The operator who set it; nil for none.
    package let setBy: String?

    /// States a mode. The end is rounded down to a second.
    package init(_ device: LedgerSubject, _ mode: PinMode, until: Date, setBy: String?) {
        (self.device, self.mode, self.setBy) = (device, mode, setBy)
        self.until = Date(timeIntervalSince1970: until.timeIntervalSince1970.rounded(.down))
    }

    /// Whether it is in force at a time.
    package func isInForce(at now: Date) -> Bool { now < until }

    /// The entry of the register.
    var object: RecordObject {
        var members: [(String, RecordValue.Content)] = [
            ("kind", .text(device.kind.rawValue)), ("name", .text(device.name)), ("mode", .text(mode.rawValue)),
            ("until", .text(RFC3339.format(until))),
        ]
        if let setBy { members.append(("setBy", .text(setBy))) }
        return RecordObject(members)
    }

    /// The entry as one JSON object on one line.
    package var json: String {
        var bytes: [UInt8] = []
        RecordJSON.append(.object(object), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads an entry of the register.
    init(reading value: RecordValue, path: String) throws(RecordError) {
        let fields = try RecordFields(value, path: path)
        try fields.requireOnly(["kind", "name", "mode", "until", "setBy"])
        guard let kind = try fields.text("kind").flatMap(LedgerSubject.Kind.init(rawValue:)) else {
            throw fields.error("kind", "expected the kind of a device")
        }
        guard let name = try fields.text("name") else { throw fields.missing("name") }
        guard let mode = try fields.text("mode").flatMap(PinMode.init(rawValue:)) else {
            throw fields.error("mode", "expected a mode")
        }
        guard let until = try fields.text("until").flatMap({ RFC3339.parse($0) }) else {
            throw fields.error("until", "expected a time of RFC 3339")
        }
        self.init(LedgerSubject(kind, name), mode, until: until, setBy: try fields.text("setBy"))
    }
}
