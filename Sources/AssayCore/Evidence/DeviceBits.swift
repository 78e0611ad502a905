package import AssayPrimitives

/// The two bits that Apple keeps for a device and a developer account (Apple, Accessing and modifying per-device data).
public struct DeviceBits: Sendable, Equatable {
    /// `bit0`.
    public let first: Bool
    /// `bit1`.
    public let second: Bool
    /// The month of the last change, as `2026-04`; nil if the bits were never set.
    public let changedIn: String?

    /// Describes bits.
    public init(first: Bool, second: Bool, changedIn: String?) {
        (self.first, self.second, self.changedIn) = (first, second, changedIn)
    }

    /// The facts for verdicts and records.
    package var fields: [SubjectField] {
        var fields = [SubjectField("bit0", .flag(first)), SubjectField("bit1", .flag(second))]
        fields.add("changedIn", text: changedIn)
        return fields
    }

    /// The bits as an object of a record.
    package var object: RecordObject {
        let month = changedIn.map { [("changedIn", RecordValue.Content.text($0))] } ?? []
        return RecordObject([("bit0", .flag(first)), ("bit1", .flag(second))] + month)
    }

    /// The month of the last change, counted from year 0; nil if it is no month.
    package var monthOfChange: Int? {
        guard let parts = changedIn?.split(separator: "-", omittingEmptySubsequences: false), parts.count == 2,
            parts[0].utf8.count == 4, parts[1].utf8.count == 2, let year = Int(parts[0]), let month = Int(parts[1]),
            year >= 0, (1...12).contains(month)
        else { return nil }
        return year * 12 + month - 1
    }
}
