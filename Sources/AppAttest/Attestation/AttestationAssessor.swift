package import AssayCore
package import FoundationEssentials

/// Assesses App Attest attestations: a pure function of its arguments.
package enum AttestationAssessor {
    /// Runs every check that needs no ledger, and returns the results with the effects for the ledger.
    package static func assess(
        _ input: AttestationInput, account: AccountStandings = .none, expectations: AppAttestExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: AttestationCheck.catalogue.count)
        let evidence = decode(input, expectations.trust, &run)
        return assess(evidence, of: input, account, expectations, now, &run)
    }

    /// Decodes an attestation. `trust` only caches certificates and does not affect the result.
    static func decode(
        _ input: AttestationInput, _ trust: AppAttestTrust, _ run: inout CheckRun
    ) -> AttestationEvidence? {
        run.decode(.appAttestAttestationDecode) { () throws(DecodeError) in
            try AttestationEvidence(input.attestation, authorities: trust.attestation)
        }
    }

    /// Runs every check after decoding. The run skips them if the evidence is nil.
    static func assess(
        _ evidence: AttestationEvidence?, of input: AttestationInput, _ account: AccountStandings,
        _ expectations: AppAttestExpectations, _ now: Date, _ run: inout CheckRun
    ) -> Assessment {
        run.allow(account.standings)
        var subject: AppAttestSubject?
        if let evidence {
            let checks = AttestationCheck(
                evidence: evidence, input: input, expectations: expectations, now: now)
            subject = assess(checks, account, &run)
        } else {
            run.skip(AttestationCheck.catalogue.dropFirst().filter { $0.kind != .ledger }.map(\.id))
        }

        var effects: [LedgerEffect] = []
        switch (expectations.configuration.challenge, input.clientData.data) {
        case (.caller, _):
            run.add(.leftToCaller(.appAttestAttestationChallenge))
        case (.ledger, _) where run.failedAuthenticity != nil:
            run.skip([.appAttestAttestationChallenge])
        case (.ledger, nil):
            _ = run.gate(.appAttestAttestationChallenge) { () throws(CheckFailure) in
                throw AttestationCheck.challengeMissing
            }
        case (.ledger, let challenge?):
            effects.append(
                .consumeChallenge(
                    challenge, .appAttestAttestationChallenge, .appAttestAttestation, app: expectations.app))
        }
        let ledgerChecks = effects.map(\.check) + [CheckID.appAttestAttestationEnrolment]
        if let subject, let key = enrolment(of: subject, account.account, expectations, at: now) {
            let configuration = expectations.configuration
            let rules = EnrolmentRules(
                refreshKeeping: configuration.reattestation == .refresh ? EnrolledProperty.identity : nil,
                limit: configuration.maximumKeys)
            effects.append(LedgerEffect(.appAttestAttestationEnrolment, .enrol(key, rules)))
        }
        return Assessment(
            kind: EvidenceKind.appAttestAttestation, app: expectations.app, catalogue: AttestationCheck.catalogue,
            checks: run.results,
            ledgerChecks: ledgerChecks,
            effects: effects, confirmations: run.confirmations, subject: subject,
            testAuthority: expectations.trust.testAuthority,
            voucher: .platform)
    }

    /// Runs the checks of decoded evidence; returns its facts if all of it is authentic.
    private static func assess(
        _ checks: AttestationCheck, _ account: AccountStandings, _ run: inout CheckRun
    ) -> AppAttestSubject? {
        let evidence = checks.evidence
        _ = run.authenticity(.appAttestAttestationChain, try checks.chain())
        let key = run.authenticity(.appAttestAttestationPublicKey, try checks.publicKey())
        _ = run.authenticity(.appAttestAttestationNonce, try checks.nonce())
        _ = run.authenticity(.appAttestAttestationKeyID, try checks.keyID(key))
        _ = run.authenticity(.appAttestAttestationCredentialID, try checks.credentialID())
        let appID = run.gate(.appAttestAttestationAppID, try checks.appID())
        let environment = run.gate(.appAttestAttestationEnvironment, try checks.environment())
        _ = run.gate(.appAttestAttestationCounter, try checks.counter())

        let certificate = AttestedCertificate(evidence.leaf)
        let receipt = checks.runPolicyChecks(certificate, account, &run)

        guard run.failedAuthenticity == nil, let key else { return nil }
        var subject = AppAttestSubject(keyID: checks.input.keyID)
        subject.publicKey = key.x963Representation
        subject.appID = appID
        subject.environment = environment
        subject.counter = evidence.authenticatorData.counter
        subject.take(certificate)
        subject.take(evidence.authenticatorData.extensions)
        if let receipt {
            subject.take(receipt)
            let isKept = checks.expectations.configuration.receipt.keep != nil
            if isKept { subject.receiptBytes = evidence.receipt.map { Array($0) } }
        }
        return subject
    }

    private static func enrolment(
        of subject: AppAttestSubject, _ account: String?, _ expectations: AppAttestExpectations, at now: Date
    ) -> EnrolledKey? {
        guard let publicKey = subject.publicKey, let appID = subject.appID, let environment = subject.environment
        else { return nil }
        var properties = [
            EnrolledProperty.appID: appID, EnrolledProperty.environment: environment.rawValue,
        ]
        properties[EnrolledProperty.osVersion] = subject.osVersion
        properties[EnrolledProperty.validationCategory] = subject.validationCategory.map(String.init)
        properties[EnrolledProperty.bundleVersion] = subject.bundleVersion
        properties[EnrolledProperty.testAuthority] = expectations.trust.testAuthority
        return EnrolledKey(
            identifier: .appAttest(subject.keyID), app: expectations.app,
            publicKey: publicKey, counter: 0, enrolledAt: now, properties: properties, account: account)
    }
}
