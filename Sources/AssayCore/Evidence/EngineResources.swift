/// The keys and services of an engine.
package struct EngineResources: Sendable {
    package let keys: any KeyStore
    /// All services of the verifier; an engine selects those of its own type.
    package let services: [any EngineService]
    package let use: VerdictUse
    /// The engines that were prepared before, by kind: evidence may carry evidence of their kinds.
    package var engines: [EvidenceKind: any EvidenceEngine] = [:]

    package init(keys: any KeyStore, services: [any EngineService] = [], use: VerdictUse = .admission) {
        (self.keys, self.services, self.use) = (keys, services, use)
    }
}

/// The use of verdicts. The caller states it, never the evidence.
package enum VerdictUse: Sendable {
    /// A server admits requests by the verdict.
    case admission
    /// The verdict describes captured or logged evidence: a replay, `--as-captured`, `inspect`.
    case analysis
}

/// A service outside of the process that an engine may ask, such as Google's servers. Each engine declares its own
/// protocol.
public protocol EngineService: Sendable {}

/// A service that finds what operators must know although no verdict has failed because of it.
package protocol ReportingService: EngineService {
    /// Sentences for operators, without secrets. One task reads them.
    var reports: AsyncStream<String> { get }
}
