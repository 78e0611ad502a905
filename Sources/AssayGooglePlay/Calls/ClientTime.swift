package import FoundationEssentials

/// Time, sleep and chance, as the client sees them: arguments, so that tests are fast and exact.
package struct ClientTime: Sendable {
    /// The time of day: for grants and days of a quota.
    package let now: @Sendable () -> Date
    /// The time since some beginning, which nobody sets back: for deadlines and expiry.
    package let uptime: @Sendable () -> Duration
    /// Waits, and throws when the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Returns when the time of something that is under way has run out, and throws when the task is cancelled.
    package let runOut: @Sendable (Duration) async throws -> Void
    /// A number from 0 to 1, evenly distributed.
    package let random: @Sendable () -> Double

    /// Replaces time.
    package init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        runOut: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
        self.runOut = runOut
        self.random = random
    }

    /// The clocks of the system, and its randomness.
    package static let system: ClientTime = {
        let start = ContinuousClock.now
        let pass: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        return ClientTime(
            now: { Date() }, uptime: { start.duration(to: .now) }, sleep: pass, runOut: pass,
            random: { Double.random(in: 0...1) })
    }()
}
