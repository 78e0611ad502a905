public import AssayCore
public import FoundationEssentials
import GRDB

extension SQLiteLedger {
    /// The task of a key.
    public func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? {
        try await read { db in try LedgerTables(db).task(key, in: queue) }
    }

    /// Stores a task if the stored revision is the expected one.
    public func putTask(
        _ key: [UInt8], in queue: String, dueAt: Date, bytes: [UInt8], replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(task: key, in: queue, bytes)
        let task = LedgerTask(queue: queue, key: key, dueAt: dueAt, holder: nil, bytes: bytes, revision: revision)
        return try await change(at: now, isChange: \.self) { tables in try tables.put(task) }
    }

    /// Removes a task if the stored revision is the expected one.
    public func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await change(at: now, isChange: \.self) { tables in
            try tables.removeTask(key, in: queue, replacing: revision)
        }
    }

    /// Leases tasks that are due.
    public func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] {
        try await change(at: now, isChange: { !$0.isEmpty }) { tables in
            try tables.leaseTasks(in: queue, to: holder, until: end, atMost: max(0, limit), at: now)
        }
    }

    /// Leases the task of a key, unless its lease has not ended.
    public func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        try await change(at: now, isChange: { $0 != nil }) { tables in
            try tables.leaseTask(key, in: queue, to: holder, until: end, at: now)
        }
    }

    /// Tasks of a queue in the order of their keys.
    public func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] {
        try await read { db in try LedgerTables(db).tasks(in: queue, after: key ?? [], atMost: max(0, limit)) }
    }
}

/// The statements on tasks, on one connection. The caller holds the transaction.
extension LedgerTables {
    private static let insertTask = LedgerSQL(
        """
        INSERT INTO task (queue, key, dueAt, holder, bytes, revision) VALUES (?, ?, ?, NULL, ?, 1)
        ON CONFLICT (queue, key) DO NOTHING
        """)
    private static let replaceTask = LedgerSQL(
        """
        UPDATE task SET dueAt = ?, holder = NULL, bytes = ?, revision = revision + 1
        WHERE queue = ? AND key = ? AND revision = ?
        """)
    private static let deleteTask = LedgerSQL("DELETE FROM task WHERE queue = ? AND key = ? AND revision = ?")
    private static let leaseTask = LedgerSQL(
        "UPDATE task SET dueAt = ?, holder = ?, revision = revision + 1 WHERE queue = ? AND key = ?")

    static let tasks = LedgerTable("task", "queue, key, dueAt, holder, bytes, revision", by: "queue, key") { row in
        LedgerTask(
            queue: try row.text(0), key: try row.bytes(1), dueAt: try row.date(2), holder: try row.textIfAny(3),
            bytes: try row.bytes(4), revision: try row.integer(5))
    }

    func task(_ key: [UInt8], in queue: String) throws -> LedgerTask? {
        try all(Self.tasks, "WHERE queue = ? AND key = ?", queue, key).first
    }

    func tasks(in queue: String, after key: [UInt8], atMost limit: Int) throws -> [LedgerTask] {
        try all(Self.tasks, "WHERE queue = ? AND key > ? ORDER BY key LIMIT ?", queue, key, Int64(limit))
    }

    /// Stores a task over its revision. Returns whether the stored revision was that one.
    func put(_ task: LedgerTask) throws -> Bool {
        if task.revision == 0 {
            return try run(Self.insertTask, task.queue, task.key, task.dueAt, task.bytes) == 1
        }
        return try run(Self.replaceTask, task.dueAt, task.bytes, task.queue, task.key, task.revision) == 1
    }

    func removeTask(_ key: [UInt8], in queue: String, replacing revision: Int64) throws -> Bool {
        try run(Self.deleteTask, queue, key, revision) == 1
    }

    func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) throws -> [LedgerTask] {
        try all(Self.tasks, "WHERE queue = ? AND dueAt <= ? ORDER BY dueAt LIMIT ?", queue, now, Int64(limit)).map {
            try lease($0, to: holder, until: end)
        }
    }

    func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) throws -> LedgerTask? {
        guard let task = try task(key, in: queue), !task.isLeased(at: now) else { return nil }
        return try lease(task, to: holder, until: end)
    }

    private func lease(_ task: LedgerTask, to holder: String, until end: Date) throws -> LedgerTask {
        try change(Self.leaseTask, end, holder, task.queue, task.key)
        return LedgerTask(
            queue: task.queue, key: task.key, dueAt: Date(microseconds: end.microseconds), holder: holder,
            bytes: task.bytes, revision: task.revision + 1)
    }
}
