public import Synchronization

/// Caches verification results by a key over the verified bytes. A full cache evicts its oldest entry. Callers must add
/// only fully verified paths: an attacker without such paths can then neither fill nor flush the cache.
// Look-ups are inlinable: elsewhere they would take the types of their values at run time.
@usableFromInline
package final class PathCache<Value: Sendable>: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline var values: [PathKey: Value] = [:]
        var order: [PathKey] = []
        var next = 0
    }

    @usableFromInline let state = Mutex<State>(State())
    private let capacity: Int

    /// Creates an empty cache. With capacity 0 it stays empty.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of entries.
    package var count: Int { state.withLock { $0.values.count } }

    /// The entry for a key.
    @inlinable
    package subscript(key: [UInt8]) -> Value? {
        state.withLock { $0.values[PathKey(bytes: key)] }
    }

    /// Adds or replaces an entry.
    package func insert(_ value: Value, for key: [UInt8]) {
        guard capacity > 0 else { return }
        let key = PathKey(bytes: key)
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

/// The bytes that a cached result depends on. Hashes them as one buffer: Swift hashes an array of bytes byte by byte,
/// which takes as long as verifying a signature on P-256.
@usableFromInline
struct PathKey: Hashable, Sendable {
    private let bytes: [UInt8]

    @usableFromInline
    init(bytes: [UInt8]) { self.bytes = bytes }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    }

    @usableFromInline
    static func == (left: PathKey, right: PathKey) -> Bool { left.bytes[...].isByteEqual(to: right.bytes[...]) }
}
