import Synchronization

/// Keys in a ``SealedKeyStorage``, encrypted with AES-256-GCM under a master key.
///
/// Opened keys stay in memory for a second: verdicts do not wait for the storage. If another process adds, retires or
/// removes a key, the change takes effect within a second. An attacker who can write to the storage but lacks the
/// master key cannot forge or edit a key, write back an earlier state of it, or copy one from another storage: such a key makes the
/// store an outage, like a store that cannot be read. The attacker can remove keys, or restore an earlier state of the whole ledger.
public final class SealedKeyStore: KeyStore {
    /// How long opened keys are used without reading the storage.
    package static let lifetime = Duration.seconds(1)

    private struct State {
        var snapshot: Snapshot?
        /// The read in progress. Other callers that need a snapshot share it.
        var loading: Loading?
        /// Counts the changes by this store. A snapshot that was read before a change is not used after it.
        var generation = 0
    }

    /// The keys of one read, sealed and opened.
    private struct Snapshot: Sendable {
        let sealed: [SealedKey]
        let keys: [KeyPurpose: [NamedKey]]
        /// A time not later than the read.
        let readAt: ContinuousClock.Instant
        /// Counts the reads.
        let number: Int
    }

    private struct Loading {
        let generation: Int
        let since: ContinuousClock.Instant
        let task: Task<Result<Snapshot, KeyStoreOutage>, Never>
    }

    let storage: any SealedKeyStorage
    let masterKey: MasterKey
    let materials: [any KeyMaterial.Type]
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Opens the key store of a storage. Reads nothing yet.
    ///
    /// - Parameters:
    ///   - storage: the place of the keys, such as a `SQLiteLedger`.
    ///   - masterKey: the key that encrypts them.
    ///   - materials: the types of keys that the program can read: `Verifier.keyMaterials`.
    public convenience init(
        storage: any SealedKeyStorage, masterKey: MasterKey, materials: KeyMaterials
    ) {
        self.init(storage: storage, masterKey: masterKey, materials: materials.types)
    }

    /// Opens a key store that reads the given types of keys, with another clock for tests.
    package init(
        storage: any SealedKeyStorage, masterKey: MasterKey, materials: [any KeyMaterial.Type],
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.storage, self.masterKey, self.materials, self.now) = (storage, masterKey, materials, now)
    }

    /// The keys of a purpose in all states, by name.
    ///
    /// - Throws: ``KeyStoreOutage``: ``OutageCode/wrongMasterKey``; ``OutageCode/corrupt`` if any key of the store was
    ///   changed after sealing; ``OutageCode/unknownPurpose`` if there are keys of this purpose but no type for them;
    ///   otherwise the outage of the storage.
    public func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        let snapshot = try await snapshot()
        if let keys = snapshot.keys[purpose] { return keys }
        guard !snapshot.sealed.contains(where: { $0.purpose.name.isByteEqual(to: purpose.name) }) else {
            throw KeyStoreOutage(
                .unknownPurpose,
                "\(storage.keyLocation) has keys for \(purpose.name.excerpt), which this program cannot read")
        }
        return []
    }

    /// The number of reads of the storage.
    package var reads: Int { state.withLock { $0.snapshot?.number ?? 0 } }

    private func snapshot() async throws(KeyStoreOutage) -> Snapshot {
        let time = now()
        let (fresh, loading): (Snapshot?, Loading?) = state.withLock { state in
            if let snapshot = state.snapshot, time < snapshot.readAt + Self.lifetime { return (snapshot, nil) }
            if let loading = state.loading, time < loading.since + Self.lifetime { return (nil, loading) }
            let (generation, previous) = (state.generation, state.snapshot)
            // Not a child task: cancelling one caller must not cause an outage for the others.
            let task = Task { await self.read(after: previous, at: time, generation) }
            state.loading = Loading(generation: generation, since: time, task: task)
            return (nil, state.loading)
        }
        if let fresh { return fresh }
        guard let loading else { throw KeyStoreOutage(.unreachable, "\(storage.keyLocation) was not read") }
        return try await loading.task.value.get()
    }

    private func read(
        after previous: Snapshot?, at time: ContinuousClock.Instant, _ generation: Int
    ) async -> Result<Snapshot, KeyStoreOutage> {
        let result = await result { () throws(KeyStoreOutage) in
            let sealed = try await storage.sealedKeys()
            return Snapshot(
                sealed: sealed, keys: try unsealed(sealed, after: previous), readAt: time,
                number: (previous?.number ?? 0) + 1)
        }
        state.withLock { state in
            // This store has changed a key since the read began.
            guard state.generation == generation else { return }
            if state.loading?.since == time { state.loading = nil }
            // After a failure, the next caller reads again.
            state.snapshot = try? result.get()
        }
        return result
    }

    /// Opens all keys, unless they equal those of the previous snapshot.
    ///
    /// Also opens keys of unknown purposes: otherwise a key with an edited purpose would disappear without an outage.
    private func unsealed(
        _ sealed: [SealedKey], after previous: Snapshot?
    ) throws(KeyStoreOutage) -> [KeyPurpose: [NamedKey]] {
        if let previous, previous.sealed == sealed { return previous.keys }
        var keys: [KeyPurpose: [NamedKey]] = [:]
        for key in sealed {
            let parts = try key.opened(under: masterKey, location: storage.keyLocation)
            guard let type = materials.first(where: { $0.purpose == key.purpose }) else { continue }
            do throws(KeyError) {
                let named = NamedKey(
                    name: key.name, scope: key.scope, window: key.window, retiredAt: key.retiredAt,
                    addedAt: key.addedAt, material: try type.reading(parts))
                keys[key.purpose, default: []].append(named)
            } catch {
                throw KeyStoreOutage(
                    .corrupt, "the key \(key.name.excerpt) of \(storage.keyLocation) cannot be used: \(error)")
            }
        }
        return keys
    }

    /// Drops the snapshot, because this store has changed the storage.
    func invalidate() {
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
