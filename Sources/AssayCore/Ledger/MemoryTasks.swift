public import FoundationEssentials
import Synchronization

extension MemoryLedger {
    /// The task of a key.
    public func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? {
        state.withLock { $0.tasks.task(key, in: queue) }
    }

    /// Stores a task if the stored revision is the expected one.
    public func putTask(
        _ key: [UInt8], in queue: String, dueAt: Date, bytes: [UInt8], replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(task: key, in: queue, bytes)
        let task = LedgerTask(queue: queue, key: key, dueAt: dueAt, holder: nil, bytes: bytes, revision: revision)
        return state.withLock { $0.tasks.put(task) }
    }

    /// Removes a task if the stored revision is the expected one.
    public func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        state.withLock { $0.tasks.remove(key, in: queue, replacing: revision) }
    }

    /// Leases tasks that are due.
    public func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] {
        state.withLock { $0.tasks.lease(in: queue, to: holder, until: end, atMost: limit, at: now) }
    }

    /// Leases the task of a key, unless its lease has not ended.
    public func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        state.withLock { $0.tasks.lease(key, in: queue, to: holder, until: end, at: now) }
    }

    /// Tasks of a queue in the order of their keys.
    public func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] {
        state.withLock { $0.tasks.page(of: queue, after: key, atMost: limit) }
    }
}

/// The tasks of a ledger in memory.
struct MemoryTasks {
    /// Queue and key.
    private struct Name: Hashable {
        let queue: [UInt8]
        let key: [UInt8]

        init(_ key: [UInt8], _ queue: String) {
            self.queue = Array(queue.utf8)
            self.key = key
        }
    }

    private var tasks: [Name: LedgerTask] = [:]

    /// All tasks, in the order of their queues and keys.
    var all: [LedgerTask] {
        tasks.sorted {
            $0.key.queue == $1.key.queue
                ? $0.key.key.lexicographicallyPrecedes($1.key.key)
                : $0.key.queue.lexicographicallyPrecedes($1.key.queue)
        }.map(\.value)
    }

    var count: Int { tasks.count }

    func task(_ key: [UInt8], in queue: String) -> LedgerTask? { tasks[Name(key, queue)] }

    /// Stores a task over its revision. Returns whether the stored revision was that one.
    mutating func put(_ task: LedgerTask) -> Bool {
        let name = Name(task.key, task.queue)
        guard (tasks[name]?.revision ?? 0) == task.revision else { return false }
        tasks[name] = Self.changed(task, dueAt: task.dueAt, holder: nil)
        return true
    }

    mutating func remove(_ key: [UInt8], in queue: String, replacing revision: Int64) -> Bool {
        guard tasks[Name(key, queue)]?.revision == revision else { return false }
        tasks[Name(key, queue)] = nil
        return true
    }

    mutating func lease(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) -> [LedgerTask] {
        let due = of(queue).filter { $0.dueAt.microseconds <= now.microseconds }.sorted { $0.dueAt < $1.dueAt }
        return due.prefix(max(0, limit)).map { lease($0, to: holder, until: end) }
    }

    mutating func lease(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) -> LedgerTask? {
        guard let task = task(key, in: queue), !task.isLeased(at: now) else { return nil }
        return lease(task, to: holder, until: end)
    }

    private mutating func lease(_ task: LedgerTask, to holder: String, until end: Date) -> LedgerTask {
        let leased = Self.changed(task, dueAt: end, holder: holder)
        tasks[Name(task.key, task.queue)] = leased
        return leased
    }

    func page(of queue: String, after key: [UInt8]?, atMost limit: Int) -> [LedgerTask] {
        let rest = of(queue).filter { task in key.map { $0.lexicographicallyPrecedes(task.key) } ?? true }
        return Array(rest.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(max(0, limit)))
    }

    private func of(_ queue: String) -> [LedgerTask] { tasks.values.filter { $0.queue.isByteEqual(to: queue) } }

    private static func changed(_ task: LedgerTask, dueAt: Date, holder: String?) -> LedgerTask {
        LedgerTask(
            queue: task.queue, key: task.key, dueAt: Date(microseconds: dueAt.microseconds), holder: holder,
            bytes: task.bytes, revision: task.revision + 1)
    }
}
