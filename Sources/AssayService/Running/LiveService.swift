import Assay
import Synchronization

/// What changes while the service runs: the verifier, with each new policy, and whether the service is ready.
final class LiveService: Sendable {
    private enum Phase: Int {
        case starting, ready, stopping
    }

    private let current: Mutex<(verifier: Verifier, policy: String)>
    private let phase = Atomic<Int>(Phase.starting.rawValue)

    /// Starts with a verifier and the text of its policy, with all defaults.
    init(_ verifier: Verifier, policy: String) { current = Mutex((verifier, policy)) }

    /// The verifier of the next request. A request keeps the one with which it began.
    var verifier: Verifier { current.withLock { $0.verifier } }

    /// The policy in force as YAML, with all defaults.
    var policyText: String { current.withLock { $0.policy } }

    /// Exchanges the verifier for all later requests.
    func exchange(for verifier: Verifier, policy: String) { current.withLock { $0 = (verifier, policy) } }

    /// Whether load balancers should send requests.
    var isReady: Bool { phase.load(ordering: .acquiring) == Phase.ready.rawValue }

    /// Whether the service was told to stop.
    var isStopping: Bool { phase.load(ordering: .acquiring) == Phase.stopping.rawValue }

    /// The listeners accept connections. A service that is stopping does not become ready again.
    func setReady() {
        _ = phase.compareExchange(
            expected: Phase.starting.rawValue, desired: Phase.ready.rawValue, ordering: .acquiringAndReleasing)
    }

    /// The service was told to stop.
    func stop() { phase.store(Phase.stopping.rawValue, ordering: .releasing) }
}
