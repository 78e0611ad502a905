public import AssayCore
import AssayPrimitives
public import FoundationEssentials
import Synchronization

/// Sealed keys in memory, for tests.
public final class MemoryKeyStorage: SealedKeyStorage {
    /// Memory.
    public var keyLocation: String { "memory" }

    private struct State {
        /// All keys, by name, each with its origin.
        var keys: [SealedKey] = []
        var changes: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Makes the origins of this storage others than those of another one.
    private let identifier = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

    /// Starts without keys.
    public init() {}

    /// All keys, by name.
    public func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey] { state.withLock { $0.keys } }

    /// Applies one change.
    public func changeSealedKeys(
        by operatorName: String?, at now: Date, _ decide: @escaping SealedKeyDecision
    ) async throws(KeyStoreFailure) {
        try state.withLock { (state) throws(KeyStoreFailure) in
            let count = state.changes + 1
            let origin = identifier + (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            switch try decide(state.keys, { _ in origin }) {
            case .insert(let key):
                state.keys.append(key.with(origin: origin))
                state.keys.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            case .replace(let key), .reseal(let key):
                state.keys = state.keys.map { $0.name.isByteEqual(to: key.name) ? key.with(origin: origin) : $0 }
            case .remove(let name):
                state.keys.removeAll { $0.name.isByteEqual(to: name) }
            }
            state.changes = count
        }
    }
}
