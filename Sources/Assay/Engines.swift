import AndroidKey
import AppAttest
import Approov
import AssayCore
import AssayInspection
import AssayTokens
import PlayIntegrity

/// The engines of a verifier, prepared for its policy: by type for direct calls, by kind for records. A class, so that
/// copying a verifier counts one reference.
final class Engines: Sendable {
    let appAttest: AppAttestEngine
    let playIntegrity: PlayIntegrityEngine
    let approov: ApproovEngine
    let androidKey: AndroidKeyEngine
    let tokens: TokenEngine
    /// Nil if no app has rules for device tokens.
    let deviceCheck: DeviceCheckEngine?
    let byKind: [EvidenceKind: any EvidenceEngine]
    /// The kinds in the order of the registry.
    let kinds: [EvidenceKind]

    /// Prepares the engines of a registry.
    init(_ registry: EngineRegistry, policy: VerificationPolicy, resources: EngineResources) {
        var byKind: [EvidenceKind: any EvidenceEngine] = [:]
        for type in registry.engines {
            let engine = type.init(policy: policy, resources: resources)
            for kind in type.kinds { byKind[kind] = engine }
        }
        self.byKind = byKind
        kinds = registry.kinds
        func engine<Engine: EvidenceEngine>(_: Engine.Type) -> Engine {
            Engine.kinds.lazy.compactMap { byKind[$0] as? Engine }.first
                ?? Engine(policy: policy, resources: resources)
        }
        appAttest = engine(AppAttestEngine.self)
        playIntegrity = engine(PlayIntegrityEngine.self)
        approov = engine(ApproovEngine.self)
        androidKey = engine(AndroidKeyEngine.self)
        tokens = engine(TokenEngine.self)
        let deviceCheck = DeviceCheckEngine(policy: policy, resources: resources)
        self.deviceCheck = deviceCheck.isNeeded ? deviceCheck : nil
    }
}
