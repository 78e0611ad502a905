public import AssayCore
public import FoundationEssentials

extension PostgreSQLLedger {
    /// The document of a name.
    public func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        try await find(first: LedgerTables.documents, Step(statements.findDocument, name))?.document
    }

    /// Stores a document if the stored revision is the expected one, with entries of the audit trail.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, recording changes: [LedgerChange], at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(bytes, named: name)
        guard (0..<Int64.max).contains(revision) else { return false }
        let step = Self.store(bytes, named: name, replacing: revision, at: now, statements.schema)
        return try await change { change in
            guard try change.run(step).count == 1 else { return false }
            try change.append(changes)
            return true
        }
    }

    private static func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date, _ schema: String
    ) -> Step {
        if revision == 0 {
            return Step(
                """
                INSERT INTO \(schema).document (name, content, revision, stored_at) VALUES ($1, $2, 1, $3)
                ON CONFLICT (name) DO NOTHING RETURNING revision
                """, name, bytes, now)
        }
        return Step(
            """
            UPDATE \(schema).document SET content = $2, revision = revision + 1, stored_at = $3
            WHERE name = $1 AND revision = $4 RETURNING revision
            """, name, bytes, now, revision)
    }
}

extension PostgreSQLLedger {
    /// The task of a key.
    public func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? {
        let query = LedgerTables.tasks.query(statements.schema, "WHERE id = $1")
        return try await find(first: LedgerTables.tasks, Step(query, RowKey(task: key, in: queue).bytes))
    }

    /// Tasks of a queue in the order of their keys.
    public func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] {
        let query = LedgerTables.tasks.query(statements.schema, "WHERE queue = $1 AND key > $2 ORDER BY key LIMIT $3")
        return try await find(all: LedgerTables.tasks, Step(query, queue, key ?? [], Int64(max(0, limit))))
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
        let step = Step(
            """
            UPDATE \(statements.schema).task SET due_at = $2, holder = NULL, content = $3, revision = revision + 1
            WHERE id = $1 AND revision = $4 RETURNING revision
            """, RowKey(task: key, in: queue).bytes, dueAt, bytes, revision)
        return try await change { change in try change.run(step).count == 1 }
    }

    /// Stores a task unless there is one of its key.
    static func insert(_ task: LedgerTask, _ schema: String) -> Step {
        Step(
            """
            INSERT INTO \(schema).task (id, queue, key, due_at, holder, content, revision)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING revision
            """, RowKey(task: task.key, in: task.queue).bytes, task.queue, task.key, task.dueAt, task.holder,
            task.bytes,
            task.revision)
    }

    /// Removes a task if the stored revision is the expected one.
    public func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        let step = Step(
            "DELETE FROM \(statements.schema).task WHERE id = $1 AND revision = $2 RETURNING revision",
            RowKey(task: key, in: queue).bytes, revision)
        return try await change { change in try change.run(step).count == 1 }
    }

    /// Leases tasks that are due. Changes happen one after the other, so that no two callers lease a task.
    public func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] {
        let step = Step(
            """
            WITH due AS (
                SELECT id FROM \(statements.schema).task WHERE queue = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3)
            UPDATE \(statements.schema).task AS task SET due_at = $4, holder = $5, revision = revision + 1
            FROM due WHERE task.id = due.id
            RETURNING task.id, task.queue, task.key, task.due_at, task.holder, task.content, task.revision
            """, queue, now, Int64(max(0, limit)), end, holder)
        return try await change { change in try change.run(step).all(LedgerTables.tasks) }
    }

    /// Leases the task of a key, unless its lease has not ended.
    public func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        let step = Step(
            """
            UPDATE \(statements.schema).task SET due_at = $2, holder = $3, revision = revision + 1
            WHERE id = $1 AND (holder IS NULL OR due_at <= $4) RETURNING \(LedgerTables.tasks.columns)
            """, RowKey(task: key, in: queue).bytes, end, holder, now)
        return try await change { change in try change.run(step).first(LedgerTables.tasks) }
    }
}
