public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// Assesses App Attest assertions: synchronous and pure, without clock and ledger.
public enum AssertionAssessor {
    /// Runs every check that needs no ledger. The counter is not looked at: only the ledger's commit compares it.
    ///
    /// - Parameters:
    ///   - input: what the app sent.
    ///   - keys: what is known of the key.
    ///   - expectations: what it is held against.
    ///   - now: the time of judgement.
    /// - Returns: the results, and the effects by which the ledger decides the rest.
    public static func assess(
        _ input: AssertionInput, keys: AssertionKeys, expectations: AppAttestExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: AssertionCheck.catalogue.count)
        let evidence = run.decode(AssertionCheck.decode) { () throws(DecodeError) in
            try AssertionEvidence(input.assertion)
        }
        var subject: AppAttestSubject?
        var bound: BoundChallenge?
        if let evidence {
            let checks = AssertionCheck(evidence: evidence, input: input, keys: keys, expectations: expectations)
            (subject, bound) = judge(checks, &run)
        } else {
            run.skip(AssertionCheck.catalogue.dropFirst().filter { $0.kind != .ledger }.map(\.id))
        }

        var effects: [LedgerEffect] = []
        switch (expectations.configuration.challenge, bound) {
        case (.caller, _), (.ledger, .notAsked):
            run.add(.skipped(AssertionCheck.challenge, because: .policy))
        case (.ledger, .missing(let finding)):
            _ = run.gate(AssertionCheck.challenge) { () throws(CheckFailure) in throw CheckFailure(finding) }
        case (.ledger, .found(let challenge)):
            effects.append(.consumeChallenge(challenge, AssertionCheck.challenge, AssertionCheck.kind, expectations))
        case (.ledger, nil):
            run.skip([AssertionCheck.challenge])
        }
        let undecided = effects.map(\.check) + [AssertionCheck.counter]
        // A supplied key is taken to be of the authority that the policy trusts, as nothing shows where it was attested.
        let testAuthority = expectations.trust.testAuthority
        if let subject, let counter = subject.counter {
            let identifier = KeyIdentifier.appAttest(input.keyID)
            effects.append(
                LedgerEffect(
                    AssertionCheck.counter,
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
        }
        return Assessment(
            kind: AssertionCheck.kind, app: expectations.app, checks: run.results, undecided: undecided,
            effects: effects, subject: subject,
            testAuthority: keys.facts?.testAuthority)
    }

    /// Runs what follows decoding, and tells what was learned when the evidence is authentic.
    private static func judge(
        _ checks: AssertionCheck, _ run: inout CheckRun
    ) -> (AppAttestSubject?, BoundChallenge?) {
        let extensions = checks.evidence.authenticatorData.extensions
        let configuration = checks.expectations.configuration
        let key = run.authenticity(AssertionCheck.key) { () throws(CheckFailure) in try checks.key() }
        if key != nil, checks.keys.enrolled == nil {
            run.remark(AssertionCheck.keySupplied)
        }
        _ = run.authenticity(AssertionCheck.signature) { () throws(CheckFailure) in try checks.signature(key) }
        let appID = run.gate(AssertionCheck.appID) { () throws(CheckFailure) in try checks.appID() }
        // Client data is not looked into before its signature is known to be good.
        let bound = run.broken == nil ? BoundChallenge(checks.input, configuration.clientData) : nil
        run.policy(AssertionCheck.clientData) { () throws(CheckFailure) in try checks.clientData(bound) }
        run.policy(AssertionCheck.validationCategory) { () throws(CheckFailure) in
            try SharedRules.validationCategory(extensions, support: checks.extensionSupport, in: configuration)
        }
        run.policy(AssertionCheck.bundleVersion) { () throws(CheckFailure) in
            try SharedRules.bundleVersion(extensions, support: checks.extensionSupport, in: configuration)
        }
        run.policy(AssertionCheck.keyState) { () throws(CheckFailure) in try checks.keyState() }

        guard run.broken == nil, let key else { return (nil, nil) }
        var subject = AppAttestSubject(keyID: checks.input.keyID)
        subject.publicKey = key.x963Representation
        subject.appID = appID
        subject.environment = checks.keys.facts?.environment
        subject.counter = checks.evidence.authenticatorData.counter
        subject.take(extensions)
        return (subject, bound)
    }
}
