import AssayCore
import FoundationEssentials

/// A time in whole milliseconds, clamped to the years 0000 to 9999.
package struct ReplayTime: Sendable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970.
    let milliseconds: Int

    init(_ date: Date) {
        let bounds = -62_167_219_200_000...253_402_300_799_999.0
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        // NaN fails the comparison.
        milliseconds = Int(rounded >= bounds.lowerBound ? min(rounded, bounds.upperBound) : bounds.lowerBound)
    }

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// RFC 3339.
    package var description: String { RFC3339.format(Date(timeIntervalSince1970: Double(milliseconds) / 1000)) }

    package static func < (left: ReplayTime, right: ReplayTime) -> Bool { left.milliseconds < right.milliseconds }
}

/// Outcomes over time, in intervals that start at multiples of their length since 1970.
///
/// The length is the shortest of ``widths`` at which at most ``limit`` intervals hold records.
struct TimeSeries: Sendable {
    /// The interval lengths in milliseconds: 1, 5 and 15 minutes, 1 and 6 hours, a day, a week, and from there four
    /// times the previous one. Each divides the next one.
    static let widths: [Int] = {
        var widths = [60, 300, 900, 3600, 21_600, 86_400, 604_800].map { $0 * 1000 }
        while let last = widths.last, last < 4096 * 604_800_000 { widths.append(last * 4) }
        return widths
    }()
    /// The most intervals. The greatest length covers the years 0000 to 9999 with far fewer.
    static let limit = 2000

    /// The index of ``width`` in ``widths``.
    private(set) var level = 0
    private var tallies: [Int: OutcomeTally] = [:]

    /// The length of an interval in milliseconds.
    var width: Int { TimeSeries.widths[level] }

    /// The intervals that hold records, in ascending order. An interval starts at its number times ``width``.
    var intervals: [(number: Int, tally: OutcomeTally)] {
        tallies.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Counts a record.
    mutating func add(_ time: ReplayTime, _ outcome: ReplayOutcome, against: ReplayOutcome?) {
        tallies[TimeSeries.quotient(time.milliseconds, width), default: OutcomeTally()].add(outcome, against: against)
        while tallies.count > TimeSeries.limit, level + 1 < TimeSeries.widths.count { coarsen() }
    }

    /// Merges intervals into those of the next greater length.
    mutating func coarsen() {
        let factor = TimeSeries.widths[level + 1] / width
        var coarse: [Int: OutcomeTally] = [:]
        for (number, tally) in tallies {
            coarse[TimeSeries.quotient(number, factor), default: OutcomeTally()].add(tally)
        }
        tallies = coarse
        level += 1
    }

    /// Floor division, also for negative values.
    private static func quotient(_ value: Int, _ divisor: Int) -> Int {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
