/// What several rounds of one measurement gave.
struct Spread: Sendable, Equatable {
    let median: Double
    let lowest: Double
    let highest: Double

    /// - Parameter values: one for each round, at least one; the greater of the middle two when their number is even.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        lowest = sorted.first ?? 0
        highest = sorted.last ?? 0
    }
}
