package import AssayCore
package import FoundationEssentials

/// A token signed or encrypted by Approov, with its claims.
struct AuthenticToken {
    /// The form of the token.
    enum Form: String {
        case jws
        case jwe
        case loggable
    }

    let form: Form
    let key: String
    let claims: ApproovClaims
    let source: ApproovClaims.Source
}

/// Assesses tokens: a pure function of its arguments.
package enum ApproovTokenAssessor {
    /// Runs all checks of a token. There is no ledger check: a token may be used many times. `keys` are those of all apps, in any
    /// state. A loggable token is accepted for analysis only.
    package static func assess(
        _ input: ApproovTokenInput, keys: [NamedKey], account: String? = nil,
        standings: ([LedgerSubject]) -> [LedgerStanding],
        expectations: ApproovExpectations, use: VerdictUse = .admission, now: Date
    ) -> Assessment {
        let keys = expectations.tokenKeys.keys(among: keys, for: expectations.keyClaim, at: now)
        var run = CheckRun(modes: expectations.modes, capacity: ApproovCheck.signedTokenChecks.count)
        let outcome = authenticate(demandsPrefix: false, for: use, keys, expectations, &run) { input.evidence }
        let known = AccountStandings(account, of: outcome, standings)
        assess(outcome, input.binding, input.address, known, expectations, now, &run)
        return assessment(outcome, expectations, run)
    }

    /// The result of a token's gates: the authentic token, or else its claims if they are readable.
    struct Outcome {
        let token: AuthenticToken?
        let claimed: ApproovSubject.Claimed?
        /// Whether the policy accepts the status word in place of a token, or that there is none.
        var isExcused = false
    }

    /// Decodes the token text that `find` returns, under an app's policy.
    static func decode(
        demandsPrefix: Bool, _ configuration: ApproovConfiguration, _ run: inout CheckRun,
        _ find: () throws(CheckFailure) -> ApproovTokenInput.Evidence
    ) -> ApproovTokenText.Parts? {
        run.authenticity(.approovTokenDecode) { () throws(CheckFailure) in
            let evidence = try find()
            if let absence = MessageToken.absence(of: evidence, configuration) {
                if configuration.statusWords[.empty] == .annotate, evidence != .repeated {
                    return .excused(absence.finding)
                }
                throw absence
            }
            if let substitute = ApproovTokenText.substitute(for: evidence, configuration) {
                if case .statusWord(let word) = substitute, configuration.statusWords[word] == .annotate {
                    return .excused(substitute.failure.finding)
                }
                throw substitute.failure
            }
            do throws(DecodeError) {
                return try ApproovTokenText.decode(evidence, demandsPrefix: demandsPrefix, configuration)
            } catch {
                throw CheckFailure(error)
            }
        }
    }

    /// Runs the gates from text to claims.
    static func authenticate(
        demandsPrefix: Bool, for use: VerdictUse, _ keys: ApproovTokenKeys, _ expectations: ApproovExpectations,
        _ run: inout CheckRun, _ find: () throws(CheckFailure) -> ApproovTokenInput.Evidence
    ) -> Outcome {
        let configuration = expectations.configuration
        guard let parts = decode(demandsPrefix: demandsPrefix, configuration, &run, find) else {
            let substitute = (try? find()).flatMap { ApproovTokenText.substitute(for: $0, configuration) }
            return Outcome(token: nil, claimed: substitute?.claimed)
        }
        if case .excused(let finding) = parts {
            run.remark(with: .annotated(CheckID.approovTokenDecode, finding))
            return Outcome(token: nil, claimed: nil, isExcused: true)
        }
        let opened = open(parts, for: use, keys, &run)
        guard let opened else { return Outcome(token: nil, claimed: ApproovSubject.Claimed(parts)) }
        run.remark(with: opened.passed)
        let claims = run.decode(.approovTokenClaims) { () throws(DecodeError) in
            switch opened.claims {
            case .json(let bytes):
                try ClaimsReader.read(JSONReader.readObject(bytes, limit: InputLimits.joseText))
            case .decrypted(let plaintext): try ClaimsReader.read(plaintext)
            case .object(let object): try ClaimsReader.read(object)
            }
        }
        guard let claims else { return Outcome(token: nil, claimed: nil) }
        let token = AuthenticToken(
            form: opened.form, key: opened.name, claims: claims, source: claims.source(configuration))
        return Outcome(token: token, claimed: nil)
    }

    private struct Opened {
        enum Claims {
            case json([UInt8])
            case decrypted(DecryptedClaims)
            case object(RecordObject)
        }

        let name: String
        /// The passed result with the key's name.
        let passed: CheckResult
        let form: AuthenticToken.Form
        let claims: Claims
    }

    /// The gates of the key, and of the signature or the encryption.
    private static func open(
        _ parts: ApproovTokenText.Parts, for use: VerdictUse, _ keys: ApproovTokenKeys, _ run: inout CheckRun
    ) -> Opened? {
        switch parts {
        case .excused: return nil
        case .signed(let jws):
            let candidates = run.authenticity(.approovTokenKey, try keys.candidates(for: jws.header))
            guard let candidates else { return nil }
            let key = run.authenticity(.approovTokenSignature, try keys.verify(jws, with: candidates))
            guard let key else { return nil }
            return Opened(name: key.name, passed: key.passed, form: .jws, claims: .json(jws.payload))
        case .encrypted(let jwe):
            let candidates = run.authenticity(.approovTokenKey, try keys.candidates(decrypting: jwe.header))
            guard let candidates else { return nil }
            let opened = run.authenticity(.approovTokenDecryption, try keys.open(jwe, with: candidates))
            guard let (key, plaintext) = opened else { return nil }
            return Opened(name: key.name, passed: key.passed, form: .jwe, claims: .decrypted(plaintext))
        case .loggable(let loggable):
            let secrets = run.authenticity(.approovTokenKey, try keys.secrets())
            guard let secrets else { return nil }
            let key = run.authenticity(.approovTokenSignature) { () throws(CheckFailure) in
                let key = try keys.verify(loggable, with: secrets)
                guard use == .analysis else { throw ApproovTokenKeys.loggableAdmitsNothing(key.name) }
                return key
            }
            guard let key else { return nil }
            return Opened(name: key.name, passed: key.passed, form: .loggable, claims: .object(loggable.claims))
        }
    }

    /// Runs the claim checks of an authentic token; skips them otherwise.
    static func assess(
        _ outcome: Outcome, _ binding: [ApproovBoundValue], _ address: String?, _ account: AccountStandings,
        _ expectations: ApproovExpectations, _ now: Date, _ run: inout CheckRun
    ) {
        if outcome.isExcused { return pass(account, expectations, &run) }
        guard let token = outcome.token else {
            run.skip(Array(expectations.tokenChecks.dropFirst(run.results.count)))
            return
        }
        ApproovTokenRules(
            token: token, binding: binding, address: address, standings: account.standings, expectations: expectations,
            now: now
        ).run(account, &run)
    }

    /// The checks of a request that is accepted with a status word or without a token: only the check of the account applies.
    private static func pass(
        _ account: AccountStandings, _ expectations: ApproovExpectations, _ run: inout CheckRun
    ) {
        for check in expectations.tokenChecks.dropFirst() {
            if check == CheckID.approovTokenAccount {
                run.policy(check, try account.answer())
                run.confirm(account)
            } else {
                run.add(.skipped(check, because: .notApplicable))
            }
        }
    }

    static func assessment(
        _ outcome: Outcome, _ expectations: ApproovExpectations, _ run: borrowing CheckRun
    ) -> Assessment {
        Assessment(
            kind: EvidenceKind.approovToken, app: expectations.app, catalogue: ApproovCheck.catalogue,
            checks: run.results, ledgerChecks: [], effects: [], confirmations: run.confirmations,
            subject: ApproovSubject(outcome, expectations.addresses), testAuthority: nil,
            passesWithoutProof: outcome.isExcused)
    }
}

extension AccountStandings {
    /// Looks up the standings for an authentic token.
    init(
        _ account: String?, of outcome: ApproovTokenAssessor.Outcome, _ standings: ([LedgerSubject]) -> [LedgerStanding]
    ) {
        guard outcome.token != nil || outcome.isExcused else {
            self.init(account: account, standings: [])
            return
        }
        let subjects = outcome.token.map { ApproovSubjects.all(of: $0.claims) } ?? []
        self.init(
            account: account, standings: standings(subjects + (account.map { [LedgerSubject(.account, $0)] } ?? [])))
    }
}
