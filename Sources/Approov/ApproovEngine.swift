public import AssayCore
public import AssayInspection
public import FoundationEssentials

/// Judges the evidence of Approov: tokens, messages that apps have signed, and measurement proofs.
public struct ApproovEngine: InspectableEngine {
    /// The policy's section for Approov.
    public typealias Configuration = ApproovConfiguration

    /// The kinds of evidence that the engine judges.
    public static let kinds = [ApproovCheck.tokenKind, ApproovCheck.messageKind, ApproovCheck.proofKind]
    /// Every check of the engine, in the declared order.
    public static let catalogue = ApproovCheck.catalogue
    /// The types of keys that the engine judges with.
    public static let keyMaterials: [any KeyMaterial.Type] = [ApproovKey.self, ApproovMessageKey.self]

    private let apps: EngineApps<ApproovExpectations>
    let keys: any KeyStore
    /// The keys of tokens, when they are always the same.
    private let fixedTokenKeys: [NamedKey]?

    /// Prepares to judge under a policy, with the keys of a store.
    public init(policy: Policy, resources: EngineResources) {
        apps = EngineApps(policy)
        keys = resources.keys
        fixedTokenKeys = (resources.keys as? StaticKeyStore)?.keysAtHand(for: ApproovKey.purpose)
    }

    /// Assesses a record: looks up keys and what the ledger knows, and runs the checks. Nothing is committed.
    public func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case ApproovCheck.tokenKind:
            let input = try record.reading(ApproovTokenInput.init)
            return try await assess(input, app: record.app, ledger: ledger, at: now)
        case ApproovCheck.messageKind:
            let input = try record.reading(ApproovMessageInput.init)
            return try await assess(input, app: record.app, ledger: ledger, at: now)
        case ApproovCheck.proofKind:
            let input = try record.reading(ApproovProofInput.init)
            return try await assess(input, app: record.app, ledger: ledger, at: now)
        default:
            throw .request(RequestError(.unknownKind, "\(record.kind) is no kind of Approov evidence"))
        }
    }

    /// Looks up the keys of a token's app, and what the ledger knows of its device, and assesses it; see
    /// ``ApproovTokenAssessor``.
    public func assess(
        _ input: ApproovTokenInput, app: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(for: app)
        // What is at hand is not waited for: each call that may wait takes its time even when it does not.
        let keys =
            if let fixedTokenKeys {
                try liveTokenKeys(fixedTokenKeys, for: expectations, at: now)
            } else {
                try await tokenKeys(for: expectations, at: now)
            }
        var run = CheckRun(modes: expectations.modes, capacity: expectations.tokenChecks.count)
        let outcome = ApproovTokenAssessor.authenticate(
            input.evidence, demandsPrefix: false, keys, expectations, &run)
        let standings = ledger.isWithoutStandings ? [] : try await standings(of: outcome, in: ledger, at: now)
        ApproovTokenAssessor.judge(outcome, input.binding, input.address, standings, expectations, now, &run)
        return ApproovTokenAssessor.assessment(outcome, expectations, run.results)
    }

    /// The app of evidence, which never names one itself.
    func expectations(for name: String?) throws(VerificationError) -> ApproovExpectations {
        try apps.app(name, by: "token") { $0 }
    }

    /// The keys that the tokens of an app are verified with.
    func tokenKeys(
        for expectations: ApproovExpectations, at now: Date
    ) async throws(VerificationError) -> TokenKeys {
        let named = if let fixedTokenKeys { fixedTokenKeys } else { try await namedKeys(ApproovKey.purpose) }
        return try liveTokenKeys(named, for: expectations, at: now)
    }

    private func liveTokenKeys(
        _ named: [NamedKey], for expectations: ApproovExpectations, at now: Date
    ) throws(VerificationError) -> TokenKeys {
        let keys = expectations.tokenKeys.keys(among: named, for: expectations.keyClaim, at: now)
        guard !keys.selection.live.isEmpty else {
            throw .request(TokenKeys.Selection.absence(of: named, for: expectations.keyClaim, at: now))
        }
        return keys
    }

    /// The keys of a purpose, in whatever state.
    private func namedKeys(_ purpose: KeyPurpose) async throws(VerificationError) -> [NamedKey] {
        do { return try await keys.keys(for: purpose) } catch { throw .outage(error) }
    }

    /// The keys of an app of one purpose, at least one of which is live.
    func selectKeys<Material: KeyMaterial>(
        _ claim: KeyClaim, at now: Date
    ) async throws(VerificationError) -> KeySelection<Material> {
        let named = try await namedKeys(Material.purpose)
        let selection = KeySelection<Material>(named, for: claim, at: now)
        guard !selection.live.isEmpty else {
            throw .request(KeySelection<Material>.absence(of: named, for: claim, at: now))
        }
        return selection
    }

    /// What the ledger knows of the device and the issuer of an authentic token.
    func standings(
        of outcome: ApproovTokenAssessor.Outcome, in ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> [LedgerStanding] {
        guard let token = outcome.token, !ledger.isWithoutStandings else { return [] }
        let subjects = ApproovSubjects.all(of: token.claims)
        guard !subjects.isEmpty else { return [] }
        return try await ledger.asking { (ledger) throws(LedgerOutage) in
            try await ledger.standings(of: subjects, at: now)
        }
    }
}

extension [LedgerStanding] {
    /// The block on a subject.
    func block(of subject: LedgerSubject) -> Block? { first { $0.subject == subject }?.block }
    /// The allowance of a subject.
    func allowance(of subject: LedgerSubject) -> Allowance? { first { $0.subject == subject }?.allowance }
}
