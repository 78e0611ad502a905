public import FoundationEssentials

/// What judges the evidence of one platform. The facade knows its engines by this alone.
public protocol EvidenceEngine: Sendable {
    /// What the engine reads from an app of the policy.
    associatedtype Configuration: EngineConfiguration

    /// The kinds of evidence that the engine judges.
    static var kinds: [EvidenceKind] { get }
    /// Every check of the engine, in the declared order.
    static var catalogue: [CheckDefinition] { get }

    /// Prepares to judge under a policy.
    init(policy: Policy)

    /// Assesses a record: decodes it, looks up what the ledger knows, runs the checks. Nothing is committed.
    func assess(_ record: EvidenceRecord, ledger: any Ledger, at now: Date) async throws(VerificationError)
        -> Assessment
}
