/// Counts of integers in logarithmic intervals: one per value below 8, then eight per doubling.
package struct LogHistogram: Sendable {
    /// Greater values are counted as this one.
    static let greatestValue = 1 << 53

    /// The number of negative values.
    package private(set) var negative = 0
    /// The least non-negative value; nil if there is none.
    package private(set) var least: Int?
    /// The greatest non-negative value; nil if there is none.
    package private(set) var greatest: Int?
    private var counts: [Int: Int] = [:]

    /// An empty histogram.
    package init() {}

    /// The number of values, negative ones included.
    package var count: Int { counts.values.reduce(negative, +) }

    /// Counts a value.
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

    /// The interval of a value.
    static func index(of value: Int) -> Int {
        guard value >= 8 else { return value }
        let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
        return 8 * (exponent - 2) + (value >> (exponent - 3)) & 7
    }

    /// The values of an interval.
    static func values(at index: Int) -> Range<Int> {
        guard index >= 8 else { return index..<index + 1 }
        let shift = index / 8 - 1
        let lower = (8 + index % 8) << shift
        return lower..<lower + 1 << shift
    }
}
