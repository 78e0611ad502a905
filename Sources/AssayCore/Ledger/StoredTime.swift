package import FoundationEssentials

extension Date {
    /// Microseconds since 1970, rounded: the form in which ledgers and key stores keep times. Times beyond the range of
    /// `Int64` become its first or last value.
    package var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1_000_000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }

    /// The time that is stored as microseconds since 1970.
    package init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}
