package import AssayCore
package import FoundationEssentials

/// Judges Approov evidence: tokens, requests and texts signed by apps, and measurement proofs.
package struct ApproovEngine: EvidenceEngine {
    package typealias Configuration = ApproovConfiguration

    package static let kinds = [
        EvidenceKind.approovToken, EvidenceKind.approovMessage, EvidenceKind.approovText, EvidenceKind.approovProof,
    ]
    package static let catalogue = ApproovCheck.catalogue
    /// The length of the nonces of measurement proofs.
    package static let challengeLength = ApproovProofAssessor.nonceLength
    /// The annotations of the device.
    package static let deviceAllowance = [CheckID.approovTokenAnnotations]
    /// The form of the claim `did`.
    package static let deviceIDs: DeviceIDForm? = DeviceIDForm(
        "of Approov, which is base64 of 16 bytes with its padding", padding: "==", isValid: DeviceIDText.isValid)
    package static let keyMaterials: [any KeyMaterial.Type] = [
        ApproovKey.self, ApproovMessageKey.self, ApproovHardwareKey.self,
    ]

    /// Whether the caller keeps track of the nonces of proofs.
    package static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool? {
        guard kind == EvidenceKind.approovProof else { return nil }
        return app.configuration(Configuration.self).map { $0.proof.nonce == .caller }
    }

    private let apps: EngineApps<ApproovExpectations>
    private let keys: any KeyStore
    private let use: VerdictUse
    /// The keys of tokens, if the store never changes.
    private let fixedTokenKeys: [NamedKey]?

    /// Creates an engine for a policy and the keys of a store.
    package init(policy: VerificationPolicy, resources: EngineResources) {
        apps = EngineApps(policy)
        keys = resources.keys
        use = resources.use
        fixedTokenKeys = (resources.keys as? StaticKeyStore)?.keysAtHand(for: ApproovKey.purpose)
    }

    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case EvidenceKind.approovToken:
            let input = try record.reading(ApproovTokenInput.init)
            return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.approovMessage:
            let input = try record.reading(ApproovMessageInput.init)
            return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.approovText:
            let input = try record.reading(ApproovTextInput.init)
            return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.approovProof:
            let input = try record.reading(ApproovProofInput.init)
            return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
        default:
            throw .request(.unknownKind, "\(record.kind) is no kind of Approov evidence")
        }
    }

    // Approov evidence never identifies its app. With several apps, the engine cannot judge evidence that names none.

    /// Looks up keys and standings for a token and assesses it; see ``ApproovTokenAssessor``.
    package func assess(
        _ input: ApproovTokenInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard let expectations = try apps.app(app) else {
            return try undecodable(EvidenceKind.approovToken, among: apps.all, skipping: []) { app, run in
                ApproovTokenAssessor.decode(demandsPrefix: false, app.configuration, &run) { input.evidence }
            }
        }
        return try await assess(input, expectations, account: account, ledger: ledger, at: now)
    }

    func expectations(of app: String) throws(VerificationError) -> ApproovExpectations {
        guard let expectations = try apps.app(app) else { throw ambiguity }
        return expectations
    }

    @inline(__always)
    func assess(
        _ input: ApproovTokenInput, _ expectations: ApproovExpectations, account: String?, ledger: any Ledger,
        at now: Date
    ) async throws(VerificationError) -> Assessment {
        if let assessment = try assessAtOnce(input, expectations, account: account, ledger: ledger, at: now) {
            return assessment
        }
        let keys = try await tokenKeys(for: expectations, at: now)
        var run = CheckRun(modes: expectations.modes, capacity: expectations.tokenChecks.count)
        let outcome = ApproovTokenAssessor.authenticate(demandsPrefix: false, for: use, keys, expectations, &run) {
            input.evidence
        }
        let standings = try await standings(of: outcome, account, in: ledger, at: now)
        ApproovTokenAssessor.assess(outcome, input.binding, input.address, standings, expectations, now, &run)
        return ApproovTokenAssessor.assessment(outcome, expectations, run)
    }

    /// The assessment without waiting: with keys that never change, and a ledger that has no standings. Nil otherwise.
    func assessAtOnce(
        _ input: ApproovTokenInput, _ expectations: ApproovExpectations, account: String?, ledger: any Ledger,
        at now: Date
    ) throws(VerificationError) -> Assessment? {
        guard let fixedTokenKeys, ledger.isWithoutStandings else { return nil }
        let keys = try liveTokenKeys(fixedTokenKeys, for: expectations, at: now)
        var run = CheckRun(modes: expectations.modes, capacity: expectations.tokenChecks.count)
        let outcome = ApproovTokenAssessor.authenticate(demandsPrefix: false, for: use, keys, expectations, &run) {
            input.evidence
        }
        let standings = AccountStandings(account: account, standings: [])
        ApproovTokenAssessor.assess(outcome, input.binding, input.address, standings, expectations, now, &run)
        return ApproovTokenAssessor.assessment(outcome, expectations, run)
    }

    /// Looks up keys and standings for a message and assesses it; see ``ApproovMessageAssessor``.
    package func assess(
        _ input: ApproovMessageInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard let expectations = try apps.app(app) else {
            return try undecodable(
                EvidenceKind.approovMessage, among: apps.all.filter { $0.configuration.messageSigning != nil },
                skipping: ApproovCheck.messageChecks + [CheckID.approovMessageReplay]
            ) { app, run in ApproovMessageAssessor.decodeToken(of: input, app.configuration, &run) }
        }
        let signing: MessageSigning
        do { signing = try ApproovMessageAssessor.signing(of: expectations) } catch { throw .request(error) }
        let tokenKeys = try await tokenKeys(for: expectations, at: now)
        let messageKeys: KeySelection<ApproovMessageKey> =
            switch signing.signer {
            case .installation: KeySelection([], for: expectations.messageKeyClaim, at: now)
            case .account: try await keys.selection(for: expectations.messageKeyClaim, at: now)
            }
        var run = CheckRun(modes: expectations.modes, capacity: ApproovMessageAssessor.capacity(expectations))
        let token = ApproovMessageAssessor.authenticate(input, tokenKeys, expectations, &run)
        let standings = try await standings(of: token, account, in: ledger, at: now)
        let context = ApproovMessageAssessor.Context(
            input: input, signing: signing, keys: messageKeys, expectations: expectations, now: now)
        return context.assess(token, standings, &run)
    }

    /// Looks up keys and standings for a signed text and assesses it; see ``ApproovTextAssessor``.
    package func assess(
        _ input: ApproovTextInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard let expectations = try apps.app(app) else {
            return try undecodable(
                EvidenceKind.approovText, among: apps.all.filter { $0.configuration.textSigning != nil },
                skipping: ApproovCheck.textChecks + [CheckID.approovTextReplay]
            ) { app, run in
                ApproovTokenAssessor.decode(demandsPrefix: false, app.configuration, &run) { .token(input.token) }
            }
        }
        let signing: TextSigning
        do { signing = try ApproovTextAssessor.signing(of: expectations) } catch { throw .request(error) }
        let tokenKeys = try await tokenKeys(for: expectations, at: now)
        let assessor = ApproovTextAssessor(
            input: input, signing: signing, keys: try await keys.selection(for: expectations.textKeyClaim, at: now),
            expectations: expectations, now: now)
        var run = CheckRun(modes: expectations.modes, capacity: ApproovTextAssessor.capacity(expectations))
        let token = ApproovTokenAssessor.authenticate(
            demandsPrefix: false, for: .admission, tokenKeys, expectations, &run
        ) { .token(input.token) }
        let standings = try await standings(of: token, account, in: ledger, at: now)
        return assessor.assess(token, standings, &run)
    }

    /// Verifies the token with the measurements, if any, and compares the proof; see ``ApproovProofAssessor``.
    package func assess(
        _ input: ApproovProofInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard let expectations = try apps.app(app) else {
            guard case .token(let token) = input.source else { throw ambiguity }
            let isConsumed = apps.all.first?.configuration.proof.nonce == .ledger
            return try undecodable(
                EvidenceKind.approovProof, among: apps.all,
                skipping: [CheckID.approovProofMeasurement] + (isConsumed ? [CheckID.approovProofChallenge] : [])
            ) { app, run in
                ApproovTokenAssessor.decode(demandsPrefix: false, app.configuration, &run) { .token(token) }
            }
        }
        if !input.hasToken, account != nil {
            throw .request(.noAccount, "measurements without a token belong to no account; send them without `account`")
        }
        let text: String
        switch input.source {
        case .sealed(let sealed):
            let keys: KeySelection<ApproovHardwareKey> = try await keys.selection(
                for: expectations.hardwareKeyClaim, at: now)
            return ApproovProofAssessor.assess(input, sealed: sealed, keys: keys, expectations: expectations, now: now)
        case .measurements(let measurements):
            return ApproovProofAssessor.assess(input, measurements: measurements, expectations: expectations, now: now)
        case .token(let token): text = token
        }
        let keys = try await tokenKeys(for: expectations, at: now)
        var run = CheckRun(modes: expectations.modes, capacity: expectations.tokenChecks.count + 1)
        let outcome = ApproovTokenAssessor.authenticate(demandsPrefix: false, for: use, keys, expectations, &run) {
            .token(text)
        }
        let standings = try await standings(of: outcome, account, in: ledger, at: now)
        ApproovTokenAssessor.assess(outcome, [], nil, standings, expectations, now, &run)
        return ApproovProofAssessor.assess(input, with: outcome, expectations, &run)
    }

    /// Rejects evidence that names no app if its token is undecodable under the policy of every app: the results are those of the first
    /// one. Throws `.request` if an app can decode it, because nothing in it identifies the app. `checks` follow those of the token.
    private func undecodable(
        _ kind: EvidenceKind, among apps: [ApproovExpectations], skipping checks: [CheckID],
        _ decode: (ApproovExpectations, inout CheckRun) -> ApproovTokenText.Parts?
    ) throws(VerificationError) -> Assessment {
        var rejection: Assessment?
        for app in apps {
            var run = CheckRun(modes: app.modes, capacity: app.tokenChecks.count + checks.count)
            guard decode(app, &run) == nil else { throw ambiguity }
            guard rejection == nil else { continue }
            rejection = Assessment(
                undecodable: kind, &run, catalogue: Self.catalogue, skipping: app.tokenChecks.dropFirst() + checks)
        }
        guard let rejection else { throw ambiguity }
        return rejection
    }

    private var ambiguity: VerificationError { apps.ambiguity(of: apps.all.count, by: "token") }

    /// The keys that verify the tokens of an app.
    private func tokenKeys(
        for expectations: ApproovExpectations, at now: Date
    ) async throws(VerificationError) -> ApproovTokenKeys {
        let named: [NamedKey]
        if let fixedTokenKeys {
            named = fixedTokenKeys
        } else {
            do { named = try await keys.keys(for: ApproovKey.purpose) } catch { throw .outage(error) }
        }
        return try liveTokenKeys(named, for: expectations, at: now)
    }

    private func liveTokenKeys(
        _ named: [NamedKey], for expectations: ApproovExpectations, at now: Date
    ) throws(VerificationError) -> ApproovTokenKeys {
        let keys = expectations.tokenKeys.keys(among: named, for: expectations.keyClaim, at: now)
        guard !keys.selection.live.isEmpty else {
            throw .request(ApproovTokenKeys.Selection.absence(of: named, for: expectations.keyClaim, at: now))
        }
        return keys
    }

    /// The standings of the account, and of the device and the issuer of an authentic token. None if the evidence is
    /// rejected already.
    private func standings(
        of outcome: ApproovTokenAssessor.Outcome, _ account: String?, in ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> AccountStandings {
        guard outcome.token != nil || outcome.isExcused, !ledger.isWithoutStandings else {
            return AccountStandings(account: account, standings: [])
        }
        return try await ledger.asking { (ledger) throws(LedgerOutage) in
            try await ledger.standings(
                ofAccount: account, and: outcome.token.map { ApproovSubjects.all(of: $0.claims) } ?? [], at: now)
        }
    }
}
