public import AssayCore
public import FoundationEssentials
import Synchronization

/// Sealed keys in memory, for tests.
public final class MemoryKeyStorage: SealedKeyStorage {
    /// Memory.
    public var keyLocation: String { "memory" }

    private let keys = Mutex<[SealedKey]>([])

    /// Starts without keys.
    public init() {}

    /// All keys, by name.
    public func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey] { keys.withLock { $0 } }

    /// Applies one change.
    public func changeSealedKeys(
        by operatorName: String?, at now: Date,
        _ decide: @escaping @Sendable ([SealedKey]) throws(KeyStoreFailure) -> SealedKeyChange
    ) async throws(KeyStoreFailure) {
        try keys.withLock { (keys) throws(KeyStoreFailure) in
            switch try decide(keys) {
            case .insert(let key):
                keys.append(key)
                keys.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            case .replace(let key):
                keys = keys.map { $0.name.isByteEqual(to: key.name) ? key : $0 }
            case .remove(let name):
                keys.removeAll { $0.name.isByteEqual(to: name) }
            }
        }
    }
}
