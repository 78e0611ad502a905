public import AssayCore
public import FoundationEssentials

/// Judges evidence under a policy, with a ledger for challenges, keys, counters and used tokens.
///
/// A verifier is cheap to copy and safe to use from many tasks. Create one and keep it: it caches authorities and keys.
///
///     let policy = try PolicyFile.load(path: "policy.yaml")
///     let verifier = Verifier(policy: policy, ledger: MemoryLedger())
///     let verdict = try await verifier.verify(record, at: Date())
///     guard verdict.outcome == .accept else { ... }
public struct Verifier: Sendable {
    /// Every check of every engine, in the declared order.
    package static let catalogue = EngineRegistry.standard.catalogue
    /// The types of keys of all engines, for a `SealedKeyStore`.
    public static let keyMaterials = KeyMaterials(EngineRegistry.standard.keyMaterials)
    /// The kinds of evidence that carry a challenge of the ledger.
    package static let challengeKinds = EngineRegistry.standard.challengeKinds
    /// The fields of evidence that a capture can omit or replace, of every kind.
    package static let sensitiveFields = EngineRegistry.standard.sensitiveFields
    /// The facts of subjects by which reports group verdicts. A name means the same in every engine.
    package static let dimensions = EngineRegistry.standard.dimensions
    /// Every kind of evidence that can be judged.
    package static let kinds = EngineRegistry.standard.kinds

    /// The problem with an enrolled key by the rules of its engine; nil if there is none. Pass it to
    /// `LedgerAdministration.check(_:)`.
    public static func problem(withKey key: EnrolledKey) -> String? {
        EngineRegistry.standard.problem(withKey: key)
    }

    package let policy: VerificationPolicy
    package let ledger: any Ledger
    let engines: Engines
    /// The keys of the policy and the key stores.
    package let keys: any KeyStore
    /// Services that learn of accepted evidence.
    let observers: [any AcceptanceObserver]
    /// Counts verdicts; nil if no backend for swift-metrics is set up.
    let metrics: VerifierMetrics?
    /// Whether verifications have spans.
    let isTraced: Bool

    /// Creates a verifier.
    ///
    /// The platforms' trust anchors are compiled in. A policy can replace them for an app with those of a test
    /// authority, which verdicts then name.
    /// - Parameters:
    ///   - policy: the policy; ``PolicyFile`` reads one.
    ///   - ledger: `MemoryLedger` for one-off use, `SQLiteLedger` for a service.
    ///   - keyStores: keys in addition to those of the policy.
    ///   - services: services for engines, such as Google's servers, from the product AssayPlatforms.
    ///
    /// Set a backend for swift-metrics up before, so that the verifier counts: see ``refreshMetrics(at:)``. Likewise a tracer of
    /// swift-distributed-tracing, so that each verification is a span `assay.verify`.
    public init(
        policy: VerificationPolicy, ledger: any Ledger, keyStores: [any KeyStore] = [],
        services: [any EngineService] = []
    ) {
        self.init(policy: policy, ledger: ledger, keyStores: keyStores, services: services, engines: .standard)
    }

    /// Creates a verifier with the engines of a registry.
    ///
    /// - Parameters:
    ///   - use: the purpose of the verdicts. Verifiers from the public initialiser admit requests.
    ///   - devices: the device counts of the verifier under an earlier policy.
    ///   - facts: its values of facts that are counted.
    package init(
        policy: VerificationPolicy, ledger: any Ledger, keyStores: [any KeyStore] = [],
        services: [any EngineService] = [],
        engines registry: EngineRegistry, use: VerdictUse = .admission, devices: DistinctDevices = DistinctDevices(),
        facts: FactCounts = FactCounts()
    ) {
        self.policy = policy
        self.ledger = ledger
        let policyKeys = StaticKeyStore(policy.keys)
        let resources = EngineResources(
            keys: keyStores.isEmpty ? policyKeys : CombinedKeyStore([policyKeys] + keyStores), services: services,
            use: use)
        engines = Engines(
            registry, policy: policy, resources: resources, documents: ledger as? any LedgerDocuments)
        keys = resources.keys
        observers = use == .admission ? services.compactMap { $0 as? any AcceptanceObserver } : []
        metrics = use == .admission ? VerifierMetrics(policy, registry, devices: devices, facts: facts) : nil
        isTraced = use == .admission && Self.hasTracer
    }

    /// Those of some names that no key of the policy and of the key stores has. Empty if a store does not answer.
    package func unknownKeys(among names: [String]) async -> [String] {
        var unknown = names
        for material in EngineRegistry.standard.keyMaterials where !unknown.isEmpty {
            do {
                let known = try await keys.keys(for: material.purpose)
                unknown.removeAll { name in known.contains { $0.name.isByteEqual(to: name) } }
            } catch { return [] }
        }
        return unknown
    }

    /// Assesses a record against a ledger and commits nothing. Replays order the commits themselves.
    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try Verifier.requireTime(now)
        guard let engine = engines.byKind[record.kind] else {
            let kinds = engines.registry.kinds.map(\.name).joined(separator: ", ")
            throw .request(
                RequestError(.unknownKind, "unknown kind \(record.kind.name.excerpt); expected one of \(kinds)"))
        }
        let assessment = try await addingDeviceCheck(
            to: engine.assess(record, ledger: ledger, at: now), record.device, ledger: ledger, at: now)
        guard record.property != nil || policy.propertyHeader != nil else { return assessment }
        // A signed field counts before the record, and the record before a field that is not signed.
        return assessment.stating(propertyOf: record.carried ?? record, in: policy.propertyHeader)
            .stating(ClientProperty(claimed: record.property))
    }

    /// The assessment with the results about the build, and about the device token that accompanies the evidence.
    @inline(__always)
    func addingDeviceCheck(
        to assessment: Assessment, _ device: AccompanyingDevice, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard engines.addsResults else { return assessment }
        return try await addingResults(to: assessment, device, ledger: ledger, at: now)
    }

    /// Reads the admitted builds again, unless they are younger than two seconds, and returns the outage that prevents it. Nil if the
    /// policy compares no builds.
    package func refreshBuilds() async -> LedgerOutage? {
        guard let watch = engines.builds?.watch else { return nil }
        let former = watch.state.failures
        do throws(LedgerOutage) {
            let state = try await watch.current()
            if state.failures > former, let outage = state.outage { metrics?.count(.outage(outage)) }
            return state.outage
        } catch {
            metrics?.count(.outage(error))
            return error
        }
    }

    private func addingResults(
        to assessment: Assessment, _ device: AccompanyingDevice, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        var assessment = assessment
        func count(_ outage: any Outage) { metrics?.count(.outage(outage)) }
        if let builds = engines.builds {
            assessment = try await builds.complete(
                assessment, account: device.account, ledger: ledger, at: now, counting: count)
        }
        guard let deviceCheck = engines.deviceCheck else { return assessment }
        return try await deviceCheck.complete(assessment, device, ledger: ledger, at: now, counting: count)
    }

    /// Judges a record.
    ///
    /// - Parameters:
    ///   - record: the evidence; see ``RecordFile`` for reading records.
    ///   - now: the time of judgement: the present for a request, `receivedAt` for captured evidence.
    /// - Returns: the verdict, accepting or not. False and malformed evidence gives a verdict, never an error.
    /// - Throws: ``VerificationError`` when there is no verdict: `.record` when the record cannot be read; `.request`
    ///   when the policy has no such app, the evidence matches no app or several, the app has no live key, `now` is not
    ///   finite, or a needed service is missing; `.outage` when the ledger, a key store or a service does not answer.
    public func verify(_ record: EvidenceRecord, at now: Date) async throws(VerificationError) -> Verdict {
        try await verify(at: now, hasDeviceCheck: true) { () async throws(VerificationError) in
            try await assess(record, ledger: ledger, at: now)
        }
    }

    /// Identifies the ledger entry that a record uses; nil when the order does not matter. Records with the same text
    /// must be judged in their order.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        EngineRegistry.standard.orderingKey(of: record)
    }

    /// Refuses a time that is NaN or infinite: comparisons with it would give the same result for all evidence.
    static func require(_ now: Date, _ account: String?) throws(VerificationError) {
        try requireTime(now)
        guard let account else { return }
        guard (1...InputLimits.account).contains(account.utf8.count) else {
            throw .request(
                RequestError(
                    .invalidAccount,
                    "an account has 1 to \(InputLimits.account) bytes, found \(account.utf8.count); give nil for none"))
        }
    }

    /// Throws for a time that is not finite.
    static func requireTime(_ now: Date) throws(VerificationError) {
        let seconds = now.timeIntervalSince1970
        guard seconds.isFinite else {
            throw .request(RequestError(.invalidTime, "the time of judgement is finite, found \(seconds) s since 1970"))
        }
    }
}
