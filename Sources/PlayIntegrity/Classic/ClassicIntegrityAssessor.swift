package import AssayCore
package import FoundationEssentials

/// Assesses classic tokens: a pure function of its arguments.
package enum ClassicIntegrityAssessor {
    /// Runs every check that needs no ledger. `keys` are those of all apps, in any state.
    package static func assess(
        _ input: ClassicIntegrityInput, keys: [NamedKey], expectations: PlayIntegrityExpectations, now: Date
    ) -> Assessment {
        assess(
            input, keys: KeySelection(keys, for: expectations.keyClaim, at: now), expectations: expectations, now: now)
    }

    /// Runs every check that needs no ledger on a token that the app's keys open.
    static func assess(
        _ input: ClassicIntegrityInput, keys: KeySelection<PlayIntegrityKeys>, account: AccountStandings = .none,
        expectations: PlayIntegrityExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: PlayIntegrityCheck.classicChecks.count + 1)
        let opened = authenticate(input, keys, expectations, &run)
        return assess(
            input, opened?.payload, key: opened?.key, account, expectations, voucher: .platform, at: now, &run)
    }

    /// Runs every check that needs no ledger on a token that Google has decoded.
    /// - Parameter source: the parties that may vouch for the answer.
    package static func assess(
        _ input: ClassicIntegrityInput, answer: IntegrityAnswer, from source: PlayIntegrityConfiguration.AnswerSource,
        account: AccountStandings = .none, expectations: PlayIntegrityExpectations, now: Date
    ) -> Assessment {
        guard input.problem == nil else { return assess(input, keys: [], expectations: expectations, now: now) }
        var run = CheckRun(modes: expectations.modes, capacity: PlayIntegrityCheck.classicChecks.count + 1)
        var payload: PlayIntegrityPayload?
        if let object = StandardIntegrityAssessor.decode(answer, from: source, &run) {
            for check in [CheckID.playIntegrityDecryption, CheckID.playIntegritySignature] {
                run.conditionalGate(check) {
                    .notApplicable(Finding(.decodedByGoogle, "Google opens the classic tokens of this app"))
                }
            }
            payload = StandardIntegrityAssessor.read(object, expectations, &run)
        }
        return assess(input, payload, key: nil, account, expectations, voucher: answer.voucher, at: now, &run)
    }

    /// Runs the checks of a payload; nil if the evidence has none that is authentic.
    private static func assess(
        _ input: ClassicIntegrityInput, _ payload: PlayIntegrityPayload?, key: String?,
        _ account: AccountStandings, _ expectations: PlayIntegrityExpectations, voucher: EvidenceVoucher, at now: Date,
        _ run: inout CheckRun
    ) -> Assessment {
        run.allow(account.standings)
        var testAuthority: String?
        if let payload {
            let check = PlayIntegrityCheck(payload: payload, expectations: expectations, now: now)
            _ = run.gate(.playIntegrityRequestPackage, try check.requestPackage(input.packageName))
            _ = run.gate(.playIntegrityNonce, try check.nonce(input.nonce))
            _ = run.gate(.playIntegrityFreshness, try check.freshness())
            _ = run.gate(.playIntegrityTestingResponse, try check.testingResponse())
            testAuthority = check.testAuthority
            check.runPolicyChecks(account, &run)
        } else {
            run.skip(Array(PlayIntegrityCheck.classicChecks.dropFirst(run.results.count)))
        }

        var effects: [LedgerEffect] = []
        var ledgerChecks: [CheckID] = []
        switch expectations.configuration.challenge {
        case .caller: run.add(.leftToCaller(.playIntegrityChallenge))
        case .ledger:
            ledgerChecks.append(CheckID.playIntegrityChallenge)
            effects.append(.consumeChallenge(of: input, expectations))
        }
        return Assessment(
            kind: EvidenceKind.playIntegrityClassic, app: expectations.app, catalogue: PlayIntegrityCheck.catalogue,
            checks: run.results, ledgerChecks: ledgerChecks, effects: effects, confirmations: run.confirmations,
            subject: payload.map { PlayIntegritySubject(payload: $0, key: key) }, testAuthority: testAuthority,
            voucher: voucher)
    }

    /// Decodes the outer form of a token that the app's keys open.
    static func decode(_ input: ClassicIntegrityInput, _ run: inout CheckRun) -> CompactJWE? {
        run.authenticity(.playIntegrityDecode) { () throws(CheckFailure) in
            if let problem = input.problem { throw CheckFailure(problem) }
            guard case .token(let token) = input.evidence else {
                throw CheckFailure(
                    .answerNotTaken,
                    "the evidence brings the answer of the decode call, and the app opens its classic tokens with keys; "
                        + "send the token in its place, or set classicTokens: google if Google manages the response "
                        + "encryption of the app")
            }
            do throws(DecodeError) {
                return try ClassicIntegrityToken.decode(token)
            } catch {
                throw CheckFailure(error)
            }
        }
    }

    /// Runs the gates from text to payload; returns the payload of an authentic token and the name of its key.
    private static func authenticate(
        _ input: ClassicIntegrityInput, _ keys: KeySelection<PlayIntegrityKeys>,
        _ expectations: PlayIntegrityExpectations,
        _ run: inout CheckRun
    ) -> (key: String, payload: PlayIntegrityPayload)? {
        guard let jwe = decode(input, &run) else { return nil }
        let opened = run.authenticity(.playIntegrityDecryption, try ClassicIntegrityToken.open(jwe, with: keys))
        guard let opened else { return nil }
        run.remark(OpenedWithKey(name: opened.entry.name))
        let jws = run.authenticity(
            .playIntegritySignature,
            try ClassicIntegrityToken.verify(opened.plaintext, with: opened.entry.material))
        guard let jws else { return nil }
        let payload = run.decode(.playIntegrityPayload) { () throws(DecodeError) in
            let object = try JSONReader.readObject(jws.payload, limit: InputLimits.joseText)
            return try PlayIntegrityCheck.form(PayloadReader.read(object), in: object, expectations.configuration)
        }
        return payload.map { (opened.entry.name, $0) }
    }
}

extension CheckCode {
    static let answerNotTaken = CheckCode(
        "answer-not-taken",
        """
        The evidence brings Google's answer, and the app opens its classic tokens with keys of its own: send the token, or set \
        `classicTokens: google` in the policy.
        """)
    static let decodedByGoogle = CheckCode(
        "decoded-by-google",
        "Google opens the classic tokens of this app, and its answer has the payload alone: no action.")
}
