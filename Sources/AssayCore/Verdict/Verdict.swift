public import FoundationEssentials

/// The answer of a verification, with the result of every check.
public struct Verdict: Sendable {
    /// Whether to trust the evidence.
    public enum Outcome: String, Sendable {
        /// No enforced check failed, and the ledger has applied the effects.
        case accept
        /// At least one check failed; the ledger is unchanged.
        case reject
    }

    /// The kind of evidence.
    public let kind: EvidenceKind
    /// The policy's app that judged the evidence. Nil only in a rejection: the evidence names no app, the policy has
    /// several, and none of them can decode the evidence.
    public let app: String?
    /// Whether to trust the evidence.
    public let outcome: Outcome
    /// Every check of the kind in its declared order; the ledger's are last.
    public let checks: [CheckResult]
    /// The facts of authentic evidence. Without authenticity: nil, or only claims under names that say so, which prove
    /// nothing. Decide by ``outcome``, never by the presence of a subject.
    public var subject: (any VerdictSubject)? { engineSubject }
    /// The subject, with the additional facts for reports.
    package let engineSubject: (any EngineSubject)?
    /// Whether the evidence is authentic, so that ``subject`` is about its sender. Forgeries cannot make such verdicts.
    package var isProven: Bool { engineSubject?.isProven ?? false }
    /// The test authority that signed the evidence, by subject name; nil for the platform's own trust anchors.
    public let testAuthority: String?
    /// Whether the ledger may forget what it has committed (``Ledger/isDurabilityWaived``): evidence that it has accepted may be
    /// accepted again.
    public let isDurabilityWaived: Bool
    /// What Apple said to the device token that came with the evidence; nil if Apple was not asked.
    public let deviceBits: DeviceBits?
    /// The answer of the platform's service on the evidence, as received, for captures; nil if none was asked.
    package let serviceAnswer: [UInt8]?
    /// What the app says of itself; nil for nothing.
    package let property: ClientProperty?
    /// The time of judgement.
    public let judgedAt: Date

    /// What a client can do after a rejection: of the remedies of the failed checks, the one that demands most. A
    /// lighter one would lead to another rejection. Nil after an acceptance.
    public var remedy: Remedy? {
        guard outcome == .reject else { return nil }
        return checks.filter { $0.status == .failed }.map { result in
            (result.finding as? Finding)?.remedy
                ?? catalogue.first { $0.id == result.check }?.remedy(for: result.finding?.code) ?? .nothing
        }.max()
    }
    private let catalogue: [CheckDefinition]

    /// The result of a check; nil if the kind of evidence has no such check.
    public func check(_ id: CheckID) -> CheckResult? { checks.first { $0.check == id } }

    /// The names of the failed checks, the first one first.
    public var failed: [CheckID] { checks.filter { $0.status == .failed }.map(\.check) }
    /// The names of the checks that failed without rejecting.
    public var annotated: [CheckID] { checks.filter { $0.status == .annotated }.map(\.check) }

    /// - Parameter checks: the results other than the ledger's; nil for those of the assessment.
    fileprivate init(
        _ assessment: Assessment, outcome: Outcome, checks: [CheckResult]? = nil, ledgerChecks: [CheckResult],
        ledger: any Ledger, judgedAt: Date
    ) {
        kind = assessment.kind
        app = assessment.app
        self.outcome = outcome
        let checks = checks ?? assessment.checks
        self.checks = ledgerChecks.isEmpty ? checks : checks + ledgerChecks
        catalogue = assessment.catalogue
        engineSubject = assessment.subject
        testAuthority = assessment.testAuthority
        isDurabilityWaived = ledger.isDurabilityWaived
        deviceBits = assessment.deviceBits
        serviceAnswer = assessment.serviceAnswer
        property = assessment.property
        self.judgedAt = judgedAt
    }
}

extension Verdict: CustomStringConvertible {
    /// One line: outcome, kind and app, and each check that failed or was annotated, with its code. It has nothing of the evidence.
    public var description: String {
        let findings = checks.filter { $0.status == .failed || $0.status == .annotated }.map { result in
            let code = result.finding.map { " \($0.code)" } ?? ""
            return result.check.name + code + (result.status == .annotated ? " (annotated)" : "")
        }
        return "\(outcome.rawValue) \(kind)" + (app.map { " of \($0.excerpt)" } ?? "")
            + (findings.isEmpty ? "" : ": \(findings.joined(separator: ", "))")
    }
}

extension Assessment {
    /// Turns the assessment into a verdict; the only way to make one.
    ///
    /// Commits the effects if no check failed, provided that no subject was blocked since it was looked up. A rejection, and evidence
    /// without effects, never wait for a write.
    ///
    /// - Returns: the verdict. An accepting verdict returns only after its effects are durable, as far as this ledger
    ///   makes them durable.
    /// - Throws: `.outage` when the ledger could not decide, when a check ran out of memory, or when the assessment has
    ///   a ledger check without an effect.
    package func verdict(
        committingTo ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Verdict {
        if let verdict = try verdictAtOnce(by: ledger, at: now) { return verdict }
        let outcome = try await Self.commit(effects, confirmations, to: ledger, at: now)
        return verdict(
            outcome, outcome.decisions.prefix(effects.count), outcome.decisions.dropFirst(effects.count), by: ledger,
            at: now)
    }

    /// The verdict without waiting: a rejection, and an acceptance without effects; nil if the ledger has to decide.
    ///
    /// - Throws: as ``verdict(committingTo:at:)``.
    package func verdictAtOnce(by ledger: any Ledger, at now: Date) throws(VerificationError) -> Verdict? {
        if let rejection = try rejection(by: ledger, at: now) { return rejection }
        guard effects.isEmpty, !hasWaited || confirmations.isEmpty else { return nil }
        return Verdict(self, outcome: .accept, ledgerChecks: [], ledger: ledger, judgedAt: now)
    }

    /// Turns the assessments of one request into verdicts, with one commit: either all effects are applied, or none.
    ///
    /// - Returns: the accepting verdicts in the order of the assessments; or, if the request is rejected, only the rejecting
    ///   ones.
    /// - Throws: as ``verdict(committingTo:at:)``.
    package static func verdicts(
        of assessments: [Assessment], committingTo ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> [Verdict] {
        var verdicts: [Verdict] = []
        for assessment in assessments {
            if let rejection = try assessment.rejection(by: ledger, at: now) { verdicts.append(rejection) }
        }
        guard verdicts.isEmpty else { return verdicts }
        let effects = assessments.flatMap(\.effects)
        let confirmations = assessments.flatMap(\.confirmations)
        guard !effects.isEmpty || !confirmations.isEmpty else {
            return assessments.map { Verdict($0, outcome: .accept, ledgerChecks: [], ledger: ledger, judgedAt: now) }
        }
        let outcome = try await commit(effects, confirmations, to: ledger, at: now)
        var decisions = outcome.decisions.prefix(effects.count)
        var confirmed = outcome.decisions.dropFirst(effects.count)
        for assessment in assessments {
            verdicts.append(
                assessment.verdict(
                    outcome, decisions.prefix(assessment.effects.count),
                    confirmed.prefix(assessment.confirmations.count), by: ledger, at: now))
            decisions = decisions.dropFirst(assessment.effects.count)
            confirmed = confirmed.dropFirst(assessment.confirmations.count)
        }
        let rejections = verdicts.filter { $0.outcome == .reject }
        return rejections.isEmpty ? verdicts : rejections
    }

    /// The rejecting verdict if a check failed; nil if the ledger decides.
    private func rejection(by ledger: any Ledger, at now: Date) throws(VerificationError) -> Verdict? {
        guard let firstFailed else {
            guard isAcceptable, app != nil, decidesEveryLedgerCheck else {
                throw .outage(LedgerOutage(.internalError, "the assessment of \(kind) leaves ledger checks open"))
            }
            return nil
        }
        if let open = checks.first(where: { $0.status == .failed && $0.finding is AllocationFailure }) {
            throw .outage(
                LedgerOutage(
                    .outOfMemory, "\(open.check) could not be decided: there was not enough memory for its libraries"))
        }
        let skipped = ledgerChecks.map { CheckResult.skipped($0, because: .check(firstFailed)) }
        return Verdict(self, outcome: .reject, ledgerChecks: skipped, ledger: ledger, judgedAt: now)
    }

    /// Commits effects, with the confirmations behind them. Without effects nothing changes, so that a look-up is enough.
    private static func commit(
        _ effects: [LedgerEffect], _ confirmations: [StandingConfirmation], to ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> CommitOutcome {
        let outcome: CommitOutcome
        do throws(LedgerOutage) {
            if effects.isEmpty {
                let blocks =
                    ledger.isWithoutStandings ? [] : try await ledger.blocks(on: confirmations.map(\.subject), at: now)
                return CommitOutcome(
                    decisions: confirmations.map { confirmation in
                        blocks.first { $0.subject == confirmation.subject }.map { LedgerRefusal.blocked($0) }
                    })
            }
            outcome = try await ledger.commit(
                confirmations.isEmpty ? effects : effects + confirmations.map(\.effect), at: now)
        } catch { throw .outage(error) }
        guard outcome.decisions.count == effects.count + confirmations.count else {
            throw .outage(
                LedgerOutage(
                    .internalError,
                    "the ledger decided \(outcome.decisions.count) of \(effects.count + confirmations.count) effects"))
        }
        return outcome
    }

    /// The verdict of the ledger's decisions on the effects and the confirmations of this assessment.
    private func verdict(
        _ outcome: CommitOutcome, _ decisions: ArraySlice<LedgerRefusal?>, _ confirmed: ArraySlice<LedgerRefusal?>,
        by ledger: any Ledger, at now: Date
    ) -> Verdict {
        var results: [CheckResult] = []
        var revised: [CheckResult]?
        for (effect, refusal) in zip(effects, decisions) {
            if effect.confirmsCheck {
                guard let refusal, effect.isDecided(by: refusal) else { continue }
                revised = (revised ?? checks).map { $0.check == effect.check ? .failed(effect.check, refusal) : $0 }
                continue
            }
            let result = refusal.map { CheckResult.failed(effect.check, $0) } ?? outcome.passed(effect)
            // The first refusal among the effects of a check is its result.
            if results.last?.check != effect.check {
                results.append(result)
            } else if results.last?.status != .failed {
                results[results.count - 1] = result
            }
        }
        for (confirmation, refusal) in zip(confirmations, confirmed) {
            guard let failure = confirmation.failure(refusal) else { continue }
            revised = (revised ?? checks).map { $0.check == failure.check ? failure : $0 }
        }
        let accepted =
            revised == nil && results.allSatisfy { $0.status != .failed }
            && CommitOutcome(decisions: Array(decisions) + confirmed).isApplied
        return Verdict(
            self, outcome: accepted ? .accept : .reject, checks: revised, ledgerChecks: results, ledger: ledger,
            judgedAt: now)
    }

    /// True if every ledger check has an effect, in order. `useKey` effects, which confirm an earlier check, do not count.
    private var decidesEveryLedgerCheck: Bool {
        var open = ledgerChecks[...]
        var last: CheckID?
        for effect in effects where effect.check != last {
            if effect.confirmsCheck {
                guard checks.contains(where: { $0.check == effect.check }) else { return false }
                continue
            }
            guard effect.check == open.first else { return false }
            last = open.removeFirst()
        }
        return open.isEmpty
    }
}

extension LedgerEffect {
    /// True for `useKey`: a refusal overwrites the result of the check; otherwise the result stands.
    fileprivate var confirmsCheck: Bool { if case .useKey = action { true } else { false } }

    /// Whether a refusal of an effect that confirms a check is about that check. Another effect on the same key says what else is wrong
    /// with the key of an account.
    fileprivate func isDecided(by refusal: LedgerRefusal) -> Bool {
        guard case .useKey(let use) = action, use.account != nil else { return true }
        return if case .keyOfAnotherAccount = refusal { true } else { false }
    }
}

extension CommitOutcome {
    /// The result of an effect that was applied.
    fileprivate func passed(_ effect: LedgerEffect) -> CheckResult {
        guard case .enrol = effect.action, let enrolment else { return .passed(effect.check) }
        return enrolment.isAnnotation ? .annotated(effect.check, enrolment) : .passed(effect.check, enrolment)
    }
}
