import Foundation

@testable import AssayClient

/// A storage in memory, for tests: the state ends with the process.
final class MemoryStorage: StateStorage, @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [StateName: StoredState] = [:]

    /// An empty storage.
    init() {}

    /// The entry.
    func read(_ name: StateName) throws -> StoredState? { lock.withLock { entries[name] } }

    /// Replaces the entry if it has the version.
    func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
        lock.withLock {
            guard entries[name]?.version == version else { return nil }
            let new = StoredState(data: data)
            entries[name] = data == nil ? nil : new
            return new
        }
    }
}
