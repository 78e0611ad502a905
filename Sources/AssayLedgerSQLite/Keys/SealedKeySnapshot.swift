import AssayCore

/// What a key store held when it was looked at, unsealed.
struct SealedKeySnapshot: Sendable {
    /// The rows, by name.
    let rows: [SealedKeyRow]
    /// The keys of the purposes that are known.
    let keys: [KeyPurpose: [NamedKey]]
    /// A time not after the look.
    let lookedAt: ContinuousClock.Instant
    /// Counts the looks of a store.
    let number: Int

    /// Unseals rows, unless they are those of an earlier look.
    ///
    /// Every row is opened, also those of other purposes: a key whose purpose was edited would otherwise just be missing.
    init(
        _ rows: [SealedKeyRow], after previous: SealedKeySnapshot?, at time: ContinuousClock.Instant, path: String,
        masterKey: MasterKey, materials: [any KeyMaterial.Type]
    ) throws(KeyStoreOutage) {
        self.rows = rows
        lookedAt = time
        number = (previous?.number ?? 0) + 1
        if let previous, previous.rows == rows {
            keys = previous.keys
            return
        }
        var keys: [KeyPurpose: [NamedKey]] = [:]
        for row in rows {
            let (entry, parts) = (row.columns.entry, try row.opened(under: masterKey, path: path))
            guard let type = materials.first(where: { $0.purpose == entry.purpose }) else { continue }
            do throws(KeyError) {
                let key = NamedKey(
                    name: entry.name, scope: entry.scope, window: entry.window, retiredAt: entry.retiredAt,
                    material: try type.reading(parts))
                keys[entry.purpose, default: []].append(key)
            } catch {
                // Stored before it was refused. It serves for nothing, and takes no other key along.
                if error.isOfKeyPair { continue }
                throw KeyStoreOutage(.corrupt, "the key \(entry.name.excerpt) of \(path) cannot be used: \(error)")
            }
        }
        self.keys = keys
    }
}
