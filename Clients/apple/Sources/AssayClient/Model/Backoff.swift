/// Lengths of time that the models share, in milliseconds.
enum Milliseconds {
    static let second = 1000
    static let day = 24 * 3600 * second

    /// Exponential, of which the upper half is random: between d/2 and d.
    ///
    /// - Parameter jitter: 0 to 1000.
    static func backoff(_ failures: Int, first: Int, limit: Int, jitter: Int) -> Int {
        let delay = min(first << max(0, min(failures - 1, 20)), limit)
        return delay / 2 + delay / 2 * jitter / 1000
    }

    /// A server's `Retry-After` in seconds, a day at most.
    static func capped(_ seconds: Int) -> Int { min(seconds, 24 * 3600) * second }

    static func ceilSeconds(_ milliseconds: Int) -> Int { (milliseconds + second - 1) / second }
}
