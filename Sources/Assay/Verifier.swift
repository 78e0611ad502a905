import AppAttest
import Approov
public import AssayCore
import AssayInspection
public import FoundationEssentials
import PlayIntegrity

/// Judges evidence under a policy, with a ledger that keeps what must not happen twice.
///
/// A verifier is cheap to copy, safe to use from many tasks, and keeps what it learns of authorities, so make one and
/// keep it.
///
///     let policy = try PolicyFile.load(path: "policy.yaml")
///     let verifier = Verifier(policy: policy, ledger: MemoryLedger())
///     let verdict = try await verifier.verify(record, at: Date())
///     guard verdict.outcome == .accept else { ... }
public struct Verifier: Sendable {
    /// The engines, one line each: a new kind of evidence is a new engine here and in ``Engines``.
    static let engines: [any InspectableEngine.Type] = [
        AppAttestEngine.self,
        PlayIntegrityEngine.self,
        ApproovEngine.self,
    ]

    /// Every check of every engine, in the declared order.
    public static let catalogue: [CheckDefinition] = engines.flatMap { $0.catalogue }
    /// The types of keys that engines judge with.
    public static let keyMaterials: [any KeyMaterial.Type] = engines.flatMap { $0.keyMaterials }
    /// The kinds of evidence that carry a challenge of the ledger.
    public static let challengeKinds: [EvidenceKind] = engines.flatMap { $0.challengeKinds }
    /// The fields of evidence that captures may not want to keep, of every kind.
    public static let sensitiveFields: [SensitiveField] = engines.flatMap { $0.sensitiveFields }
    /// The facts of verdicts' subjects by which reports break them down. Engines that have a field of one name mean the
    /// same by it.
    public static let dimensions: [SubjectDimension] = engines.flatMap { $0.dimensions }.reduce(into: []) { all, next in
        if !all.contains(where: { $0.name == next.name }) { all.append(next) }
    }
    /// Every kind of evidence that can be judged.
    public static let kinds: [EvidenceKind] = engines.flatMap { $0.kinds }

    /// What evidence is held against.
    public let policy: Policy
    /// What must not happen twice.
    public let ledger: any Ledger
    let engines: Engines

    /// Makes a verifier.
    ///
    /// Trust anchors are the platforms' own, compiled in, unless the policy names those of a test authority for an app;
    /// verdicts say so then.
    /// - Parameters:
    ///   - policy: what evidence is held against; see ``PolicyFile`` for reading one.
    ///   - ledger: `MemoryLedger` for one-off use, `SQLiteLedger` for a service.
    ///   - keyStores: where keys come from besides the policy.
    ///   - services: what engines may ask besides, such as Google's servers; see the products that bring them.
    public init(
        policy: Policy, ledger: any Ledger, keyStores: [any KeyStore] = [], services: [any EngineService] = []
    ) {
        self.policy = policy
        self.ledger = ledger
        let policyKeys = StaticKeyStore(policy.keys)
        let resources = EngineResources(
            keys: keyStores.isEmpty ? policyKeys : CombinedKeyStore([policyKeys] + keyStores), services: services)
        engines = Engines(policy: policy, resources: resources)
    }

    /// Assesses a record against a ledger and commits nothing: for whoever orders the commits of many records.
    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try Verifier.demandTime(now)
        guard let engine = engines.byKind[record.kind] else {
            let kinds = Verifier.kinds.map(\.name).joined(separator: ", ")
            throw .request(
                RequestError(.unknownKind, "no engine judges \(record.kind.name.excerpt); there are \(kinds)"))
        }
        return try await engine.assess(record, ledger: ledger, at: now)
    }

    /// Judges a record.
    ///
    /// - Parameters:
    ///   - record: the evidence; see ``RecordFile`` for reading records.
    ///   - now: the time of judgement: the present for a request, `receivedAt` for captured evidence.
    /// - Returns: the verdict, accepting or not. False and malformed evidence is a verdict and never an error.
    /// - Throws: ``VerificationError`` when there is no verdict: `.record` when the record cannot be read; `.request` when the
    ///   policy has no such app, the app no live key, `now` is not finite, or a service is needed that was not given;
    ///   `.outage` when the ledger, a key store or a service gives no answer.
    public func verify(_ record: EvidenceRecord, at now: Date) async throws(VerificationError) -> Verdict {
        try await settle(assess(record, ledger: ledger, at: now), at: now)
    }

    /// What ties a record to others; see `EvidenceEngine.orderingKey(of:)`.
    public static func orderingKey(of record: EvidenceRecord) -> String? {
        engines.first { $0.kinds.contains(record.kind) }?.orderingKey(of: record)
    }

    /// Refuses a time that is no number or infinite: every comparison with it would come out one way.
    static func demandTime(_ now: Date) throws(VerificationError) {
        let seconds = now.timeIntervalSince1970
        guard seconds.isFinite else {
            throw .request(RequestError(.invalidTime, "the time of judgement is finite, found \(seconds) s since 1970"))
        }
    }

    func settle(_ assessment: Assessment, at now: Date) async throws(VerificationError) -> Verdict {
        do {
            // What needs no ledger does not wait for one.
            if let verdict = try assessment.verdictWithoutCommit(at: now) { return verdict }
            return try await ledger.settle(assessment, at: now)
        } catch {
            throw .outage(error)
        }
    }
}
