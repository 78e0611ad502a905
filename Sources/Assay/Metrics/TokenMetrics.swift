import AssayCore
import AssayTokens
import CoreMetrics

/// The metrics of tokens that are issued without evidence, for the debug tokens and apps of a policy.
struct TokenMetrics: Sendable {
    private let debugTokens: [String: [String: any CounterHandler]]
    private let failover: [String: any CounterHandler]

    init(_ policy: VerificationPolicy, _ factory: any MetricsFactory) {
        var debugTokens: [String: [String: any CounterHandler]] = [:]
        var failover: [String: any CounterHandler] = [:]
        for app in policy.apps {
            guard let tokens = app.configuration(TokenConfiguration.self) else { continue }
            for token in tokens.debugTokens {
                debugTokens[app.name, default: [:]][token.name] = factory.counter(.debugTokens, [app.name, token.name])
            }
            if tokens.shape.failover == .issue {
                failover[app.name] = factory.counter(.failoverTokens, [app.name])
            }
        }
        self.debugTokens = debugTokens
        self.failover = failover
    }

    func count(debugToken name: String, app: String) { debugTokens[app]?[name]?.increment(by: 1) }

    func count(failoverFor app: String) { failover[app]?.increment(by: 1) }
}
