package import FoundationEssentials

/// A client's clocks, sleep and randomness. Tests replace them.
package struct ClientTime: Sendable {
    /// The wall clock, for grants and quotas.
    package let now: @Sendable () -> Date
    /// A monotonic clock, for deadlines and expiry.
    package let uptime: @Sendable () -> Duration
    /// Sleeps between attempts. Throws when the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Sleeps until an operation times out. Throws when the task is cancelled.
    package let runOut: @Sendable (Duration) async throws -> Void
    /// A uniformly distributed number in 0 to 1.
    package let random: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        runOut: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
    ) {
        (self.now, self.uptime, self.sleep) = (now, uptime, sleep)
        (self.runOut, self.random) = (runOut, random)
    }

    /// The system's clocks and randomness.
    package static let system: ClientTime = {
        let start = ContinuousClock.now
        let pass: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        return ClientTime(
            now: { Date() }, uptime: { start.duration(to: .now) }, sleep: pass, runOut: pass,
            random: { Double.random(in: 0...1) })
    }()
}

extension Duration {
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// The wait after some failures in a row: this one, doubled after each further failure, at most `cap`.
    func doubled(after failures: Int, atMost cap: Duration) -> Duration {
        min(self * (1 << min(max(0, failures - 1), 30)), cap)
    }

    /// The duration in seconds for messages, with at most two decimal places.
    package var inWords: String {
        let hundredths = (inSeconds * 100).rounded() / 100
        return hundredths == hundredths.rounded() ? "\(Int(hundredths)) s" : "\(hundredths) s"
    }
}
