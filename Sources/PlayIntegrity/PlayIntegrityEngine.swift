package import AssayCore
package import FoundationEssentials

/// Judges Play Integrity evidence: classic tokens, decrypted with the app's keys, and standard ones, decoded by Google.
package struct PlayIntegrityEngine: EvidenceEngine {
    package typealias Configuration = PlayIntegrityConfiguration

    package static let kinds: [EvidenceKind] = [.playIntegrityClassic, .playIntegrityStandard, .playIntegrityRequest]
    package static let catalogue = PlayIntegrityRequest.checks.catalogue + PlayIntegrityCheck.catalogue
    package static let keyMaterials: [any KeyMaterial.Type] = [PlayIntegrityKeys.self]
    /// Classic tokens, and the signatures of requests, carry a ledger challenge as their nonce.
    package static let challengeKinds: [EvidenceKind] = [.playIntegrityClassic, .playIntegrityRequest]

    /// Only classic tokens carry a challenge. Games on PC have no classic tokens.
    package static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool? {
        guard let configuration = app.configuration(Configuration.self) else { return nil }
        if kind == .playIntegrityRequest { return configuration.requests.map { $0.nonce == .any } }
        guard kind == .playIntegrityClassic, configuration.platform == .android else { return nil }
        return configuration.challenge == .caller
    }

    private let apps: EngineApps<PlayIntegrityExpectations>
    private let keys: any KeyStore
    private let decoder: (any IntegrityTokenDecoder)?
    private let use: VerdictUse
    /// Nil without a service that writes bits, and in an analysis.
    private let bans: DeviceRecallBans?

    /// Creates an engine for a policy, the keys of a store and, for standard tokens, a decoder service.
    package init(policy: VerificationPolicy, resources: EngineResources) {
        apps = EngineApps(policy)
        keys = resources.keys
        use = resources.use
        decoder = resources.services.lazy.compactMap { $0 as? any IntegrityTokenDecoder }.first
        bans = resources.use == .analysis ? nil : DeviceRecallBans(resources.services)
    }

    /// The apps whose answers the caller vouches for, by what is in force, and those whose bans nothing writes.
    package var warnings: [String] { callerWarnings + banWarnings }

    private var banWarnings: [String] {
        guard bans == nil, use == .admission else { return [] }
        return apps.all.filter { $0.configuration.android?.banningBit != nil }.map {
            "app \($0.app.excerpt) has deviceRecall.blocks: ban, and there is no service account to ask Google, so no device is "
                + "banned; set serviceAccount, or blocks: none"
        }
    }

    private var callerWarnings: [String] {
        apps.all.filter { answerSource($0.configuration) == .caller }.map { app in
            let reason =
                app.configuration.answers == nil
                ? "answers is not set, and there is no service account to ask Google" : "answers: caller"
            return
                "app \(app.app.excerpt) takes an answer in a record for Google's (\(reason)), so the writer of records decides about "
                + "devices; set answers: google in playIntegrity, or trust every caller to have asked Google"
        }
    }

    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case EvidenceKind.playIntegrityClassic:
            let input = try record.reading(ClassicIntegrityInput.init)
            return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.playIntegrityStandard:
            let input = try record.reading(StandardIntegrityInput.init)
            return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.playIntegrityRequest:
            let (request, answer) = try record.reading(PlayIntegrityRequest.read)
            return try await assess(
                request, answer: answer, app: record.app, account: record.account, ledger: ledger, at: now)
        default:
            throw .request(.unknownKind, "\(record.kind) is no kind of Play Integrity evidence")
        }
    }

    /// Looks up the keys for a classic token, or gets its answer from Google unless known, and assesses it; see
    /// ``ClassicIntegrityAssessor``.
    package func assess(
        _ input: ClassicIntegrityInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations: PlayIntegrityExpectations
        do { expectations = try self.app(app, packageName: input.packageName) } catch {
            return try undecodable(EvidenceKind.playIntegrityClassic, PlayIntegrityCheck.classicChecks, or: error) {
                run in
                if input.problem != nil { return ClassicIntegrityAssessor.decode(input, &run) != nil }
                switch input.evidence {
                case .decoded(let answer): return StandardIntegrityAssessor.decode(answer, from: .caller, &run) != nil
                case .token:
                    return canBeSent(input.evidence) || ClassicIntegrityAssessor.decode(input, &run) != nil
                }
            }
        }
        if input.problem != nil {
            // Whatever opens the token, nothing is asked.
            return ClassicIntegrityAssessor.assess(input, keys: [], expectations: expectations, now: now)
        }
        let standings = account == nil ? .none : try await standings(of: account, in: ledger, at: now)
        if let selection = try await classicKeys(for: expectations, input.evidence, at: now) {
            let assessment = ClassicIntegrityAssessor.assess(
                input, keys: selection, account: standings, expectations: expectations, now: now)
            return await settled(assessment, input.evidence, standings, expectations, at: now)
        }
        let answer = try await answer(on: input.evidence, expectations.configuration)
        let assessment = ClassicIntegrityAssessor.assess(
            input, answer: answer, from: answerSource(expectations.configuration), account: standings,
            expectations: expectations, now: now
        ).resting(on: answer)
        return await settled(assessment, input.evidence, standings, expectations, at: now)
    }

    /// The keys that open the app's classic tokens; nil if Google opens them. If the policy's `classicTokens` is not set, the keys do,
    /// if the verifier has a Play Integrity key for any app: a missing key or a misspelt scope must not let an answer count that the
    /// client wrote. Throws `.request` if the app has no live key, and Google cannot open the token either.
    private func classicKeys(
        for expectations: PlayIntegrityExpectations, _ evidence: StandardIntegrityInput.Evidence, at now: Date
    ) async throws(VerificationError) -> KeySelection<PlayIntegrityKeys>? {
        let configuration = expectations.configuration
        guard configuration.classicTokens != .google else { return nil }
        let named: [NamedKey]
        do { named = try await keys.keys(for: PlayIntegrityKeys.purpose) } catch { throw .outage(error) }
        let selection = KeySelection<PlayIntegrityKeys>(named, for: expectations.keyClaim, at: now)
        guard selection.live.isEmpty else { return selection }
        let mayBeGoogles =
            configuration.classicTokens == nil && configuration.keys == nil && configuration.platform == .android
            && named.isEmpty
        if mayBeGoogles {
            switch evidence {
            case .decoded: return nil
            case .token: if decoder != nil { return nil }
            }
        }
        throw .request(KeySelection<PlayIntegrityKeys>.absence(of: named, for: expectations.keyClaim, at: now))
    }

    /// Gets a standard token's answer from Google unless known, and assesses it; see ``StandardIntegrityAssessor``.
    package func assess(
        _ input: StandardIntegrityInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations: PlayIntegrityExpectations
        do { expectations = try self.app(app, packageName: input.packageName) } catch {
            return try undecodable(EvidenceKind.playIntegrityStandard, PlayIntegrityCheck.standardChecks, or: error) {
                run in
                guard let answer = answerWithoutGoogle(input) else { return true }
                return StandardIntegrityAssessor.decode(answer, from: .caller, &run) != nil
            }
        }
        let answer = try await answer(on: input.evidence, expectations.configuration)
        let standings = account == nil ? .none : try await standings(of: account, in: ledger, at: now)
        let assessment = StandardIntegrityAssessor.assess(
            input, answer: answer, from: answerSource(expectations.configuration), account: standings,
            expectations: expectations, now: now
        ).resting(on: answer)
        return await settled(assessment, input.evidence, standings, expectations, at: now)
    }

    /// Gets the answer to the token in a request's signature from Google unless known or the request is already rejected, and assesses
    /// it; see ``PlayIntegrityRequest``. Throws `.request` if the app has no `requests`, or none is named and not exactly one has them.
    package func assess(
        _ request: SignedRequest, answer known: IntegrityAnswer?, app: String?, account: String?, ledger: any Ledger,
        at now: Date
    ) async throws(VerificationError) -> Assessment {
        let (expectations, rules) = try apps.require(app, RequestRules.policyField) { $0.configuration.requests }
        var run = CheckRun(
            modes: expectations.modes,
            capacity: PlayIntegrityRequest.checks.catalogue.count + PlayIntegrityCheck.standardChecks.count)
        guard let signed = PlayIntegrityRequest.assess(request, rules, at: now, &run) else {
            return PlayIntegrityRequest.assessment(rules, expectations, &run)
        }
        let evidence: StandardIntegrityInput.Evidence
        if let known {
            evidence = .decoded(known)
        } else {
            evidence = .token(signed.part)
            run.endIfFailed()
            guard run.failedAuthenticity == nil else {
                return PlayIntegrityRequest.assessment(rules, expectations, &run)
            }
        }
        let answer = try await answer(on: evidence, expectations.configuration)
        let standings = account == nil ? .none : try await standings(of: account, in: ledger, at: now)
        let assessment = StandardIntegrityAssessor.assess(
            StandardIntegrityInput(
                packageName: expectations.configuration.packageName,
                requestHash: PlayIntegrityRequest.requestHash(of: signed), evidence: evidence),
            answer: answer, from: answerSource(expectations.configuration), in: .request(signed, rules),
            account: standings, expectations: expectations, now: now, &run
        ).resting(on: answer)
        return await settled(assessment, evidence, standings, expectations, at: now)
    }

    /// The assessment after a ban of the device, or its lifting, that the account's standing makes due; see ``DeviceRecallBans``.
    private func settled(
        _ assessment: Assessment, _ evidence: StandardIntegrityInput.Evidence, _ standings: AccountStandings,
        _ expectations: PlayIntegrityExpectations, at now: Date
    ) async -> Assessment {
        guard let bans, !standings.standings.isEmpty else { return assessment }
        return await bans.settle(assessment, evidence, standings, expectations.configuration, at: now)
    }

    /// The standing of the account. The evidence names no device, so there is no other subject.
    private func standings(
        of account: String?, in ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> AccountStandings {
        try await ledger.asking { (ledger) async throws(LedgerOutage) in
            try await ledger.standings(ofAccount: account, and: [], at: now)
        }
    }

    /// The party that vouches for answers: the policy's `answers`; else Google if the app gives tokens, which others trust without the
    /// evidence, or if there is a decoder to send every token to; else the caller. A replay gives no tokens.
    private func answerSource(
        _ configuration: PlayIntegrityConfiguration
    ) -> PlayIntegrityConfiguration.AnswerSource {
        (use == .analysis ? configuration.writtenAnswers : configuration.answers)
            ?? (decoder == nil ? .caller : .google)
    }

    /// Google's answer: the one in the evidence, or the one from the decoder.
    private func answer(
        on evidence: StandardIntegrityInput.Evidence, _ configuration: PlayIntegrityConfiguration
    ) async throws(VerificationError) -> IntegrityAnswer {
        switch evidence {
        case .decoded(let answer): answer
        case .token(let token): try await decode(token, configuration)
        }
    }

    /// Whether the verifier may send the evidence to Google.
    private func canBeSent(_ evidence: StandardIntegrityInput.Evidence) -> Bool {
        guard case .token(let token) = evidence else { return false }
        return decoder != nil && IntegrityAnswer(ofUnsendable: token) == nil
    }

    private func decode(
        _ token: String, _ configuration: PlayIntegrityConfiguration
    ) async throws(VerificationError) -> IntegrityAnswer {
        guard let decoder else {
            throw .request(
                .noService,
                "only Google can open this token, and there is no service that asks it; give the answer of the "
                    + "decode call as decoded, or the verifier a client of Google's servers")
        }
        do {
            return try await decoder.answer(
                on: token, packageName: configuration.packageName, form: configuration.platform)
        } catch {
            throw .outage(error)
        }
    }

    /// The answer to a standard token, if it is known without a call to Google.
    private func answerWithoutGoogle(_ input: StandardIntegrityInput) -> IntegrityAnswer? {
        switch input.evidence {
        case .decoded(let answer): answer
        case .token(let token): decoder == nil ? nil : IntegrityAnswer(ofUnsendable: token)
        }
    }

    /// Rejects undecodable evidence that does not name the package of exactly one app: every app would reject it. Throws `error` if
    /// `decodes` says that it may be decodable.
    private func undecodable(
        _ kind: EvidenceKind, _ checks: [CheckID], or error: VerificationError, _ decodes: (inout CheckRun) -> Bool
    ) throws(VerificationError) -> Assessment {
        guard case .request(let request) = error, request.reason == .ambiguousApp else { throw error }
        var run = CheckRun(modes: .strict, capacity: checks.count + 1)
        if decodes(&run) { throw error }
        return Assessment(
            undecodable: kind, &run, catalogue: Self.catalogue,
            skipping: checks.dropFirst() + [CheckID.playIntegrityChallenge]
        )
    }

    private func app(
        _ name: String?, packageName: String
    ) throws(VerificationError) -> PlayIntegrityExpectations {
        if let app = try apps.app(name) { return app }
        return try apps.app(by: "package name") { $0.configuration.packageName.isByteEqual(to: packageName) }
    }
}
