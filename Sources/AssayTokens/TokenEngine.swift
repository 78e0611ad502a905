package import AssayCore
package import FoundationEssentials

/// Judges tokens that Assay issued: JWTs of the type `assay+jwt`, with DPoP proofs of their keys (RFC 9449).
package struct TokenEngine: EvidenceEngine {
    /// The policy's section for tokens.
    package typealias Configuration = TokenConfiguration

    /// The kinds of evidence that the engine judges.
    package static let kinds = [EvidenceKind.assayToken]
    /// Every check of the engine, in the declared order.
    package static let catalogue = TokenCheck.catalogue
    /// The types of keys that the engine uses.
    package static let keyMaterials: [any KeyMaterial.Type] = [
        TokenKey.self, TokenSecret.self, ApproovTokenSecret.self,
        ApproovMessageSecret.self, ConfigurationKey.self,
    ]

    let apps: EngineApps<TokenExpectations>
    /// The name of the only app with tokens; nil if there are several.
    package var onlyApp: String? { apps.only?.app }

    private let keys: any KeyStore
    private let memo = TokenKeyMemo()
    let rates: DeviceTokenRates

    /// Prepares an engine for a policy and the keys of a store.
    package init(policy: VerificationPolicy, resources: EngineResources) {
        apps = EngineApps(policy)
        keys = resources.keys
        rates = resources.services.lazy.compactMap { $0 as? DeviceTokenRates }.first ?? DeviceTokenRates()
    }

    /// Assesses a record. Commits nothing.
    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard record.kind == .assayToken else {
            throw .request(.unknownKind, "\(record.kind) is no kind of Assay's tokens")
        }
        let input = try record.reading(TokenInput.init)
        return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
    }

    /// Assesses a token and the proof of its key; see ``TokenAssessor``. Without an app, the token names it.
    package func assess(
        _ input: TokenInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let named = try apps.app(app)
        var run = CheckRun(modes: named?.modes ?? .strict, capacity: Self.catalogue.count)
        let token = run.decode(.assayTokenDecode) { () throws(DecodeError) in try DecodedToken(input.presentation()) }
        guard let token else {
            return Assessment(
                undecodable: .assayToken, &run, catalogue: Self.catalogue,
                skipping: Self.catalogue.map(\.id).dropFirst(), app: named?.app)
        }
        let expectations: TokenExpectations
        if let named {
            expectations = named
        } else {
            expectations = try apps.app(by: "claim app") { $0.app.isByteEqual(to: token.claims.app) }
            run.modes = expectations.modes
        }
        let (schedule, secrets) = try await material(at: now)
        guard !schedule.verifications(for: expectations.app).isEmpty else {
            throw .request(
                .noKey,
                "app \(expectations.app.excerpt) has no key for \(TokenKey.purpose) that may be used at "
                    + "\(RFC3339.format(now)): assay tokens rotate makes one, and a key set of another issuer counts if it "
                    + "is for the app")
        }
        let assessor = TokenAssessor(
            token: token, expectations: expectations, schedule: schedule, secrets: secrets, now: now)
        return try await assess(assessor, account, ledger, &run)
    }

    private func assess(
        _ token: TokenAssessor, _ account: String?, _ ledger: any Ledger, _ run: inout CheckRun
    ) async throws(VerificationError) -> Assessment {
        let key = run.authenticity(.assayTokenKey, try token.key())
        _ = run.authenticity(.assayTokenSignature) { () throws(CheckFailure) in
            guard let key else { return }
            try token.verify(key)
        }
        let isAuthentic = run.failedAuthenticity == nil
        run.conditionalGate(.assayTokenClaims, try token.requireClaims())
        _ = run.gate(.assayTokenExpiry, try token.requireTime())
        _ = run.gate(.assayTokenAudience, try token.requireAudience())
        var subjects: [LedgerSubject] = []
        var standings = AccountStandings(account: account, standings: [])
        var unreadable: CheckFailure?
        // With a ledger that lasts, a reference that nothing opens is refused also while nothing is blocked: otherwise the first block
        // would refuse all of them.
        if isAuthentic, account != nil || ledger.durability == .durable || !ledger.isWithoutStandings {
            do throws(CheckFailure) { subjects = try token.subjects() } catch { unreadable = error }
            let (names, now) = (subjects, token.now)
            standings = try await ledger.asking { (ledger) async throws(LedgerOutage) in
                try await ledger.standings(ofAccount: account, and: names, at: now)
            }
            run.allow(standings.standings)
        }
        run.conditionalGate(.assayTokenSubject) { () throws(CheckFailure) in
            if let unreadable { throw unreadable }
            for subject in subjects {
                if let block = standings.standings.block(on: subject) { throw CheckFailure(.blocked, block) }
            }
            guard token.hasForeignReference else { return .passed }
            return .notApplicable(
                Finding(.referenceUnreadable, "only the issuer of the token knows the key behind it, and its blocks"))
        }
        for subject in subjects { run.confirm(subject, .blocked) }
        let proof = self.proof(token, &run)
        run.policy(.assayTokenAccount) { () throws(CheckFailure) in
            if let account, let own = subjects.first(where: { $0.kind == .account }), !own.name.isByteEqual(to: account)
            {
                throw CheckFailure(.tokenOfAnotherAccount, "the attested key belongs to another account")
            }
            return try standings.answer()
        }
        run.confirm(standings)
        var effects: [LedgerEffect] = []
        if run.failedAuthenticity != nil {
            run.skip([.assayTokenReplay])
        } else {
            effects = token.effects(proof)
            if effects.isEmpty { run.add(.skipped(.assayTokenReplay, because: .notApplicable)) }
        }
        return Assessment(
            kind: .assayToken, app: token.expectations.app, catalogue: Self.catalogue, checks: run.results,
            ledgerChecks: effects.isEmpty ? [] : [CheckID.assayTokenReplay], effects: effects,
            confirmations: run.confirmations,
            subject: isAuthentic ? TokenSubject(token.token.claims, serverNonce: token.serverNonce) : nil,
            testAuthority: isAuthentic ? TokenSubject.testAuthority(of: token.token.claims) : nil)
    }

    /// Runs the checks of the proof; nil for a token without one.
    private func proof(_ token: TokenAssessor, _ run: inout CheckRun) -> DPoPProof? {
        guard token.hasBinding || run.failedAuthenticity != nil else {
            run.add(.skipped(.assayTokenProof, because: .notApplicable))
            run.conditionalGate(.assayTokenBinding, try token.requireBearer())
            run.add(.skipped(.assayTokenFreshness, because: .notApplicable))
            return nil
        }
        let proof = run.authenticity(.assayTokenProof, try token.proof())
        _ = run.gate(.assayTokenBinding) { () throws(CheckFailure) in
            if let proof { try token.requireBinding(proof) }
        }
        _ = run.gate(.assayTokenFreshness) { () throws(CheckFailure) in
            if let proof { try token.requireFreshness(proof) }
        }
        return proof
    }

    // MARK: Keys

    /// A secret of the Approov account of an app: its own, else one for all apps; of several the newest one.
    func secret<Secret: KeyMaterial>(for app: String, at now: Date) async throws(VerificationError) -> Secret? {
        let named: [NamedKey]
        do { named = try await keys.keys(for: Secret.purpose) } catch { throw .outage(error) }
        let live = named.filter { $0.state(at: now) == .live }
        let own = live.filter { $0.scope?.isByteEqual(to: app) == true }
        return (own.isEmpty ? live.filter { $0.scope == nil } : own).newest?.material as? Secret
    }

    /// The attestation response code of a rejection: that of Approov's evidence, else one of what the checks found. Nil without a secret
    /// for codes, which services have that issue tokens.
    package func responseCode(of verdict: Verdict, at now: Date) async throws(VerificationError) -> String? {
        if let code = verdict.engineSubject?.clientFacts.first(where: { $0.name == "arc" }) { return code.value }
        return try await material(at: now).1.first.map {
            ResponseCode.text(verdict.failed, verdict.annotated, under: $0)
        }
    }

    /// The keys of tokens and the secrets at a time. The newest secret is the first: it hides subjects and makes nonces; the others
    /// still open what they have sealed.
    /// - Throws: `.outage` if the store does not answer.
    package func material(at now: Date) async throws(VerificationError) -> (TokenKeySchedule, [TokenSecret]) {
        let (named, secrets): ([NamedKey], [NamedKey])
        do throws(KeyStoreOutage) {
            named = try await keys.keys(for: TokenKey.purpose)
            secrets = try await keys.keys(for: TokenSecret.purpose)
        } catch { throw .outage(error) }
        let live = secrets.filter { $0.state(at: now) == .live }
        // Equal ones keep their order, so that every server has the same one.
        let sorted =
            live.count < 2
            ? live
            : live.enumerated().sorted {
                ($1.element.usableFrom, $0.offset) < ($0.element.usableFrom, $1.offset)
            }.map(\.element)
        return (memo.schedule(of: named, at: now), sorted.compactMap { $0.material as? TokenSecret })
    }
}

extension TokenEngine: RequestEngine {
    /// Requests with tokens, for apps with `tokens`.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(TokenConfiguration.self).map {
            RequestEvidenceRules(kind: .assayToken, enforcement: $0.enforcement, scope: .head)
        }
    }

    /// Assesses the token that a request carries.
    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try await assess(.request(request), app: app, account: account, ledger: ledger, at: now)
    }
}
