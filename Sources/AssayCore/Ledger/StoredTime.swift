package import FoundationEssentials

extension Date {
    /// Microseconds since 1970, rounded and clamped to `Int64`: the form of times in ledgers and key stores.
    package var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1_000_000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }

    /// The time of a number of microseconds since 1970.
    package init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}
