package import AssayCore
package import FoundationEssentials

/// The status list that an attestation is judged by.
package enum KeyAttestationStatus: Sendable {
    /// The policy says that there is none.
    case none
    /// This list.
    case list(AttestationStatusList)
    /// It could not be had. Evidence that nothing else rejects then has no verdict.
    case unavailable
}

/// Assesses Android key attestations: a pure function of its arguments.
package enum KeyAttestationAssessor {
    /// Runs every check that needs no ledger, and returns the results with the effects for the ledger.
    package static func assess(
        _ input: KeyAttestationInput, account: AccountStandings = .none, status: KeyAttestationStatus,
        expectations: AndroidKeyExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: KeyAttestationCheck.catalogue.count)
        let evidence = decode(input, expectations.trust, &run)
        return assess(evidence, of: input, account, status, expectations, now, &run)
    }

    /// Decodes the certificates. `trust` only caches issuers and does not affect the result.
    static func decode(
        _ input: KeyAttestationInput, _ trust: AndroidKeyTrust, _ run: inout CheckRun
    ) -> KeyAttestationEvidence? {
        run.decode(.androidKeyAttestationDecode) { () throws(DecodeError) in
            try KeyAttestationEvidence(input.certificates, trust)
        }
    }

    /// Runs every check after decoding. The run skips them if the evidence is nil.
    static func assess(
        _ evidence: KeyAttestationEvidence?, of input: KeyAttestationInput, _ account: AccountStandings,
        _ status: KeyAttestationStatus, _ expectations: AndroidKeyExpectations, _ now: Date, _ run: inout CheckRun
    ) -> Assessment {
        run.allow(account.standings)
        let checks = KeyAttestationCheck(input: input, expectations: expectations, now: now)
        let subject: AndroidKeySubject?
        if let evidence {
            subject = assess(checks, evidence, account, status, &run)
        } else {
            subject = nil
            run.skip(KeyAttestationCheck.catalogue.dropFirst().filter { $0.kind != .ledger }.map(\.id))
        }

        var effects: [LedgerEffect] = []
        if expectations.configuration.challenge == .caller {
            run.add(.leftToCaller(.androidKeyAttestationChallenge))
        } else if run.failedAuthenticity != nil {
            run.skip([.androidKeyAttestationChallenge])
        } else {
            effects.append(
                .consumeChallenge(
                    input.challenge, .androidKeyAttestationChallenge, .androidKeyAttestation, app: expectations.app))
        }
        let ledgerChecks = effects.map(\.check) + [CheckID.androidKeyAttestationEnrolment]
        if let subject {
            let configuration = expectations.configuration
            let rules = EnrolmentRules(
                refreshKeeping: configuration.reattestation == .refresh ? EnrolledAndroidProperty.identity : nil,
                limit: configuration.maximumKeys)
            effects.append(
                LedgerEffect(
                    .androidKeyAttestationEnrolment,
                    .enrol(
                        subject.enrolment(account.account, expectations, unproven: unproven(run.results), at: now),
                        rules)))
        }
        return Assessment(
            kind: .androidKeyAttestation, app: expectations.app, catalogue: KeyAttestationCheck.catalogue,
            checks: run.results, ledgerChecks: ledgerChecks, effects: effects,
            confirmations: run.confirmations, subject: subject, testAuthority: expectations.trust.testAuthority,
            voucher: .platform)
    }

    /// Runs the checks of decoded evidence; returns its facts if all of it is authentic.
    private static func assess(
        _ checks: KeyAttestationCheck, _ evidence: KeyAttestationEvidence, _ account: AccountStandings,
        _ status: KeyAttestationStatus, _ run: inout CheckRun
    ) -> AndroidKeySubject? {
        let walk = ChainWalk(evidence: evidence, trust: checks.expectations.trust, now: checks.now)
        let chain = run.authenticity(.androidKeyAttestationChain, try walk.chain())
        let target: Void? = run.authenticity(.androidKeyAttestationTarget) { () throws(CheckFailure) in
            if let chain { try checks.target(evidence, chain) }
        }
        if target != nil, let chain { walk.remember(chain) }
        let description = run.authenticity(.androidKeyAttestationExtension, try checks.description(evidence))
        if let remark = description.flatMap(KeyAttestationCheck.remark) { run.remark(remark) }
        let key = run.authenticity(.androidKeyAttestationPublicKey, try checks.publicKey(evidence, description))
        _ = run.authenticity(.androidKeyAttestationChallengeBinding, try checks.challengeBinding(description))
        _ = run.authenticity(.androidKeyAttestationSecurityLevel, try checks.securityLevel(description, chain))
        guard run.failedAuthenticity == nil, let chain, let description, let key else {
            run.skip(KeyAttestationCheck.catalogue.dropFirst(7).filter { $0.kind != .ledger }.map(\.id))
            return nil
        }
        let info = KeyAttestationCheck.provisioningInfo(chain)
        assess(checks, evidence, chain, description, info, &run)
        var list: AttestationStatusList?
        switch status {
        case .none: run.policy(.androidKeyAttestationRevocation, .notRequired)
        case .list(let found):
            list = found
            run.policy(.androidKeyAttestationRevocation, try checks.revocation(chain, found))
        case .unavailable:
            // Skipped because of itself: such an assessment can never be accepted.
            run.add(.skipped(.androidKeyAttestationRevocation, because: .check(.androidKeyAttestationRevocation)))
        }
        run.policy(.androidKeyAttestationAccount, try checks.accountOfRequest(account))
        run.confirm(account)
        return AndroidKeySubject(
            evidence: evidence, chain: chain, description: description, key: key, info: try? info.get(), list: list)
    }

    /// The policy checks that found something which the policy, or an allowance, tolerates. Requests have their own check of the account.
    private static func unproven(_ results: [CheckResult]) -> [CheckID] {
        // By index: closures would copy each result.
        results.indices.compactMap { index in
            results[index].status == .annotated && results[index].check != .androidKeyAttestationAccount
                ? results[index].check : nil
        }
    }

    /// Runs the policy checks of device, app and key.
    private static func assess(
        _ checks: KeyAttestationCheck, _ evidence: KeyAttestationEvidence, _ chain: AttestationChain,
        _ description: KeyDescription, _ info: Result<ProvisioningInfo?, DecodeError>, _ run: inout CheckRun
    ) {
        run.policy(.androidKeyAttestationVersion, try checks.version(description))
        run.policy(.androidKeyAttestationRootOfTrust, try checks.rootOfTrust(description))
        run.policy(.androidKeyAttestationOSVersion, try checks.osVersion(description))
        run.policy(.androidKeyAttestationPatchLevel, try checks.patchLevel(description))
        run.policy(.androidKeyAttestationApplication, try checks.application(description))
        run.policy(.androidKeyAttestationOrigin, try checks.origin(description))
        run.policy(.androidKeyAttestationPurpose, try checks.purpose(description))
        run.policy(.androidKeyAttestationKeyScope, try checks.keyScope(description))
        run.policy(.androidKeyAttestationUserAuthentication, try checks.userAuthentication(description))
        run.policy(.androidKeyAttestationRollbackResistance, try checks.rollbackResistance(description))
        run.policy(.androidKeyAttestationCreationTime, try checks.creationTime(description))
        run.policy(.androidKeyAttestationDeviceIdentity, try checks.deviceIdentity(description))
        run.policy(.androidKeyAttestationProvisioning, try checks.provisioning(chain, info))
        run.policy(.androidKeyAttestationConsistency, try checks.consistency(evidence, description))
    }
}
