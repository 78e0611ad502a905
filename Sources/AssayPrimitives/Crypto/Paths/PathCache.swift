internal import Synchronization

/// Caches verification results by a key over the verified bytes. A full cache evicts its oldest entry. Callers must add
/// only fully verified paths, so that an attacker without such paths can neither fill nor flush the cache.
final class PathCache<Value: Sendable>: Sendable {
    private struct State {
        var values: [[UInt8]: Value] = [:]
        var order: [[UInt8]] = []
        var next = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// Creates an empty cache. With capacity 0 it stays empty.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of entries.
    var count: Int { state.withLock { $0.values.count } }

    /// The entry for a key.
    subscript(key: [UInt8]) -> Value? {
        state.withLock { $0.values[key] }
    }

    /// Adds or replaces an entry.
    func insert(_ value: Value, for key: [UInt8]) {
        guard capacity > 0 else { return }
        state.withLock { state in
            if state.values.updateValue(value, forKey: key) != nil { return }
            if state.order.count < capacity {
                state.order.append(key)
            } else {
                state.values[state.order[state.next]] = nil
                state.order[state.next] = key
                state.next = (state.next + 1) % capacity
            }
        }
    }
}
