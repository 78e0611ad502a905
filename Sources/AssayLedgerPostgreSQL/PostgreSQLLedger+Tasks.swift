public import AssayCore
public import FoundationEssentials

extension PostgreSQLLedger {
    /// The document of a name.
    public func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        var parameters = Parameters()
        parameters.add(text: name)
        return try await find(Step(statements.findDocument, parameters)) { rows in
            try rows.first("document") { (row) throws(StoredValueError) in
                LedgerDocument(bytes: try row.bytes(0), revision: try row.integer(1), storedAt: try row.date(2))
            }
        }
    }

    /// Stores a document if the stored revision is the expected one.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await store(bytes, named: name, replacing: revision, recording: [], at: now)
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
        var parameters = Parameters()
        parameters.add(text: name)
        parameters.add(bytes)
        parameters.add(now.microseconds)
        if revision == 0 {
            return Step(
                Statement(
                    """
                    INSERT INTO \(schema).document (name, content, revision, stored_at) VALUES ($1, $2, 1, $3)
                    ON CONFLICT (name) DO NOTHING RETURNING revision
                    """), parameters)
        }
        parameters.add(revision)
        return Step(
            Statement(
                """
                UPDATE \(schema).document SET content = $2, revision = revision + 1, stored_at = $3
                WHERE name = $1 AND revision = $4 RETURNING revision
                """), parameters)
    }
}

extension PostgreSQLLedger {
    private static let columns = LedgerSnapshot.Section.tasks.columns

    /// The task of a key.
    public func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? {
        let query = Step("SELECT \(Self.columns) FROM \(statements.schema).task WHERE id = $1") {
            $0.add(RowKey(task: key, in: queue).bytes)
        }
        return try await find(query) { rows in
            try rows.first("task") { (row) throws(StoredValueError) in try row.task() }
        }
    }

    /// Tasks of a queue in the order of their keys.
    public func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] {
        let query = Step(
            """
            SELECT \(Self.columns) FROM \(statements.schema).task WHERE queue = $1 AND key > $2 ORDER BY key LIMIT $3
            """
        ) {
            $0.add(text: queue)
            $0.add(key ?? [])
            $0.add(Int64(max(0, limit)))
        }
        return try await find(query) { rows in
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
        let step = Step(
            """
            UPDATE \(statements.schema).task SET due_at = $2, holder = NULL, content = $3, revision = revision + 1
            WHERE id = $1 AND revision = $4 RETURNING revision
            """
        ) {
            $0.add(RowKey(task: key, in: queue).bytes)
            $0.add(dueAt.microseconds)
            $0.add(bytes)
            $0.add(revision)
        }
        return try await change { change in try change.run(step).count == 1 }
    }

    /// Stores a task unless there is one of its key.
    static func insert(_ task: LedgerTask, _ schema: String) -> Step {
        Step(
            """
            INSERT INTO \(schema).task (id, queue, key, due_at, holder, content, revision)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING revision
            """
        ) {
            $0.add(RowKey(task: task.key, in: task.queue).bytes)
            $0.add(text: task.queue)
            $0.add(task.key)
            $0.add(task.dueAt.microseconds)
            $0.add(text: task.holder)
            $0.add(task.bytes)
            $0.add(task.revision)
        }
    }

    /// Removes a task if the stored revision is the expected one.
    public func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        let step = Step("DELETE FROM \(statements.schema).task WHERE id = $1 AND revision = $2 RETURNING revision") {
            $0.add(RowKey(task: key, in: queue).bytes)
            $0.add(revision)
        }
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
            """
        ) {
            $0.add(text: queue)
            $0.add(now.microseconds)
            $0.add(Int64(max(0, limit)))
            $0.add(end.microseconds)
            $0.add(text: holder)
        }
        return try await change { change in
            try change.run(step).map("task") { (row) throws(StoredValueError) in try row.task() }
        }
    }

    /// Leases the task of a key, unless its lease has not ended.
    public func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        let step = Step(
            """
            UPDATE \(statements.schema).task SET due_at = $2, holder = $3, revision = revision + 1
            WHERE id = $1 AND (holder IS NULL OR due_at <= $4) RETURNING \(Self.columns)
            """
        ) {
            $0.add(RowKey(task: key, in: queue).bytes)
            $0.add(end.microseconds)
            $0.add(text: holder)
            $0.add(now.microseconds)
        }
        return try await change { change in
            try change.run(step).first("task") { (row) throws(StoredValueError) in try row.task() }
        }
    }
}
