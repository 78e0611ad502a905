/// The keys and services of an engine.
package struct EngineResources: Sendable {
    /// The keys.
    package let keys: any KeyStore
    /// All services of the verifier; an engine selects those of its own type.
    package let services: [any EngineService]
    /// What the verdicts are for.
    package let use: VerdictUse

    /// Collects keys and services.
    package init(keys: any KeyStore, services: [any EngineService] = [], use: VerdictUse = .admission) {
        self.keys = keys
        self.services = services
        self.use = use
    }
}

/// What verdicts are for. The caller says so, never the evidence.
package enum VerdictUse: Sendable {
    /// A verdict may let a request in.
    case admission
    /// A verdict describes evidence that was captured or logged: a replay, `--as-captured`, `inspect`.
    case analysis
}

/// A service outside of the process that an engine may ask, such as Google's servers. Each engine declares its own
/// protocol.
public protocol EngineService: Sendable {}
