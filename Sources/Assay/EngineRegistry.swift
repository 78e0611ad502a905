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
        NoEvidenceEngine.self,
        CertificateEngine.self,
    ])

    /// The engines, in the order of help and lists.
    package let engines: [any EvidenceEngine.Type]
    /// The sections of an app in a policy: those of the engines, then those without evidence of their own.
    package let sections: [any PolicySection.Type]
    /// Every check of every section, in the declared order.
    package let catalogue: [CheckDefinition]
    /// The types of keys that checks use.
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

    /// Registers engines.
    package init(_ engines: [any EvidenceEngine.Type]) {
        self.engines = engines
        // Each by itself: converting the array as a whole looks conformances up by name.
        sections =
            engines.map { $0 as any PolicySection.Type }
            + [BuildsSection.self, DeviceCheckSection.self, SecretsSection.self]
        catalogue = sections.flatMap { $0.catalogue }
        keyMaterials = sections.flatMap { $0.keyMaterials }
        kinds = engines.flatMap { $0.kinds }
        challengeKinds = engines.flatMap { $0.challengeKinds }
        limitedKinds = engines.flatMap { $0.limitedKinds }
        deviceIDs = engines.compactMap { $0.deviceIDs }
        keyEngines = engines.filter { $0.enrolsKeys }.map { $0.configuration.engine }
        sensitiveFields = engines.flatMap { $0.sensitiveFields }
        dimensions = engines.flatMap { $0.dimensions }.reduce(into: []) { all, next in
            if !all.contains(where: { $0.name == next.name }) { all.append(next) }
        }
    }

    /// The engine that judges a kind.
    package func engine(for kind: EvidenceKind) -> (any EvidenceEngine.Type)? {
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

    /// The type of configuration that is read from each section of a policy.
    package var configurations: [any ReadableConfiguration.Type] { sections.map { $0.configuration } }
}
