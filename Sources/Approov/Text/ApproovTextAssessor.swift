import AssayCore
import FoundationEssentials

/// Assesses texts that apps signed with the account's message signing key: a pure function of its arguments. As for messages, the
/// checks of the text need an authentic token, and run even if it has expired or the policy rejects it.
struct ApproovTextAssessor {
    let input: ApproovTextInput
    let signing: TextSigning
    let keys: KeySelection<ApproovMessageKey>
    let expectations: ApproovExpectations
    let now: Date

    static func capacity(_ expectations: ApproovExpectations) -> Int {
        expectations.tokenChecks.count + ApproovCheck.textChecks.count + 1
    }

    /// The policy's section on signed texts.
    static func signing(of expectations: ApproovExpectations) throws(RequestError) -> TextSigning {
        if let signing = expectations.configuration.textSigning { return signing }
        throw RequestError(
            .unknownApp,
            "app \(expectations.app.excerpt) has no textSigning in the policy, which says who remembers signed texts")
    }

    /// Runs the checks of the token's claims and of the text.
    func assess(
        _ token: ApproovTokenAssessor.Outcome, _ account: AccountStandings, _ run: inout CheckRun
    ) -> Assessment {
        ApproovTokenAssessor.assess(token, input.binding, input.address, account, expectations, now, &run)
        if token.isExcused {
            for check in ApproovCheck.textChecks + [CheckID.approovTextReplay] {
                run.add(.skipped(check, because: .notApplicable))
            }
            return assessment(run, passesWithoutProof: true)
        }
        let text = signed(token.token?.claims, &run)
        if text == nil {
            let done = run.results.count - expectations.tokenChecks.count
            run.skip(Array(ApproovCheck.textChecks.dropFirst(done)))
        }
        var effects: [LedgerEffect] = []
        var ledgerChecks: [CheckID] = []
        switch signing.replay {
        case .caller: run.add(.leftToCaller(.approovTextReplay))
        case .ledger:
            ledgerChecks.append(CheckID.approovTextReplay)
            // A token whose expiry the ledger cannot store has failed the expiry check.
            if let text, let claims = token.token?.claims, claims.expiresAt != nil, let expiry = claims.expiry {
                effects.append(.rememberText(text.text, expiry: expiry, app: expectations.app, at: now))
            }
        }
        return assessment(
            run, ledgerChecks: ledgerChecks, effects: effects,
            subject: ApproovSubject(token, expectations.addresses))
    }

    private func assessment(
        _ run: borrowing CheckRun, ledgerChecks: [CheckID] = [], effects: [LedgerEffect] = [],
        subject: ApproovSubject? = nil, passesWithoutProof: Bool = false
    ) -> Assessment {
        Assessment(
            kind: EvidenceKind.approovText, app: expectations.app, catalogue: ApproovCheck.catalogue,
            checks: run.results, ledgerChecks: ledgerChecks, effects: effects, confirmations: run.confirmations,
            subject: subject, testAuthority: nil, passesWithoutProof: passesWithoutProof)
    }

    /// Runs the gates of the text. A text without the token is still verified: the verdict then distinguishes a
    /// misconfigured app from a forger.
    private func signed(_ claims: ApproovClaims?, _ run: inout CheckRun) -> SignedText? {
        guard let claims else { return nil }
        let text = run.decode(.approovTextDecode) { () throws(DecodeError) in try SignedText(input) }
        guard let text else { return nil }
        let key = run.authenticity(.approovTextKey, try MessageKey(claims, keys, .account))
        guard let key else { return nil }
        _ = run.gate(
            .approovTextToken,
            try text.require(
                ApproovTokenText.withoutPrefix(of: input.token, expectations.configuration),
                expiringAt: claims.expiry, remembering: signing.replay == .ledger, at: now))
        let name = run.authenticity(.approovTextSignature, try text.verify(key))
        guard let name else { return nil }
        if let name { run.remark(Finding(.authenticatedWithKey, "with key \(name.excerpt)")) }
        return text
    }
}
