import AssayCore
import AssayTokens
import CoreMetrics

/// The metrics of runtime secrets, for the names and apps of a policy.
struct SecretMetrics: Sendable {
    private let delivered: [String: [String: any CounterHandler]]

    init(_ policy: VerificationPolicy, _ factory: any MetricsFactory) {
        var delivered: [String: [String: any CounterHandler]] = [:]
        for app in policy.apps {
            for name in app.configuration(SecretsConfiguration.self)?.names ?? [] {
                delivered[app.name, default: [:]][name] = factory.counter(.secretsDelivered, [app.name, name])
            }
        }
        self.delivered = delivered
    }

    func count(_ name: String, app: String) { delivered[app]?[name]?.increment(by: 1) }
}
