import AssayCore
import CoreMetrics
import Logging
import Synchronization

/// Whether a failover instance issues tokens, because the first instance cannot be reached. Probes alone turn it on and off: no command
/// and no endpoint does.
final class FailoverState: Sendable {
    /// The URL below which the first instance is reached.
    let primary: String
    /// The longest time between probes during failover, in seconds.
    private static let activeInterval = 10.0
    private let active = Atomic<Bool>(false)
    private let gauge: Meter

    /// - Parameter primary: the URL below which the first instance is reached.
    init(of primary: String, _ factory: any MetricsFactory) {
        self.primary = primary
        gauge = Meter(label: MetricName.failover.rawValue, factory: factory)
        gauge.set(0)
    }

    /// Whether tokens are issued.
    var isActive: Bool { active.load(ordering: .relaxed) }

    /// Probes the first instance until the task is cancelled.
    ///
    /// - Parameter probe: says why the first instance cannot be reached; nil if it can.
    func watch(
        _ rules: ServiceConfiguration.Failover, _ logger: Logger, probe: @Sendable (_ url: String) async -> String?
    ) async {
        var failures = 0
        while !Task.isCancelled {
            let objection = await probe(primary)
            if Task.isCancelled { return }
            failures = objection == nil ? 0 : failures + 1
            let isActive = failures >= rules.failures
            if active.exchange(isActive, ordering: .relaxed) != isActive {
                gauge.set(isActive ? 1 : 0)
                if isActive {
                    logger.error(
                        "failover begins",
                        metadata: ["assay.primary": "\(primary)", "assay.problem": "\(objection ?? "")"])
                } else {
                    logger.notice("failover ends", metadata: ["assay.primary": "\(primary)"])
                }
            }
            // Looks more often while tokens without evidence are issued.
            try? await Task.sleep(for: .seconds(isActive ? min(rules.interval, Self.activeInterval) : rules.interval))
        }
    }
}
