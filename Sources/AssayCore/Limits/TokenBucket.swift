/// A rate limit: so many operations a second on average, and so many at once after a pause.
package struct TokenBucket: Sendable {
    private let rate: Double
    private let burst: Double
    private var tokens: Double
    private var last: Duration

    /// Starts full.
    ///
    /// - Parameters:
    ///   - rate: operations a second, more than 0.
    ///   - burst: the most operations at once, at least 1.
    ///   - uptime: a monotonic time.
    package init(rate: Double, burst: Double, at uptime: Duration) {
        self.rate = rate
        self.burst = max(1, burst)
        tokens = max(1, burst)
        last = uptime
    }

    /// Takes one operation. Returns nil if it is allowed, or the time until the next one is.
    package mutating func take(at uptime: Duration) -> Duration? {
        let passed = uptime - last
        if passed > .zero {
            tokens = min(
                burst,
                tokens + rate * (Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18))
            last = uptime
        }
        guard tokens >= 1 else { return .seconds((1 - tokens) / rate) }
        tokens -= 1
        return nil
    }
}
