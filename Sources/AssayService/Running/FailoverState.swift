import AssayCore
import CoreMetrics
import Logging
import Synchronization

/// Whether a failover instance issues tokens, because the first instance cannot be reached. Probes alone turn it on and off: no command
/// and no endpoint does. A failover ends by itself after a time, until the first instance was reached again.
final class FailoverState: Sendable {
    /// What the probes have found.
    enum Phase: Int, AtomicRepresentable {
        /// The first instance can be reached, or has not been missed for long enough.
        case standby
        /// Tokens are issued.
        case active
        /// The first instance still cannot be reached, and the time of a failover is over.
        case expired
    }

    /// The URL below which the first instance is reached.
    let primary: String
    /// The longest time between probes during failover, in seconds.
    private static let activeInterval = 10.0
    private let phase = Atomic(Phase.standby)
    private let gauge: Meter

    /// - Parameter primary: the URL below which the first instance is reached.
    init(of primary: String, _ factory: any MetricsFactory) {
        self.primary = primary
        gauge = Meter(label: MetricName.failover.rawValue, factory: factory)
        gauge.set(0)
    }

    /// What the probes have found.
    var present: Phase { phase.load(ordering: .relaxed) }

    /// Probes the first instance until the task is cancelled.
    ///
    /// - Parameter probe: says why the first instance cannot be reached; nil if it can.
    func watch(
        _ rules: ServiceConfiguration.Failover, _ logger: Logger, probe: @Sendable (_ url: String) async -> String?
    ) async {
        var failures = 0
        var begin = ContinuousClock.now
        while !Task.isCancelled {
            let objection = await probe(primary)
            if Task.isCancelled { return }
            logger.debug("first instance probed", metadata: objection.map { ["assay.problem": "\($0)"] })
            failures = objection == nil ? 0 : failures + 1
            let last = present
            let next: Phase
            if failures < rules.failures {
                next = .standby
            } else if last == .standby {
                begin = .now
                next = .active
            } else {
                next = ContinuousClock.now - begin < .seconds(rules.limit) ? last : .expired
            }
            if next != last { change(to: next, rules, logger, objection) }
            // Looks more often while tokens without evidence are issued, and when their time is over.
            var pause = next == .standby ? rules.interval : min(rules.interval, Self.activeInterval)
            if next == .active { pause = min(pause, rules.limit) }
            try? await Task.sleep(for: .seconds(pause))
        }
    }

    private func change(
        to next: Phase, _ rules: ServiceConfiguration.Failover, _ logger: Logger, _ objection: String?
    ) {
        phase.store(next, ordering: .relaxed)
        gauge.set(next == .active ? 1 : 0)
        var metadata: Logger.Metadata = ["assay.primary": "\(primary)"]
        if let objection { metadata["assay.problem"] = "\(objection)" }
        switch next {
        case .active: logger.error("failover begins", metadata: metadata)
        case .standby: logger.notice("failover ends", metadata: metadata)
        case .expired: logger.error("failover is over its limit", metadata: metadata)
        }
    }
}
