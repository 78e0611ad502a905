package import FoundationEssentials

/// Judges the evidence of one platform. The verifier uses engines only through this protocol.
package protocol EvidenceEngine: Sendable {
    /// The engine's section of an app in the policy.
    associatedtype Configuration: ReadableConfiguration

    /// The kinds of evidence that the engine judges.
    static var kinds: [EvidenceKind] { get }
    /// Every check of the engine, in the declared order.
    static var catalogue: [CheckDefinition] { get }

    /// The types of keys that the engine uses.
    static var keyMaterials: [any KeyMaterial.Type] { get }

    /// The kinds of evidence that carry a challenge of the ledger.
    static var challengeKinds: [EvidenceKind] { get }

    /// The length of these challenges in bytes.
    static var challengeLength: Int { get }

    /// The fields of evidence that a capture can omit or replace.
    static var sensitiveFields: [SensitiveField] { get }

    /// The facts of the subjects by which reports group verdicts, in the order of the report.
    static var dimensions: [SubjectDimension] { get }

    /// Identifies the ledger entry that a record uses, such as a key or a nonce; nil when the order does not matter.
    /// Records with the same text must be judged in their order.
    static func orderingKey(of record: EvidenceRecord) -> String?

    /// The problem with an enrolled key, as a predicate such as "has no P-256 point"; nil if there is none. `assay
    /// ledger check` calls this for each key.
    static func problem(withKey key: EnrolledKey) -> String?

    /// Prepares an engine for a policy.
    init(policy: VerificationPolicy, resources: EngineResources)

    /// Assesses a record: decodes it, asks the ledger and the key store, and runs the checks. Commits nothing.
    func assess(_ record: EvidenceRecord, ledger: any Ledger, at now: Date) async throws(VerificationError)
        -> Assessment
}

extension EvidenceEngine {
    /// None: the engine needs no keys.
    package static var keyMaterials: [any KeyMaterial.Type] { [] }

    /// None: reports group verdicts by kind and app only.
    package static var dimensions: [SubjectDimension] { [] }

    /// 256 bits, as the platforms advise.
    package static var challengeLength: Int { 32 }

    /// None.
    package static func problem(withKey key: EnrolledKey) -> String? { nil }

    /// The kinds with a ledger check named `<kind>.challenge`.
    package static var challengeKinds: [EvidenceKind] {
        kinds.filter { kind in catalogue.contains { $0.kind == .ledger && $0.id.name == "\(kind).challenge" } }
    }
}
