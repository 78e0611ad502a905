package import AssayCore
package import FoundationEssentials

/// Assesses App Attest assertions: a pure function of its arguments.
package enum AssertionAssessor {
    /// Runs every check that needs no ledger, and returns the results with the effects for the ledger. Only the
    /// ledger's commit compares the counter.
    package static func assess(
        _ input: AssertionInput, keys: AssertionKeys, account: AccountStandings = .none,
        expectations: AppAttestExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: AssertionCheck.catalogue.count)
        let evidence = decode(input, &run)
        return assess(evidence, of: input, in: .assertion(expectations), keys, account, expectations, now, &run)
    }

    static func decode(_ input: AssertionInput, _ run: inout CheckRun) -> AssertionEvidence? {
        run.decode(.appAttestAssertionDecode) { () throws(DecodeError) in try AssertionEvidence(input.assertion) }
    }

    /// Runs every check after decoding. The run skips them if the evidence is nil.
    static func assess(
        _ evidence: AssertionEvidence?, of input: AssertionInput, in frame: AssertionFrame, _ keys: AssertionKeys,
        _ account: AccountStandings, _ expectations: AppAttestExpectations, _ now: Date, _ run: inout CheckRun
    ) -> Assessment {
        run.allow(account.standings)
        var subject: AppAttestSubject?
        var bound: BoundChallenge?
        if let evidence {
            let checks = AssertionCheck(
                evidence: evidence, input: input, frame: frame, keys: keys, expectations: expectations)
            (subject, bound) = assess(checks, account, now, &run)
            subject?.request = frame.facts
        } else {
            run.skip(AssertionCheck.catalogue.dropFirst().filter { $0.kind != .ledger }.map(\.id))
        }

        var effects: [LedgerEffect] = []
        switch (frame.challenge, bound) {
        case (.caller, _): run.add(.leftToCaller(.appAttestAssertionChallenge))
        case (.ledger, .notRequired): run.add(.skipped(.appAttestAssertionChallenge, because: .policy))
        case (.ledger, .missing(let finding)):
            _ = run.gate(.appAttestAssertionChallenge) { () throws(CheckFailure) in throw CheckFailure(finding) }
        case (.ledger, .found(let challenge)):
            effects.append(
                .consumeChallenge(challenge, .appAttestAssertionChallenge, frame.kind, app: expectations.app))
        case (.ledger, nil):
            run.skip([.appAttestAssertionChallenge])
        }
        let ledgerChecks = effects.map(\.check) + [CheckID.appAttestAssertionCounter]
        // The origin of a supplied key is unknown: assume the authority that the policy trusts.
        let testAuthority = expectations.trust.testAuthority
        if let subject, let counter = subject.counter {
            let identifier = KeyIdentifier.appAttest(input.keyID)
            effects.append(
                LedgerEffect(
                    .appAttestAssertionCounter,
                    .advanceCounter(
                        CounterAdvance(
                            key: identifier, app: expectations.app, counter: counter,
                            rule: expectations.configuration.counter,
                            supplied: keys.supplied.flatMap { supplied in
                                subject.publicKey.map {
                                    EnrolledKey(
                                        identifier: identifier, app: expectations.app, publicKey: $0,
                                        counter: supplied.counter, enrolledAt: now,
                                        properties: testAuthority.map { [EnrolledProperty.testAuthority: $0] } ?? [:])
                                }
                            }))))
            let use = account.use(
                of: keys.enrolled, identifier, app: expectations.app, expectations.configuration.account,
                expectations.modes, .appAttestAssertionAccount)
            if let use { effects.append(use) }
        }
        return Assessment(
            kind: frame.kind, app: expectations.app, catalogue: frame.catalogue, checks: run.results,
            ledgerChecks: ledgerChecks,
            effects: effects, confirmations: run.confirmations, subject: subject,
            testAuthority: keys.facts?.testAuthority, voucher: keys.voucher, boundText: frame.boundText)
    }

    /// Runs the checks of decoded evidence; returns its facts and its challenge if it is authentic.
    private static func assess(
        _ checks: AssertionCheck, _ account: AccountStandings, _ now: Date, _ run: inout CheckRun
    ) -> (AppAttestSubject?, BoundChallenge?) {
        let extensions = checks.evidence.authenticatorData.extensions
        let configuration = checks.expectations.configuration
        let key = run.authenticity(.appAttestAssertionKey, try checks.key())
        if key != nil, checks.keys.enrolled == nil {
            run.remark(AssertionCheck.keySupplied)
        }
        _ = run.authenticity(.appAttestAssertionSignature, try checks.signature(key))
        let appID = run.gate(.appAttestAssertionAppID, try checks.appID())
        // Parse client data only after its signature has passed.
        let bound = run.failedAuthenticity == nil ? checks.boundChallenge : nil
        run.policy(.appAttestAssertionClientData, try checks.clientData(bound))
        run.policy(
            .appAttestAssertionValidationCategory,
            try SharedRules.validationCategory(extensions, support: checks.extensionSupport, in: configuration))
        run.policy(
            .appAttestAssertionBundleVersion,
            try SharedRules.bundleVersion(extensions, support: checks.extensionSupport, in: configuration))
        run.policy(.appAttestAssertionKeyState, try checks.keyState())
        run.policy(.appAttestAssertionRiskMetric, try checks.keyRisk(at: now))
        run.policy(.appAttestAssertionAccount, try checks.accountOfRequest(account))
        run.confirm(account)

        guard run.failedAuthenticity == nil, let key else { return (nil, nil) }
        var subject = AppAttestSubject(keyID: checks.input.keyID)
        subject.publicKey = key.x963Representation
        subject.appID = appID
        subject.environment = checks.keys.facts?.environment
        subject.counter = checks.evidence.authenticatorData.counter
        subject.account = checks.keys.enrolled?.account
        subject.riskMetric = checks.keys.facts?.riskMetric
        subject.take(extensions)
        return (subject, bound)
    }
}

/// The form in which the server receives an assertion: by itself, or as the signature of a request.
struct AssertionFrame: Sendable {
    let kind: EvidenceKind
    let catalogue: [CheckDefinition]
    /// Whether the ledger or the caller keeps track of challenges.
    let challenge: AppAttestConfiguration.ChallengeSource
    let facts: MessageFacts?
    /// The challenge in the signature of a request; nil for an assertion by itself, whose client data may carry one.
    let nonce: BoundChallenge?
    /// The nonce in the signature of a request, where it need be no challenge.
    var boundText: String?
}

extension AssertionFrame {
    /// An assertion by itself: the policy names the place of the challenge in its client data.
    static func assertion(_ expectations: AppAttestExpectations) -> AssertionFrame {
        AssertionFrame(
            kind: .appAttestAssertion, catalogue: AssertionCheck.catalogue,
            challenge: expectations.configuration.challenge, facts: nil, nonce: nil)
    }
}
