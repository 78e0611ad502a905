import AndroidKey
import AppAttest
import Approov
package import AssayCore
import AssayTokens
import PlayIntegrity

/// The engines that judge evidence, and their combined declarations. Tests pass a registry with an additional engine.
package struct EngineRegistry: Sendable {
    /// The engines of Assay. Add a new engine here.
    package static let standard = EngineRegistry([
        AppAttestEngine.self,
        PlayIntegrityEngine.self,
        ApproovEngine.self,
        AndroidKeyEngine.self,
        TokenEngine.self,
        DeviceCheckEngine.self,
    ])

    /// The engines, in the order of help and lists.
    package let engines: [any InspectableEngine.Type]
    /// Every check of every engine, in the declared order.
    package let catalogue: [CheckDefinition]
    /// The types of keys that engines use.
    package let keyMaterials: [any KeyMaterial.Type]
    /// Every kind of evidence that can be judged.
    package let kinds: [EvidenceKind]
    /// The kinds of evidence that carry a challenge of the ledger.
    package let challengeKinds: [EvidenceKind]
    /// See ``AssayCore/EvidenceEngine/limitedKinds``.
    package let limitedKinds: [EvidenceKind]
    /// The forms of the device IDs in evidence.
    package let deviceIDs: [DeviceIDForm]
    /// The names of the engines whose keys the ledger enrols.
    let keyEngines: [String]
    /// The fields of evidence that captures can omit or replace, of every kind.
    package let sensitiveFields: [SensitiveField]
    /// The facts of subjects by which reports group verdicts. A name means the same in every engine.
    package let dimensions: [SubjectDimension]
    /// Decodes the blobs of every engine.
    package let inspector: Inspector

    /// Registers engines.
    package init(_ engines: [any InspectableEngine.Type]) {
        self.engines = engines
        catalogue = engines.flatMap { $0.catalogue }
        keyMaterials = engines.flatMap { $0.keyMaterials }
        kinds = engines.flatMap { $0.kinds }
        challengeKinds = engines.flatMap { $0.challengeKinds }
        limitedKinds = engines.flatMap { $0.limitedKinds }
        deviceIDs = engines.compactMap { $0.deviceIDs }
        func name<Engine: EvidenceEngine>(of engine: Engine.Type) -> String { Engine.Configuration.engine }
        keyEngines = engines.filter { $0.enrolsKeys }.map { name(of: $0) }
        sensitiveFields = engines.flatMap { $0.sensitiveFields }
        dimensions = engines.flatMap { $0.dimensions }.reduce(into: []) { all, next in
            if !all.contains(where: { $0.name == next.name }) { all.append(next) }
        }
        inspector = Inspector(engines: engines)
    }

    /// The engine that judges a kind.
    package func engine(for kind: EvidenceKind) -> (any InspectableEngine.Type)? {
        engines.first { $0.kinds.contains(kind) }
    }

    /// See ``AssayCore/EvidenceEngine/orderingKey(of:)``.
    package func orderingKey(of record: EvidenceRecord) -> String? {
        engine(for: record.kind)?.orderingKey(of: record)
    }

    /// The problem with an enrolled key by the rules of its engine; nil if there is none.
    package func problem(withKey key: EnrolledKey) -> String? {
        engines.lazy.compactMap { $0.problem(withKey: key) }.first
    }

    /// The type of configuration that each engine reads from a policy.
    package var configurations: [any ReadableConfiguration.Type] {
        func configuration<Engine: EvidenceEngine>(of engine: Engine.Type) -> any ReadableConfiguration.Type {
            Engine.Configuration.self
        }
        return engines.map { configuration(of: $0) }
    }
}
