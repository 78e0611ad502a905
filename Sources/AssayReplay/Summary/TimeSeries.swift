/// Outcomes over time, in intervals that become longer as the corpus does.
///
/// An interval begins at a multiple of its length since 1970. The length is the shortest of ``widths`` at which at most
/// ``limit`` intervals have records, which depends on the records alone and not on their order.
struct TimeSeries: Mergeable {
    /// The lengths of intervals in milliseconds: a minute, five, a quarter of an hour, an hour, six, a day, a week, and
    /// fourfold from there on. Each divides the next one.
    static let widths: [Int] = {
        var widths = [60, 300, 900, 3600, 21_600, 86_400, 604_800].map { $0 * 1000 }
        while let last = widths.last, last < 4096 * 604_800_000 { widths.append(last * 4) }
        return widths
    }()
    /// How many intervals are kept. At the greatest length the years 0000 to 9999 are far fewer.
    static let limit = 2000

    /// The place of the length among ``widths``.
    private(set) var level = 0
    /// The outcomes by number of the interval.
    private(set) var intervals: [Int: OutcomeTally] = [:]

    init() {}

    /// The length of an interval in milliseconds.
    var width: Int { TimeSeries.widths[level] }

    /// The intervals that have records, in their order, each with its number.
    var sorted: [(number: Int, tally: OutcomeTally)] {
        intervals.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Counts at a time.
    mutating func update(_ time: ReplayTime, _ body: (inout OutcomeTally) -> Void) {
        body(&intervals[TimeSeries.interval(of: time.milliseconds, width), default: OutcomeTally()])
        shorten()
    }

    mutating func merge(_ other: TimeSeries) {
        var other = other
        coarsen(to: max(level, other.level))
        other.coarsen(to: level)
        for (number, tally) in other.intervals { intervals[number, default: OutcomeTally()].merge(tally) }
        shorten()
    }

    /// The series with longer intervals.
    func coarsened(to level: Int) -> TimeSeries {
        var series = self
        series.coarsen(to: level)
        return series
    }

    /// A series as it was written. Nil when there is no such level.
    init?(level: Int, intervals: [(Int, OutcomeTally)]) {
        guard TimeSeries.widths.indices.contains(level) else { return nil }
        self.level = level
        for (number, tally) in intervals { self.intervals[number, default: OutcomeTally()].merge(tally) }
        shorten()
    }

    /// The numbers that intervals of the years 0000 to 9999 have.
    static func numbers(level: Int) -> ClosedRange<Int> {
        let first = interval(of: -62_167_219_200_000, widths[level])
        return first...interval(of: 253_402_300_799_999, widths[level])
    }

    private mutating func shorten() {
        while intervals.count > TimeSeries.limit, level + 1 < TimeSeries.widths.count { coarsen(to: level + 1) }
    }

    private mutating func coarsen(to level: Int) {
        guard level > self.level, level < TimeSeries.widths.count else { return }
        let factor = TimeSeries.widths[level] / width
        var coarse: [Int: OutcomeTally] = [:]
        for (number, tally) in intervals {
            coarse[TimeSeries.interval(of: number, factor), default: OutcomeTally()].merge(tally)
        }
        intervals = coarse
        self.level = level
    }

    /// Division that rounds down, before 1970 as well.
    private static func interval(of value: Int, _ width: Int) -> Int {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: width)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
