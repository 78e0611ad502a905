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
        return try await change(.putTask(task), at: now)
    }

    /// Removes a task if the stored revision is the expected one.
    public func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await change(.removeTask(key, in: queue, replacing: revision), at: now)
    }

    private func change(_ write: LedgerWrite, at now: Date) async throws(LedgerOutage) -> Bool {
        guard case .changed(let isChanged) = try await writer.submit(write, at: now) else {
            throw LedgerOutage(.internalError, "a change of a task in \(path) gave no answer")
        }
        return isChanged
    }

    /// Leases tasks that are due.
    public func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] {
        let write = LedgerWrite.leaseTasks(in: queue, to: holder, until: end, atMost: max(0, limit))
        guard case .leased(let tasks) = try await writer.submit(write, at: now) else {
            throw LedgerOutage(.internalError, "leasing tasks of \(path) gave no answer")
        }
        return tasks
    }

    /// Leases the task of a key, unless its lease has not ended.
    public func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        guard
            case .leased(let tasks) = try await writer.submit(
                .leaseTask(key, in: queue, to: holder, until: end), at: now)
        else { throw LedgerOutage(.internalError, "leasing a task of \(path) gave no answer") }
        return tasks.first
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
    static let taskColumns = "queue, key, dueAt, holder, bytes, revision FROM task"

    private static let findTask = LedgerSQL("SELECT \(taskColumns) WHERE queue = ? AND key = ?")
    private static let findTasks = LedgerSQL("SELECT \(taskColumns) WHERE queue = ? AND key > ? ORDER BY key LIMIT ?")
    private static let findDueTasks = LedgerSQL(
        "SELECT \(taskColumns) WHERE queue = ? AND dueAt <= ? ORDER BY dueAt LIMIT ?")
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

    static func task(_ cells: StoredCells) throws -> LedgerTask {
        let row = StoredRow(cells, "task")
        return LedgerTask(
            queue: try row.text(0), key: try row.bytes(1), dueAt: try row.date(2), holder: try row.textIfAny(3),
            bytes: try row.bytes(4), revision: try row.integer(5))
    }

    func task(_ key: [UInt8], in queue: String) throws -> LedgerTask? {
        try first(Self.findTask) {
            $0.text(queue)
            $0.blob(key)
        } reading: {
            try Self.task($0)
        }
    }

    func tasks(in queue: String, after key: [UInt8], atMost limit: Int) throws -> [LedgerTask] {
        try all(Self.findTasks) {
            $0.text(queue)
            $0.blob(key)
            $0.integer(Int64(limit))
        }
    }

    private func all(_ sql: LedgerSQL, _ bind: (inout StoredBinding) -> Void) throws -> [LedgerTask] {
        var tasks: [LedgerTask] = []
        try statement(sql).each(bind) { tasks.append(try Self.task($0)) }
        return tasks
    }

    /// Stores a task over its revision. Returns whether the stored revision was that one.
    func put(_ task: LedgerTask) throws -> Bool {
        if task.revision == 0 {
            return try run(Self.insertTask) {
                $0.text(task.queue)
                $0.blob(task.key)
                $0.integer(task.dueAt.microseconds)
                $0.blob(task.bytes)
            } == 1
        }
        return try run(Self.replaceTask) {
            $0.integer(task.dueAt.microseconds)
            $0.blob(task.bytes)
            $0.text(task.queue)
            $0.blob(task.key)
            $0.integer(task.revision)
        } == 1
    }

    func removeTask(_ key: [UInt8], in queue: String, replacing revision: Int64) throws -> Bool {
        try run(Self.deleteTask) {
            $0.text(queue)
            $0.blob(key)
            $0.integer(revision)
        } == 1
    }

    func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) throws -> [LedgerTask] {
        let due = try all(Self.findDueTasks) {
            $0.text(queue)
            $0.integer(now.microseconds)
            $0.integer(Int64(limit))
        }
        return try due.map { try lease($0, to: holder, until: end) }
    }

    func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) throws -> LedgerTask? {
        guard let task = try task(key, in: queue), !task.isLeased(at: now) else { return nil }
        return try lease(task, to: holder, until: end)
    }

    private func lease(_ task: LedgerTask, to holder: String, until end: Date) throws -> LedgerTask {
        try change(Self.leaseTask) {
            $0.integer(end.microseconds)
            $0.text(holder)
            $0.text(task.queue)
            $0.blob(task.key)
        }
        return LedgerTask(
            queue: task.queue, key: task.key, dueAt: Date(microseconds: end.microseconds), holder: holder,
            bytes: task.bytes, revision: task.revision + 1)
    }
}
