public import AssayCore
import Synchronization

/// Keys that are sealed in the file of a ledger with AES-256-GCM under a master key.
///
/// What is unsealed is kept in memory for a second, so that a verdict does not wait for the file, and a key that another
/// process adds, retires or removes counts within a second. Nobody who changes the file without the master key can make a
/// key other than it was added, in whatever respect: such a store is an outage, and so is one that cannot be read. What
/// they can do is remove keys, or put a file of earlier times in its place.
public final class SealedKeyStore: KeyStore {
    /// How long what is unsealed is used without a look at the file.
    package static let lifetime = Duration.seconds(1)

    private struct State {
        var snapshot: SealedKeySnapshot?
        /// The look at the file that is going on, for everybody who needs one meanwhile.
        var loading: Loading?
        /// Counts what this store has changed itself: what was read before must not be used after.
        var generation = 0
    }

    private struct Loading {
        let generation: Int
        let since: ContinuousClock.Instant
        let task: Task<Result<SealedKeySnapshot, KeyStoreOutage>, Never>
    }

    let ledger: SQLiteLedger
    let masterKey: MasterKey
    let materials: [any KeyMaterial.Type]
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Opens the key store of a ledger. Nothing is read yet.
    ///
    /// - Parameters:
    ///   - ledger: the ledger in whose file the keys are.
    ///   - masterKey: what they are sealed under.
    ///   - materials: the types of keys that there are, such as `Verifier.keyMaterials`.
    public convenience init(ledger: SQLiteLedger, masterKey: MasterKey, materials: [any KeyMaterial.Type]) {
        self.init(ledger: ledger, masterKey: masterKey, materials: materials, now: { .now })
    }

    /// Opens a key store that goes by a clock of the caller's.
    package init(
        ledger: SQLiteLedger, masterKey: MasterKey, materials: [any KeyMaterial.Type],
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.ledger = ledger
        self.masterKey = masterKey
        self.materials = materials
        self.now = now
    }

    /// The keys of a purpose, in whatever state, by name.
    ///
    /// - Throws: ``KeyStoreOutage``: ``KeyStoreOutage/Code/wrongMasterKey``, ``KeyStoreOutage/Code/corrupt`` when any key
    ///   of the store is not as it was sealed, ``KeyStoreOutage/Code/unknownPurpose`` when there are keys of a purpose for
    ///   which no type was given, and what the ledger calls its outages otherwise.
    public func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        let snapshot = try await snapshot()
        if let keys = snapshot.keys[purpose] { return keys }
        guard !snapshot.rows.contains(where: { $0.columns.purpose.isByteEqual(to: purpose.name) }) else {
            throw KeyStoreOutage(
                .unknownPurpose, "\(ledger.path) has keys for \(purpose.name.excerpt), which this program cannot read")
        }
        return []
    }

    /// How many times the file was looked at.
    package var looks: Int { state.withLock { $0.snapshot?.number ?? 0 } }

    private func snapshot() async throws(KeyStoreOutage) -> SealedKeySnapshot {
        let time = now()
        let (fresh, loading): (SealedKeySnapshot?, Loading?) = state.withLock { state in
            if let snapshot = state.snapshot, time < snapshot.lookedAt + Self.lifetime { return (snapshot, nil) }
            if let loading = state.loading, time < loading.since + Self.lifetime { return (nil, loading) }
            let (generation, previous) = (state.generation, state.snapshot)
            // Not a child of the caller's task, whose cancellation must not be an outage for the others.
            let task = Task { await self.look(after: previous, at: time, generation) }
            state.loading = Loading(generation: generation, since: time, task: task)
            return (nil, state.loading)
        }
        if let fresh { return fresh }
        guard let loading else { throw KeyStoreOutage(.unreachable, "\(ledger.path) was not looked at") }
        return try await loading.task.value.get()
    }

    private func look(
        after previous: SealedKeySnapshot?, at time: ContinuousClock.Instant, _ generation: Int
    ) async -> Result<SealedKeySnapshot, KeyStoreOutage> {
        let result = await result { () throws(KeyStoreOutage) in
            let rows = try await ledger.sealedKeyRows()
            return try SealedKeySnapshot(
                rows, after: previous, at: time, path: ledger.path, masterKey: masterKey, materials: materials)
        }
        state.withLock { state in
            // What this store has changed meanwhile is not overlooked.
            guard state.generation == generation else { return }
            if state.loading?.since == time { state.loading = nil }
            // After a failure the next caller looks again.
            state.snapshot = try? result.get()
        }
        return result
    }

    /// Forgets what was read, as this store has changed the file.
    func forget() {
        state.withLock { state in
            state.generation += 1
            state.snapshot = nil
            state.loading = nil
        }
    }

    private func result<Value>(
        _ body: () async throws(KeyStoreOutage) -> Value
    ) async -> Result<Value, KeyStoreOutage> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
