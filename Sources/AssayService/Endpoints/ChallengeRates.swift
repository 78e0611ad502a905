import Assay
import AssayCore
import HTTPTypes
import Synchronization

/// Limits the challenges for evidence that platforms give an app at a limited rate, by app, so that a roll-out to many devices is
/// slowed down.
final class ChallengeRates: Sendable {
    /// The longest time that a client is told to wait, in seconds.
    private static let longestWait = 300.0

    private struct App {
        var bucket: TokenBucket
        /// About how many clients were told to come back, and have not yet.
        var waiting = 0.0
        var last: Duration
    }

    private let rate: Double
    private let uptime: @Sendable () -> Duration
    private let apps = Mutex<[String: App]>([:])

    /// - Parameters:
    ///   - rate: challenges a second and app; 0 for no limit.
    ///   - uptime: a monotonic clock.
    init(rate: Int, uptime: @escaping @Sendable () -> Duration) {
        self.rate = Double(rate)
        self.uptime = uptime
    }

    /// Throws if the app has used up its challenges. The refused clients get different retry times.
    ///
    /// The status is 429, not 503: the instance is healthy, and no load balancer should take it out of service.
    ///
    /// - Parameter app: an app of the policy.
    func take(_ app: String, _ kind: EvidenceKind) throws(Problem) {
        guard rate > 0, EngineRegistry.standard.limitedKinds.contains(kind) else { return }
        let now = uptime()
        let wait: Double? = apps.withLock { apps in
            var state = apps[app] ?? App(bucket: TokenBucket(rate: rate, burst: rate, at: now), last: now)
            defer { apps[app] = state }
            let passed = now - state.last
            state.waiting = max(
                0,
                state.waiting - rate
                    * (Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18))
            state.last = now
            guard state.bucket.take(at: now) != nil else { return nil }
            state.waiting += 1
            return min(Self.longestWait, 1 + state.waiting / rate)
        }
        guard let wait else { return }
        let seconds = Int(wait.rounded(.up))
        var problem = Problem(
            .tooManyRequests, .challengeLimit,
            "app \(app.excerpt) has used up its \(Int(rate)) challenges for this second; ask again after \(seconds) s")
        problem.headers[.retryAfter] = "\(seconds)"
        problem.remedy = .retry
        throw problem
    }
}
