import AssayCore
public import FoundationEssentials

/// A time in whole milliseconds, as records have it, between the years 0000 and 9999.
public struct ReplayTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970.
    public let milliseconds: Int

    /// Rounds a time. One that is not between the years 0000 and 9999 becomes their end.
    public init(_ date: Date) {
        let bounds = -62_167_219_200_000...253_402_300_799_999.0
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        // Comparisons with a time that is no number are all false.
        let bounded = rounded >= bounds.lowerBound ? min(rounded, bounds.upperBound) : bounds.lowerBound
        milliseconds = Int(bounded)
    }

    /// A time by its milliseconds since 1970.
    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// Reads what ``description`` writes.
    init?(_ text: String) {
        guard let date = RFC3339.parse(text) else { return nil }
        self.init(date)
    }

    /// The time as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// RFC 3339.
    public var description: String { RFC3339.format(date) }

    /// The earlier one is less.
    public static func < (left: ReplayTime, right: ReplayTime) -> Bool { left.milliseconds < right.milliseconds }
}
