import AssayCore
package import FoundationEssentials

/// The outcome of one record under one policy.
package enum ReplayOutcome: String, Sendable, CaseIterable {
    case accepted
    case rejected
    /// There is no verdict: the record is unreadable, or no policy applies.
    case failed

    /// The outcome in messages.
    package var word: String { self == .failed ? "not judged" : rawValue }
}

/// Counts of outcomes, and of records whose acceptance differs under the second policy.
package struct OutcomeTally: Sendable, Equatable {
    package private(set) var accepted = 0
    package private(set) var rejected = 0
    /// Records without a verdict.
    package private(set) var failed = 0
    /// Records that only the first policy accepts.
    package private(set) var lost = 0
    /// Records that only the second policy accepts.
    package private(set) var gained = 0

    package var total: Int { accepted + rejected + failed }
    /// Records that exactly one of the two policies accepts.
    package var changed: Int { lost + gained }

    package init(accepted: Int = 0, rejected: Int = 0, failed: Int = 0) {
        (self.accepted, self.rejected, self.failed) = (accepted, rejected, failed)
    }

    mutating func add(_ outcome: ReplayOutcome, against: ReplayOutcome?) {
        switch outcome {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .failed: failed += 1
        }
        guard let against, (outcome == .accepted) != (against == .accepted) else { return }
        if outcome == .accepted { lost += 1 } else { gained += 1 }
    }

    package mutating func add(_ other: OutcomeTally) {
        accepted += other.accepted
        rejected += other.rejected
        failed += other.failed
        lost += other.lost
        gained += other.gained
    }
}

/// How often one check failed.
package struct CheckTally: Sendable {
    /// The number of rejections with this check as the first failed one.
    package var first = 0
    /// The number of verdicts in which it failed.
    package var failed = 0
    /// The number of verdicts in which it failed and the policy only annotates it.
    package var annotated = 0
}

/// What one policy decided about a record.
package struct FlowEnd: Sendable, Hashable {
    package let outcome: ReplayOutcome
    /// The first failed check, or the code of the failure; empty for an accepted record.
    package let reason: String

    init(_ judgement: ReplayedRecord.Judgement) {
        outcome = judgement.outcome
        reason = judgement.reason
    }
}

/// What both policies decided about a record.
package struct ReplayFlow: Sendable, Hashable {
    package let from: FlowEnd
    package let to: FlowEnd

    /// Whether exactly one of the two accepts the record.
    package var isChange: Bool { (from.outcome == .accepted) != (to.outcome == .accepted) }
}

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

/// Outcomes over time, in intervals that start at multiples of their length since 1970: the shortest of ``widths`` at which at most
/// ``limit`` intervals hold records.
package struct TimeSeries: Sendable {
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

    package init() {}

    /// Adds the outcomes of a minute.
    package mutating func add(_ tally: OutcomeTally, at time: Date) {
        tallies[TimeSeries.quotient(ReplayTime(time).milliseconds, width), default: OutcomeTally()].add(tally)
        while tallies.count > TimeSeries.limit, level + 1 < TimeSeries.widths.count { coarsen() }
    }

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

/// Counts of integers in logarithmic intervals: one per value below 8, then eight per doubling.
package struct LogHistogram: Sendable {
    /// Greater values are counted as this one.
    static let greatestValue = 1 << 53

    package private(set) var negative = 0
    /// The least non-negative value; nil if there is none.
    package private(set) var least: Int?
    /// The greatest non-negative value; nil if there is none.
    package private(set) var greatest: Int?
    private var counts: [Int: Int] = [:]

    package init() {}

    /// The number of values, negative ones included.
    package var count: Int { counts.values.reduce(negative, +) }

    package mutating func add(_ value: Int) {
        guard value >= 0 else { return negative += 1 }
        let value = min(value, LogHistogram.greatestValue)
        counts[LogHistogram.index(of: value), default: 0] += 1
        least = min(least ?? value, value)
        greatest = max(greatest ?? value, value)
    }

    /// The intervals that hold values, in ascending order.
    package var intervals: [(values: Range<Int>, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { (LogHistogram.values(at: $0.key), $0.value) }
    }

    /// An upper bound of `permille` thousandths of the values, at most an eighth too great; negative values count as 0.
    package func percentile(permille: Int) -> Int? {
        let count = count
        guard count > 0 else { return nil }
        let rank = max(1, count / 1000 * permille + (count % 1000 * permille + 999) / 1000)
        var seen = negative
        guard rank > seen, let greatest else { return 0 }
        for (values, count) in intervals {
            seen += count
            if seen >= rank { return min(values.upperBound - 1, greatest) }
        }
        return greatest
    }

    static func index(of value: Int) -> Int {
        guard value >= 8 else { return value }
        let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
        return 8 * (exponent - 2) + (value >> (exponent - 3)) & 7
    }

    static func values(at index: Int) -> Range<Int> {
        guard index >= 8 else { return index..<index + 1 }
        let shift = index / 8 - 1
        let lower = (8 + index % 8) << shift
        return lower..<lower + 1 << shift
    }
}
