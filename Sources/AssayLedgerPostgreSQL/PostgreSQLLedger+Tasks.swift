public import AssayCore
public import FoundationEssentials

extension PostgreSQLLedger {
    private static let columns = LedgerSnapshot.Section.tasks.columns

    /// The task of a key.
    public func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? {
        var parameters = Parameters()
        parameters.add(RowKey(task: key, in: queue).bytes)
        let query = Statement("SELECT \(Self.columns) FROM \(statements.schema).task WHERE id = $1")
        return try await find(Step(query, parameters)) { rows in
            try rows.first("task") { (row) throws(StoredValueError) in try row.task() }
        }
    }

    /// Tasks of a queue in the order of their keys.
    public func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] {
        var parameters = Parameters()
        parameters.add(text: queue)
        parameters.add(key ?? [])
        parameters.add(Int64(max(0, limit)))
        let query = Statement(
            """
            SELECT \(Self.columns) FROM \(statements.schema).task WHERE queue = $1 AND key > $2 ORDER BY key LIMIT $3
            """)
        return try await find(Step(query, parameters)) { rows in
            try rows.map("task") { (row) throws(StoredValueError) in try row.task() }
        }
    }

    /// Stores a task if the stored revision is the expected one.
    public func putTask(
        _ key: [UInt8], in queue: String, dueAt: Date, bytes: [UInt8], replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(task: key, in: queue, bytes)
        guard (0..<Int64.max).contains(revision) else { return false }
        let task = LedgerTask(queue: queue, key: key, dueAt: dueAt, holder: nil, bytes: bytes, revision: revision + 1)
        if revision == 0 {
            let step = Self.insert(task, statements.schema)
            return try await change { change in try change.run(step).count == 1 }
        }
        var parameters = Parameters()
        parameters.add(RowKey(task: key, in: queue).bytes)
        parameters.add(dueAt.microseconds)
        parameters.add(bytes)
        parameters.add(revision)
        let step = Step(
            Statement(
                """
                UPDATE \(statements.schema).task SET due_at = $2, holder = NULL, content = $3, revision = revision + 1
                WHERE id = $1 AND revision = $4 RETURNING revision
                """), parameters)
        return try await change { change in try change.run(step).count == 1 }
    }

    /// Stores a task unless there is one of its key.
    static func insert(_ task: LedgerTask, _ schema: String) -> Step {
        var parameters = Parameters()
        parameters.add(RowKey(task: task.key, in: task.queue).bytes)
        parameters.add(text: task.queue)
        parameters.add(task.key)
        parameters.add(task.dueAt.microseconds)
        parameters.add(text: task.holder)
        parameters.add(task.bytes)
        parameters.add(task.revision)
        return Step(
            Statement(
                """
                INSERT INTO \(schema).task (id, queue, key, due_at, holder, content, revision)
                VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING revision
                """), parameters)
    }

    /// Removes a task if the stored revision is the expected one.
    public func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        var parameters = Parameters()
        parameters.add(RowKey(task: key, in: queue).bytes)
        parameters.add(revision)
        let step = Step(
            Statement("DELETE FROM \(statements.schema).task WHERE id = $1 AND revision = $2 RETURNING revision"),
            parameters)
        return try await change { change in try change.run(step).count == 1 }
    }

    /// Leases tasks that are due. Changes happen one after the other, so that no two callers lease a task.
    public func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] {
        var parameters = Parameters()
        parameters.add(text: queue)
        parameters.add(now.microseconds)
        parameters.add(Int64(max(0, limit)))
        parameters.add(end.microseconds)
        parameters.add(text: holder)
        let step = Step(
            Statement(
                """
                WITH due AS (
                    SELECT id FROM \(statements.schema).task WHERE queue = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3)
                UPDATE \(statements.schema).task AS task SET due_at = $4, holder = $5, revision = revision + 1
                FROM due WHERE task.id = due.id
                RETURNING task.id, task.queue, task.key, task.due_at, task.holder, task.content, task.revision
                """), parameters)
        return try await change { change in
            try change.run(step).map("task") { (row) throws(StoredValueError) in try row.task() }
        }
    }

    /// Leases the task of a key, unless its lease has not ended.
    public func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        var parameters = Parameters()
        parameters.add(RowKey(task: key, in: queue).bytes)
        parameters.add(end.microseconds)
        parameters.add(text: holder)
        parameters.add(now.microseconds)
        let step = Step(
            Statement(
                """
                UPDATE \(statements.schema).task SET due_at = $2, holder = $3, revision = revision + 1
                WHERE id = $1 AND (holder IS NULL OR due_at <= $4) RETURNING \(Self.columns)
                """), parameters)
        return try await change { change in
            try change.run(step).first("task") { (row) throws(StoredValueError) in try row.task() }
        }
    }
}
