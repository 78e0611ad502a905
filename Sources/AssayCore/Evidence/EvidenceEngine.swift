public import FoundationEssentials

/// What judges the evidence of one platform. The facade knows its engines by this alone.
public protocol EvidenceEngine: Sendable {
    /// What the engine reads from an app of the policy.
    associatedtype Configuration: EngineConfiguration

    /// The kinds of evidence that the engine judges.
    static var kinds: [EvidenceKind] { get }
    /// Every check of the engine, in the declared order.
    static var catalogue: [CheckDefinition] { get }

    /// The types of keys that the engine judges with.
    static var keyMaterials: [any KeyMaterial.Type] { get }

    /// The kinds of evidence that carry a challenge of the ledger.
    static var challengeKinds: [EvidenceKind] { get }

    /// The fields of evidence that captures may not want to keep.
    static var sensitiveFields: [SensitiveField] { get }

    /// The facts of its subjects by which reports break verdicts down, in the order in which a person would read them.
    static var dimensions: [SubjectDimension] { get }

    /// What ties a record to others: records of the same text concern the same entries of the ledger, such as a key or a
    /// nonce, and have to be judged in their order. Nil when nothing does.
    static func orderingKey(of record: EvidenceRecord) -> String?

    /// What is wrong with a key that the engine has enrolled, as a predicate such as "has no P-256 point", and nil for
    /// nothing. `assay ledger check` asks this for each key.
    static func problem(withKey key: EnrolledKey) -> String?

    /// Prepares to judge under a policy.
    init(policy: Policy, resources: EngineResources)

    /// Assesses a record: decodes it, looks up what the ledger and the key store know, runs the checks. Nothing is
    /// committed.
    func assess(_ record: EvidenceRecord, ledger: any Ledger, at now: Date) async throws(VerificationError)
        -> Assessment
}

extension EvidenceEngine {
    /// None: the engine judges with what is compiled in.
    public static var keyMaterials: [any KeyMaterial.Type] { [] }

    /// None: verdicts are told apart by kind and app alone.
    public static var dimensions: [SubjectDimension] { [] }

    /// None.
    public static func problem(withKey key: EnrolledKey) -> String? { nil }

    /// Those with a check of their own for it.
    public static var challengeKinds: [EvidenceKind] {
        kinds.filter { kind in catalogue.contains { $0.kind == .ledger && $0.id.name == "\(kind).challenge" } }
    }
}
