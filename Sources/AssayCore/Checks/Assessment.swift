/// Who stands for the facts of evidence, once its checks hold.
package enum EvidenceVoucher: Sendable, Equatable {
    /// The platform: Apple or Google signed the evidence, a key that they attested signed it, or Google answered this verifier.
    case platform
    /// The caller alone: it wrote the facts, or named the key, and nothing shows that a platform ever stated them.
    case caller
    /// The client alone: it states that it has no evidence.
    case client
}

/// The results of an engine's checks before the ledger decides, and the effects that an acceptance needs.
///
/// Only ``verdict(committingTo:at:)`` turns an assessment into a verdict.
package struct Assessment: Sendable {
    /// The kind of evidence that was assessed.
    package private(set) var kind: EvidenceKind
    /// The policy's app that judged the evidence; nil when no app could decode it.
    package let app: String?
    /// The entries of the checks, which say what a client can do about a failure.
    private(set) var catalogue: [CheckDefinition]
    /// The results in the declared order, without the checks that a commit decides.
    package private(set) var checks: [CheckResult]
    /// The checks that the commit decides, in the declared order.
    package private(set) var ledgerChecks: [CheckID]
    /// The effects that the ledger must apply, all or none: one or more for each of ``ledgerChecks``, in the same order, and uses
    /// of keys for checks of ``checks``. Empty when a check failed.
    package private(set) var effects: [LedgerEffect]
    /// The blocks that must still be absent when the ledger commits. Empty when a check failed.
    package private(set) var confirmations: [StandingConfirmation]
    /// Whether time may have passed since the standings were looked up.
    private(set) var hasWaited = false
    /// The facts of authentic evidence. Without authenticity: nil, or only claims, under names such as `claimedArc`.
    package private(set) var subject: (any EngineSubject)?
    /// The test authority that signed the evidence, by subject name; nil for the platform's own trust anchors.
    package let testAuthority: String?
    /// Who stands for the facts of the evidence.
    package let voucher: EvidenceVoucher
    /// A text that acceptable evidence covers, in place of a challenge of the ledger; nil for none. Other effects stop repeats.
    package private(set) var boundText: String?

    /// Whether the evidence is acceptable if the ledger applies the effects: at least one check passed, none failed,
    /// and none was skipped because of another check. Only a defect of an engine skips checks without a failure, unless
    /// the policy accepts evidence without proof.
    package private(set) var isAcceptable: Bool

    /// Whether a check failed or was annotated.
    package private(set) var hasFindings: Bool

    /// The first failed check.
    private(set) var firstFailed: CheckID?
    /// What Apple said to the device token that came with the evidence; nil if Apple was not asked.
    private(set) var deviceBits: DeviceBits?
    /// The answer of the platform's service on the evidence, as received, for captures; nil if none was asked.
    package var serviceAnswer: [UInt8]?
    /// What the app says of itself; nil for nothing.
    package var property: ClientProperty?

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
    /// - Parameter confirmations: those of the run of checks.
    /// - Parameters:
    ///   - voucher: who stands for the facts. The default is the weaker one: an engine says where a platform does.
    ///   - boundText: the text that the evidence covers in place of a challenge of the ledger.
    ///   - passesWithoutProof: whether the policy accepts evidence when no check passes.
    package init(
        kind: EvidenceKind, app: String?, catalogue: [CheckDefinition], checks: [CheckResult], ledgerChecks: [CheckID],
        effects: [LedgerEffect], confirmations: [StandingConfirmation] = [],
        subject: (any EngineSubject)?, testAuthority: String?, voucher: EvidenceVoucher = .caller,
        boundText: String? = nil, passesWithoutProof: Bool = false
    ) {
        (self.kind, self.app, self.catalogue) = (kind, app, catalogue)
        (self.checks, self.ledgerChecks) = (checks, ledgerChecks)
        var hasFindings = false
        isAcceptable = Assessment.isAcceptable(checks, withoutProof: passesWithoutProof, &hasFindings)
        self.hasFindings = hasFindings || !isAcceptable
        firstFailed = isAcceptable ? nil : checks.first { $0.status == .failed }?.check
        self.effects = isAcceptable ? effects : []
        self.confirmations = isAcceptable ? confirmations : []
        (self.subject, self.testAuthority) = (subject, testAuthority)
        (self.voucher, self.boundText) = (voucher, boundText)
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

extension Assessment {
    /// ``consuming(_:insteadOf:)`` for evidence that consumes no challenge and covers a text: the text becomes another one. Nil unless
    /// the evidence covers the derived text.
    package func covering(_ text: String, insteadOf derived: String) -> Assessment? {
        guard let boundText, boundText.isByteEqual(to: derived) else { return nil }
        var changed = self
        changed.boundText = text
        return changed
    }

    /// The assessment of evidence of another kind that carries this evidence and has its effects.
    ///
    /// - Parameters:
    ///   - carrier: the other kind.
    ///   - subject: the facts of both; it has ``EngineSubject/carried``.
    ///   - definitions: the entries of the carrier's checks.
    ///   - first: results before those of this evidence.
    ///   - last: results between them and the ledger's.
    package func carried(
        by carrier: EvidenceKind, _ subject: any EngineSubject, of definitions: [CheckDefinition],
        first: [CheckResult], last: [CheckResult]
    ) -> Assessment {
        var changed = adding(last, of: definitions, effect: nil, bits: deviceBits)
        changed.kind = carrier
        changed.subject = subject
        changed.checks = first + changed.checks
        return changed
    }

    /// The kind of the evidence that vouches for the device: that of carried evidence, else ``kind``.
    package var evidenceKind: EvidenceKind { subject?.carried?.kind ?? kind }
}

extension Assessment {
    /// The same assessment with the results of checks on something that accompanies the evidence.
    ///
    /// - Parameters:
    ///   - results: results to insert between the engine's and the ledger's.
    ///   - definitions: the entries of all checks that may run, with the ledger's.
    ///   - effect: what the ledger must apply besides; nil for nothing.
    ///   - bits: what Apple said to a device token.
    package func adding(
        _ results: [CheckResult], of definitions: [CheckDefinition], effect: LedgerEffect?, bits: DeviceBits?
    ) -> Assessment {
        var changed = self
        changed.checks += results
        changed.catalogue += definitions
        changed.deviceBits = bits
        if let effect { changed.ledgerChecks.append(effect.check) }
        if let failed = results.first(where: { $0.status == .failed }) {
            changed.isAcceptable = false
            changed.firstFailed = firstFailed ?? failed.check
        }
        changed.hasFindings = hasFindings || !changed.isAcceptable || results.contains { $0.status == .annotated }
        changed.effects = changed.isAcceptable ? effects + (effect.map { [$0] } ?? []) : []
        changed.confirmations = changed.isAcceptable ? confirmations : []
        changed.hasWaited = true
        return changed
    }

    /// The same assessment with a finding on a check that passed, or in place of the finding of one that was annotated. No status
    /// changes.
    package func noting(_ finding: Finding, on check: CheckID) -> Assessment {
        guard let index = checks.firstIndex(where: { $0.check == check }) else { return self }
        var changed = self
        switch checks[index].status {
        case .passed: changed.checks[index] = .passed(check, finding)
        case .annotated:
            let excused = (checks[index].finding as? ExcusedFinding).map {
                ExcusedFinding(finding: finding, allowance: $0.allowance)
            }
            changed.checks[index] = .annotated(check, excused ?? finding)
        case .failed, .skipped: return self
        }
        changed.hasWaited = true
        return changed
    }

    /// Whether an allowance in the ledger excuses a failed check.
    package var isExcused: Bool { hasFindings && checks.contains { $0.finding is ExcusedFinding } }

    /// Whether a block in the ledger alone rejects the evidence: every check that failed names one, and none was skipped because of
    /// it, so that the evidence is authentic.
    package var isOnlyBlocked: Bool {
        let blockCodes = [CheckCode.blocked.name, CheckCode.accountBlocked.name]
        return !isAcceptable
            && checks.allSatisfy { result in
                if case .check = result.because { return false }
                return result.status != .failed || blockCodes.contains(result.finding?.code ?? "")
            }
            && checks.contains { $0.status == .failed }
    }
}
