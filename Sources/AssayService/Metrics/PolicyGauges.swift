import AssayCore
import AssayHTTP
import CoreMetrics
import Synchronization

/// The policy in force in metrics: the digest of its file and the number of its apps.
final class PolicyGauges: Sendable {
    private let factory: any MetricsFactory
    private let present = Mutex<Meter?>(nil)

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        // So that the first change is an increase.
        for subject in PolicyDifference.Change.Subject.allCases {
            for effect in PolicyDifference.Change.Effect.allCases {
                _ = Counter(
                    label: MetricName.policyChanges.rawValue,
                    dimensions: [("subject", subject.rawValue), ("effect", effect.rawValue)], factory: factory)
            }
        }
    }

    /// Replaces the policy that was shown before.
    func show(_ digest: String, apps: Int) {
        Meter(label: MetricName.policyApps.rawValue, dimensions: [], factory: factory).set(apps)
        present.withLock { present in
            present?.destroy()
            let info = Meter(
                label: MetricName.policyInfo.rawValue, dimensions: [("digest", digest)], factory: factory)
            info.set(1)
            present = info
        }
    }
}
