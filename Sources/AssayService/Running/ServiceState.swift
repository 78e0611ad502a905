import Assay
import AssayCore
import AssayHTTP
import Logging
import Synchronization

/// The mutable state of a running service: the verifier in force, the text of its policy, and readiness.
final class ServiceState: Sendable {
    private enum Phase: Int {
        case starting, ready, stopping
    }

    /// The verifier, and what it demands of requests.
    let requests: ReloadableVerifier
    /// The last verdicts.
    let recent: RecentVerdicts
    /// Captures judged evidence; nil for none.
    let capture: SampledCapture?
    /// The files of the capture, and its last records for the console; nil for none.
    let captures: RecentCaptures?
    /// The verdicts of the last day, for the console; nil without it.
    let history: VerdictHistory?
    private let policy: Mutex<PolicyReport.PolicyText>
    private let phase = Atomic<Int>(Phase.starting.rawValue)

    /// Starts with a verifier and the text of its policy, with all defaults.
    ///
    /// - Parameter isTrial: whether nothing is served, and no capture begins.
    /// - Throws: `PolicyError` for a policy under which requests cannot be verified.
    init(
        _ verifier: Verifier, policy: PolicyReport.PolicyText, _ configuration: ServiceConfiguration, isTrial: Bool,
        logger: Logger
    ) throws(PolicyError) {
        let capture = try configuration.capture.start(isTrial: isTrial, keepingRecent: configuration.console) {
            problem in
            guard let problem else { return logger.notice("evidence is captured again") }
            let metadata: Logger.Metadata = ["assay.problem": "\(problem)"]
            if problem.reason == .retention {
                logger.error("captured evidence cannot be removed", metadata: metadata)
            } else {
                logger.error("evidence cannot be captured", metadata: metadata)
            }
        }
        (self.capture, captures) = (capture?.sampled, capture?.recent)
        history = configuration.console ? VerdictHistory() : nil
        requests = try ReloadableVerifier(verifier, logger: logger)
        self.policy = Mutex(policy)
        recent = RecentVerdicts(configuration.recent)
    }

    /// The verifier of the next request. A request keeps the one with which it began.
    var verifier: Verifier { requests.verifier }

    /// The policy in force as YAML, with all defaults.
    var policyText: String { present.effective }

    /// The policy in force.
    var present: PolicyReport.PolicyText { policy.withLock { $0 } }

    /// Exchanges the verifier for all later requests.
    func exchange(for verifier: Verifier, policy: PolicyReport.PolicyText) throws(PolicyError) {
        try requests.exchange(for: verifier)
        self.policy.withLock { $0 = policy }
    }

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
