public import AssayCore
public import AssayTokens
public import FoundationEssentials

/// Tokens of one's own: attest seldom, and let services check a short token offline.
extension Verifier {
    /// Exchanges evidence for a token, under the policy's `tokens`. Acceptance has the effects that the evidence alone has; the
    /// challenge of the request is consumed in place of the value in the evidence.
    ///
    /// The request is judged before the evidence. Under `tokens.refused: token` every answer that depends on the evidence is a token,
    /// and leaves at a multiple of 50 ms after the call; an outage of the ledger, or of Apple's DeviceCheck, shows
    /// that evidence would be accepted otherwise.
    ///
    /// - Returns: the token with the verdict, or the rejecting verdict.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also `.request` when the evidence does not cover the request, when
    ///   the policy issues no such token, or when no key signs. Nothing is consumed then.
    public func issueToken(_ request: TokenRequest, at now: Date) async throws(VerificationError) -> TokenAnswer {
        try Verifier.require(now, request.record.account)
        let start = MonotonicTime.nanoseconds
        var issuer: TokenIssuer?
        // Without a name, the evidence may select the app.
        if let app = request.record.app ?? (policy.apps.count == 1 ? policy.apps.first?.name : nil) {
            issuer = try await counting { () async throws(VerificationError) in
                try await prepareToken(request, for: app, at: now)
            }
        }
        var refusal: RequestError?
        let answer: TokenAnswer
        do throws(VerificationError) {
            let verdict = try await verify(at: now, hasDeviceCheck: true) { () async throws(VerificationError) in
                let assessment = try await assess(request.record, ledger: ledger, at: now)
                // Evidence that no app can decode counts as that of the only app with tokens.
                if issuer == nil, let app = assessment.app ?? engines.tokens.onlyApp {
                    issuer = try await prepareToken(request, for: app, at: now)
                }
                guard assessment.isAcceptable else { return assessment }
                do throws(RequestError) {
                    // The app of acceptable evidence is known.
                    guard let bound = try issuer?.bind(assessment, at: now) else {
                        throw RequestError(.unknownApp, "the evidence names no app with tokens")
                    }
                    return bound
                } catch {
                    refusal = error
                    throw .request(error)
                }
            }
            // The ledger can still refuse the evidence.
            if verdict.outcome != .accept { issuer?.giveBack(at: now) }
            answer = try await counting { [issuer] () async throws(VerificationError) in
                if verdict.outcome == .accept, let issuer {
                    .issued(try await issue(issuer, for: verdict, request.configuration, at: now), verdict)
                } else if let decoy = try issuer?.decoy(for: verdict, at: now) {
                    .decoy(decoy, verdict)
                } else {
                    .rejected(verdict)
                }
            }
        } catch {
            issuer?.giveBack(at: now)
            guard let refusal, let decoy = try issuer?.decoy(for: nil, at: now) else { throw error }
            answer = .concealed(decoy, refusal)
        }
        if issuer?.hidesRejections == true { await Self.waitForTick(since: start) }
        return answer
    }

    /// The tokens for an accepted verdict, with the configuration that the app is to take over.
    private func issue(
        _ issuer: TokenIssuer, for verdict: Verdict, _ held: HeldConfiguration?, at now: Date
    ) async throws(VerificationError) -> TokenGrant {
        var grant = try issuer.issue(for: verdict, at: now)
        guard let held, let configurations = engines.configurations else { return grant }
        let (app, device) = issuer.receiver(of: verdict)
        do throws(AppConfigurationError) {
            grant.configuration = try await configurations.configuration(of: app, for: device, held: held, at: now)
        } catch {
            // The app keeps the configuration that it has, and asks again with its next token.
            if case .outage(let outage) = error { metrics?.count(.outage(outage)) }
        }
        return grant
    }

    /// The apps that get a signed configuration with their tokens.
    package var configuredApps: [String] { engines.configurations?.apps ?? [] }

    /// The signed configuration for all devices of an app: for embedding in the app, and to see why there is none.
    package func configuration(of app: String, at now: Date) async throws(AppConfigurationError) -> String {
        guard let configurations = engines.configurations else {
            throw .refused("the policy gives no app a configuration: set tokens.configuration: pins")
        }
        return try await configurations.configuration(of: app, at: now)
    }

    private func prepareToken(
        _ request: TokenRequest, for app: String, at now: Date
    ) async throws(VerificationError) -> TokenIssuer {
        try engines.certificates.requireExchangeable(request.record.kind, for: app)
        return try await TokenIssuer.prepare(request, for: app, engines.tokens, at: now)
    }

    /// The time between two moments at which answers leave that must not show how long the evidence was judged, in nanoseconds. The
    /// steps of an acceptance take less, the durable commit included, but for questions to Apple's DeviceCheck.
    private static let tick: UInt64 = 50_000_000

    private static func waitForTick(since start: UInt64) async {
        let elapsed = MonotonicTime.nanoseconds - start
        // A cancelled task has no client that could measure.
        try? await Task.sleep(nanoseconds: tick - elapsed % tick)
    }

    /// What is weaker than necessary in force, with the services of this verifier: sentences for the log of a server.
    package var warnings: [String] { engines.warnings }

    /// Exchanges a debug token of the policy for a token with `env: test`, which policies refuse unless they say
    /// `testAuthorities: allow`. There is no evidence, and no verdict.
    ///
    /// The use is in the ledger's audit trail before the token is returned, if the ledger has one, and is counted.
    ///
    /// - Parameter caller: the operator's name in the audit trail; nil for none.
    /// - Returns: the token, and the name of the debug token for logs.
    /// - Throws: ``VerificationError``: `.request` for a debug token that is unknown, has ended or was taken from the policy, for
    ///   an audience or key that the policy does not allow, and when no key signs; `.outage` when the audit trail cannot be written.
    public func issueToken(
        _ request: DebugTokenRequest, by caller: String? = nil, at now: Date
    ) async throws(VerificationError) -> (token: IssuedToken, debugToken: String) {
        try Verifier.require(now, nil)
        let issued = try await counting { () async throws(VerificationError) in
            let issued = try await engines.tokens.exchange(request, at: now)
            if let ledger = ledger as? any LedgerAdministration {
                let use = LedgerChange(
                    usingDebugToken: issued.name, app: request.app, audience: request.audience, by: caller, at: now)
                do throws(LedgerOutage) { try await ledger.record(use) } catch { throw .outage(error) }
            }
            return issued
        }
        metrics?.tokens.count(debugToken: issued.name, app: request.app)
        return (issued.token, issued.name)
    }

    /// The block on the account or the key that a record names; nil for none. The evidence is not looked at.
    package func failoverBlock(
        on record: EvidenceRecord, at now: Date
    ) async throws(VerificationError) -> LedgerBlock? {
        try Verifier.require(now, record.account)
        var subjects = record.account.map { [LedgerSubject(.account, $0)] } ?? []
        if case .text(let key)? = (record.carried ?? record).evidence["keyId"]?.content {
            subjects.append(LedgerSubject(.key, key))
        }
        guard !subjects.isEmpty, !ledger.isWithoutStandings else { return nil }
        return try await counting { [subjects] () async throws(VerificationError) in
            do throws(LedgerOutage) {
                return try await ledger.standings(of: subjects, at: now).lazy.compactMap(\.block).first
            } catch {
                throw .outage(error)
            }
        }
    }

    /// Issues a token without evidence, as a failover instance does while the first one cannot be reached.
    ///
    /// - Parameters:
    ///   - app: the policy's app; nil for the only one.
    ///   - audience: one of the app's audiences. The token does not contain it.
    package func issueFailoverToken(
        app: String?, audience: String, at now: Date
    ) async throws(VerificationError) -> (token: IssuedToken, app: String) {
        try Verifier.require(now, nil)
        let issued = try await counting { () async throws(VerificationError) in
            try await engines.tokens.failoverToken(app: app, audience: audience, at: now)
        }
        metrics?.tokens.count(failoverFor: issued.app)
        return issued
    }

    /// The keys of the issuer at a time.
    ///
    /// - Throws: `.request` if none is published, `.outage` if the key store does not answer.
    package func tokenKeys(at now: Date) async throws(VerificationError) -> TokenKeySchedule {
        let schedule = try await counting { () async throws(VerificationError) in
            try await engines.tokens.material(at: now).0
        }
        guard !schedule.published.isEmpty else {
            throw .request(
                RequestError(
                    .noKey, "no key for tokens is published at \(RFC3339.format(now)): assay tokens rotate makes one"))
        }
        return schedule
    }

    /// The rules of the policy for tokens; nil if no app has any. All apps have one issuer.
    package var tokenRules: TokenConfiguration? {
        policy.apps.lazy.compactMap { $0.configuration(TokenConfiguration.self) }.first
    }

    /// Judges a token, alone or on a request, with the proof of its key.
    ///
    /// - Parameters:
    ///   - request: the request that carries the token, with the target URI that the client addressed.
    ///   - app: the policy's app; nil for the only one, or the one that the token names.
    ///   - account: the account of the session; nil for none.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does.
    public func verifyTokenRequest(
        _ request: SignedRequest, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.tokens.assess(.request(request), app: app, account: account, ledger: ledger, at: now)
                .stating(propertyOf: request, in: policy.propertyHeader)
        }
    }
}
