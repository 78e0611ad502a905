internal import Synchronization

/// Remembers what was verified, by the bytes it was verified for.
///
/// The oldest entry makes room for a new one. Only entries for wholly verified paths may be added, so whoever cannot
/// make such paths can neither fill it nor flush it.
final class PathCache<Value: Sendable>: Sendable {
    private struct State {
        var values: [[UInt8]: Value] = [:]
        var order: [[UInt8]] = []
        var next = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// Makes an empty cache. One with no capacity stays empty.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many entries there are.
    var count: Int { state.withLock { $0.values.count } }

    /// The entry for a key.
    subscript(key: [UInt8]) -> Value? {
        state.withLock { $0.values[key] }
    }

    /// Adds an entry, or replaces it.
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
