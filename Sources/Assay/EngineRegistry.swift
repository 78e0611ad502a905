import AppAttest
import Approov
package import AssayCore
package import AssayInspection
import PlayIntegrity

/// The engines that judge evidence, and what they declare together.
///
/// Whatever needs all engines, or the engine of a kind, asks a registry: the verifier, the reader of policies, inspection,
/// the commands. Tests pass one with an engine more.
package struct EngineRegistry: Sendable {
    /// The engines of Assay. A new engine is a line here.
    package static let standard = EngineRegistry([
        AppAttestEngine.self,
        PlayIntegrityEngine.self,
        ApproovEngine.self,
    ])

    /// The engines, in the order of help and lists.
    package let engines: [any InspectableEngine.Type]
    /// Every check of every engine, in the declared order.
    package let catalogue: [CheckDefinition]
    /// The types of keys that engines judge with.
    package let keyMaterials: [any KeyMaterial.Type]
    /// Every kind of evidence that can be judged.
    package let kinds: [EvidenceKind]
    /// The kinds of evidence that carry a challenge of the ledger.
    package let challengeKinds: [EvidenceKind]
    /// The fields of evidence that captures may not want to keep, of every kind.
    package let sensitiveFields: [SensitiveField]
    /// The facts of verdicts' subjects by which reports break them down. Engines that share a field's name mean the same
    /// by it.
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

    /// The type of configuration that each engine reads from a policy.
    package var configurations: [any ReadableConfiguration.Type] {
        func configuration<Engine: EvidenceEngine>(of engine: Engine.Type) -> any ReadableConfiguration.Type {
            Engine.Configuration.self
        }
        return engines.map { configuration(of: $0) }
    }
}
