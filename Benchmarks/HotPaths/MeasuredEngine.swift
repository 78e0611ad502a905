import Assay
import AssayCore

/// An engine whose judgements are counted. A file for each engine conforms it; the registry finds it.
protocol MeasuredEngine: EvidenceEngine {
    /// What the engine does for each piece of evidence, without a ledger.
    static var hotPaths: [HotPath] { get }
    /// What a verifier does with its evidence, with a ledger in memory.
    static var verifierPaths: [HotPath] { get }
}

extension EngineRegistry {
    /// The engines whose judgements are counted.
    var measured: [any MeasuredEngine.Type] { engines.compactMap { $0 as? any MeasuredEngine.Type } }
}
