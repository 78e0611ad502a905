import AndroidKey
import AppAttest
import Approov
import AssayCore
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
    let noEvidence: NoEvidenceEngine
    /// Nil if no app compares builds.
    let builds: BuildsSection?
    let certificates: CertificateEngine
    /// Nil if no app gets a configuration.
    let configurations: AppConfigurations?
    /// Nil if no app has rules for device tokens.
    let deviceCheck: DeviceCheckSection?
    let byKind: [EvidenceKind: any EvidenceEngine]
    let registry: EngineRegistry

    let warnings: [String]

    /// Whether an assessment may need results of ``builds`` or ``deviceCheck``.
    let addsResults: Bool

    /// Prepares the engines of a registry.
    ///
    /// - Parameter documents: where operators keep the admitted builds; nil if the ledger has no documents.
    init(
        _ registry: EngineRegistry, policy: VerificationPolicy, resources: EngineResources,
        documents: (any LedgerDocuments)?
    ) {
        var all: [any EvidenceEngine] = []
        var resources = resources
        for type in registry.engines {
            let engine = type.init(policy: policy, resources: resources)
            all.append(engine)
            for kind in type.kinds { resources.engines[kind] = engine }
        }
        byKind = resources.engines
        self.registry = registry
        warnings = all.flatMap(\.warnings)
        func engine<Engine: EvidenceEngine>(_: Engine.Type) -> Engine {
            all.lazy.compactMap { $0 as? Engine }.first ?? Engine(policy: policy, resources: resources)
        }
        appAttest = engine(AppAttestEngine.self)
        playIntegrity = engine(PlayIntegrityEngine.self)
        approov = engine(ApproovEngine.self)
        androidKey = engine(AndroidKeyEngine.self)
        tokens = engine(TokenEngine.self)
        noEvidence = engine(NoEvidenceEngine.self)
        certificates = engine(CertificateEngine.self)
        configurations = AppConfigurations(policy, documents, resources.keys)
        let deviceCheck = DeviceCheckSection(policy: policy, resources: resources)
        self.deviceCheck = deviceCheck.isNeeded ? deviceCheck : nil
        let builds = BuildsSection(policy: policy, documents: documents, use: resources.use)
        self.builds = builds.isNeeded ? builds : nil
        addsResults = deviceCheck.isNeeded || builds.isNeeded
    }
}
