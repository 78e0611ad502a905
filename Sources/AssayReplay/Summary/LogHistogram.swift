/// How often which value came, with bounds that are fixed: eight intervals for each doubling, and each value below eight
/// by itself. Values are whole numbers of whatever is counted, so that every machine counts alike.
public struct LogHistogram: Sendable, Equatable, Mergeable {
    /// Greater values count as this one.
    static let greatestValue = 1 << 53

    /// How many values are less than zero: evidence that is younger than the moment it was judged at.
    public private(set) var negative = 0
    /// How many values are in each interval that has any.
    private(set) var counts: [Int: Int] = [:]
    /// The least value that is not negative, and nil without any.
    public private(set) var least: Int?
    /// The greatest value, and nil without any.
    public private(set) var greatest: Int?

    /// Nothing counted.
    public init() {}

    /// A histogram as it was written. Nil when there is no such interval.
    init?(negative: Int, least: Int?, greatest: Int?, counts: [(Int, Int)]) {
        let indices = 0...LogHistogram.index(of: LogHistogram.greatestValue)
        guard counts.allSatisfy({ indices.contains($0.0) }), (least == nil) == counts.isEmpty,
            (greatest == nil) == counts.isEmpty
        else { return nil }
        self.negative = negative
        self.least = least
        self.greatest = greatest
        for (index, count) in counts { self.counts[index, default: 0].count(count) }
    }

    /// How many values there are, negative ones included.
    public var count: Int { counts.values.reduce(into: negative) { $0.count($1) } }

    /// Counts a value.
    package mutating func add(_ value: Int) {
        guard value >= 0 else { return negative.count(1) }
        let value = min(value, LogHistogram.greatestValue)
        counts[LogHistogram.index(of: value), default: 0].count(1)
        least = min(least ?? value, value)
        greatest = max(greatest ?? value, value)
    }

    package mutating func merge(_ other: LogHistogram) {
        negative.count(other.negative)
        for (index, count) in other.counts { counts[index, default: 0].count(count) }
        least = [least, other.least].compactMap { $0 }.min()
        greatest = [greatest, other.greatest].compactMap { $0 }.max()
    }

    /// The intervals that have values, in their order.
    public var intervals: [(values: Range<Int>, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { (LogHistogram.values(at: $0.key), $0.value) }
    }

    /// The value that so many in a thousand of all values do not exceed, an eighth too great at most; nil without values.
    /// Among negative ones it is zero.
    public func percentile(permille: Int) -> Int? {
        let count = count
        guard count > 0, let greatest else { return count > 0 ? 0 : nil }
        let rank = max(1, count / 1000 * permille + (count % 1000 * permille + 999) / 1000)
        var seen = negative
        guard rank > seen else { return 0 }
        for (values, count) in intervals {
            seen.count(count)
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
