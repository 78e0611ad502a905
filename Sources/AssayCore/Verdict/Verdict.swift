public import FoundationEssentials

/// The answer of a verification, naming every check.
///
/// An accepting verdict can only come from ``Ledger/settle(_:at:)``, which commits the effects first.
public struct Verdict: Sendable {
    /// Whether the evidence is to be trusted.
    public enum Outcome: String, Sendable {
        /// Every enforced check holds, and the ledger has the effects.
        case accept
        /// At least one check failed; the ledger is as it was.
        case reject
    }

    /// The kind of evidence.
    public let kind: EvidenceKind
    /// The name of the policy's app that it was held against.
    public let app: String
    /// Whether the evidence is to be trusted.
    public let outcome: Outcome
    /// Every check of the kind in its declared order, the ledger's last.
    public let checks: [CheckResult]
    /// What was learned from authentic evidence. When its authenticity is not established it is nil, or holds only what
    /// the evidence claims, under names that say so: that proves nothing. Never take it for a sign of authenticity; ask
    /// ``outcome``.
    public let subject: (any VerdictSubject)?
    /// The test authority that the evidence rests on, by subject name, and nil for the platform's own trust anchors.
    public let testAuthority: String?
    /// The time of judgement.
    public let judgedAt: Date

    /// The names of the failed checks, the first one first.
    public var failed: [CheckID] { checks.filter { $0.status == .failed }.map(\.check) }
    /// The names of the checks that failed and that the policy only notes.
    public var annotated: [CheckID] { checks.filter { $0.status == .annotated }.map(\.check) }

    fileprivate init(_ assessment: Assessment, outcome: Outcome, ledgerChecks: [CheckResult], judgedAt: Date) {
        kind = assessment.kind
        app = assessment.app
        self.outcome = outcome
        checks = ledgerChecks.isEmpty ? assessment.checks : assessment.checks + ledgerChecks
        subject = assessment.subject
        testAuthority = assessment.testAuthority
        self.judgedAt = judgedAt
    }
}

extension Assessment {
    /// The verdict, when the ledger has nothing to decide: a check failed, or evidence that holds changes nothing.
    ///
    /// - Returns: nil when effects are to be committed.
    /// - Throws: ``LedgerOutage`` for an assessment that is not one, and for one that memory was wanting for.
    package func verdictWithoutCommit(at now: Date) throws(LedgerOutage) -> Verdict? {
        if let first = firstFailed {
            if let open = checks.first(where: { $0.status == .failed && $0.finding is WantOfMemory }) {
                throw LedgerOutage(
                    .outOfMemory, "\(open.check) could not be decided: there was not enough memory for its libraries")
            }
            let skipped = undecided.map { CheckResult.skipped($0, because: .check(first)) }
            return Verdict(self, outcome: .reject, ledgerChecks: skipped, judgedAt: now)
        }
        // An engine or a ledger that leaves a check undecided has not decided at all.
        guard holds, effects.count == undecided.count, zip(effects, undecided).allSatisfy({ $0.check == $1 }) else {
            throw LedgerOutage(.internalError, "the assessment of \(kind) leaves ledger checks open")
        }
        // Evidence that changes nothing needs no write, and waits for nobody who writes.
        guard effects.isEmpty else { return nil }
        return Verdict(self, outcome: .accept, ledgerChecks: [], judgedAt: now)
    }
}

extension Ledger {
    /// Turns an assessment into a verdict: commits its effects when no check failed, and touches nothing when one did.
    ///
    /// - Parameters:
    ///   - assessment: what the checks found.
    ///   - now: the time of judgement.
    /// - Returns: the verdict; an accepting one only after its effects are as durable as this ledger makes them.
    /// - Throws: ``LedgerOutage`` when the ledger could not decide, or a check for want of memory. There is no verdict then.
    public func settle(_ assessment: Assessment, at now: Date) async throws(LedgerOutage) -> Verdict {
        if let verdict = try assessment.verdictWithoutCommit(at: now) { return verdict }
        let decisions = try await commit(assessment.effects, at: now).decisions
        guard decisions.count == assessment.effects.count else {
            throw LedgerOutage(
                .internalError, "the ledger decided \(decisions.count) of \(assessment.effects.count) effects")
        }
        var results: [CheckResult] = []
        for (effect, refusal) in zip(assessment.effects, decisions) {
            results.append(refusal.map { .failed(effect.check, $0) } ?? .passed(effect.check))
        }
        let accepted = results.allSatisfy { $0.status == .passed }
        return Verdict(assessment, outcome: accepted ? .accept : .reject, ledgerChecks: results, judgedAt: now)
    }
}
