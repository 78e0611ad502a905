/// The results of an engine's checks before the ledger decides, and the effects that an acceptance needs.
///
/// Only ``verdict(committingTo:at:)`` turns an assessment into a verdict.
package struct Assessment: Sendable {
    /// The kind of evidence that was assessed.
    package let kind: EvidenceKind
    /// The policy's app that judged the evidence; nil when no app could decode it.
    package let app: String?
    /// The entries of the checks, which say what a client can do about a failure.
    let catalogue: [CheckDefinition]
    /// The results in the declared order, without the checks that a commit decides.
    package let checks: [CheckResult]
    /// The checks that the commit decides, in the declared order.
    package let ledgerChecks: [CheckID]
    /// The effects that the ledger must apply, all or none: one or more for each of ``ledgerChecks``, in the same order, and uses
    /// of keys for checks of ``checks``. Empty when a check failed.
    package private(set) var effects: [LedgerEffect]
    /// The facts of authentic evidence. Without authenticity: nil, or only claims, under names such as `claimedArc`.
    package let subject: (any EngineSubject)?
    /// The test authority that signed the evidence, by subject name; nil for the platform's own trust anchors.
    package let testAuthority: String?

    /// Whether the evidence is acceptable if the ledger applies the effects: at least one check passed, none failed,
    /// and none was skipped because of another check. Only a defect of an engine skips checks without a failure, unless
    /// the policy accepts evidence without proof.
    package let isAcceptable: Bool

    /// Whether a check failed or was annotated.
    package let hasFindings: Bool

    /// The first failed check.
    let firstFailed: CheckID?

    private static func isAcceptable(
        _ checks: [CheckResult], withoutProof: Bool, _ hasFindings: inout Bool
    ) -> Bool {
        var hasPassed = withoutProof
        for index in checks.indices {
            switch checks[index].status {
            case .failed: return false
            case .passed: hasPassed = true
            case .annotated: hasFindings = true
            case .skipped: if case .check = checks[index].because { return false }
            }
        }
        return hasPassed
    }

    /// Collects the outcome of an assessment. Drops `effects` when a check failed.
    ///
    /// - Parameter passesWithoutProof: whether the policy accepts evidence when no check passes.
    package init(
        kind: EvidenceKind, app: String?, catalogue: [CheckDefinition], checks: [CheckResult], ledgerChecks: [CheckID],
        effects: [LedgerEffect],
        subject: (any EngineSubject)?, testAuthority: String?, passesWithoutProof: Bool = false
    ) {
        self.kind = kind
        self.app = app
        self.catalogue = catalogue
        self.checks = checks
        self.ledgerChecks = ledgerChecks
        var hasFindings = false
        isAcceptable = Assessment.isAcceptable(checks, withoutProof: passesWithoutProof, &hasFindings)
        self.hasFindings = hasFindings || !isAcceptable
        firstFailed = isAcceptable ? nil : checks.first { $0.status == .failed }?.check
        self.effects = isAcceptable ? effects : []
        self.subject = subject
        self.testAuthority = testAuthority
    }

    /// Rejects evidence that none of several apps, or the named one, can decode. Skips `checks`, which include the ledger's.
    package init(
        undecodable kind: EvidenceKind, _ run: inout CheckRun, catalogue: [CheckDefinition],
        skipping checks: some Sequence<CheckID>, app: String? = nil
    ) {
        run.skip(Array(checks))
        self.init(
            kind: kind, app: app, catalogue: catalogue, checks: run.results, ledgerChecks: [], effects: [],
            subject: nil, testAuthority: nil)
    }
}

extension Assessment {
    /// The same assessment of evidence that contains a value derived from a challenge: an acceptance consumes the challenge itself.
    /// Nil unless the evidence would consume the derived value.
    package func consuming(_ challenge: [UInt8], insteadOf derived: [UInt8]) -> Assessment? {
        var changed = self
        var isFound = false
        changed.effects = effects.map { effect in
            guard case .consumeChallenge(derived, let app, let purpose) = effect.action else { return effect }
            isFound = true
            return LedgerEffect(effect.check, .consumeChallenge(value: challenge, app: app, purpose: purpose))
        }
        return isFound ? changed : nil
    }
}
