import AppAttest
import Approov
import AssayCore
import PlayIntegrity

/// The engines of a verifier, prepared under its policy: by type for direct calls, by kind for records.
///
/// A class: copying a verifier counts one reference.
final class Engines: Sendable {
    let appAttest: AppAttestEngine
    let playIntegrity: PlayIntegrityEngine
    let approov: ApproovEngine
    let byKind: [EvidenceKind: any EvidenceEngine]

    /// Prepares every engine.
    init(policy: Policy, resources: EngineResources) {
        appAttest = AppAttestEngine(policy: policy, resources: resources)
        playIntegrity = PlayIntegrityEngine(policy: policy, resources: resources)
        approov = ApproovEngine(policy: policy, resources: resources)
        var byKind: [EvidenceKind: any EvidenceEngine] = [:]
        for engine in [appAttest, playIntegrity, approov] as [any EvidenceEngine] {
            for kind in type(of: engine).kinds { byKind[kind] = engine }
        }
        self.byKind = byKind
    }
}
