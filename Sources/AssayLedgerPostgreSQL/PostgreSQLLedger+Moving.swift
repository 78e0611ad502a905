package import AssayCore
import FoundationEssentials

extension PostgreSQLLedger: MovableLedger {
    /// Opens a ledger as the owner of its tables, to migrate it. It may be marked as moved or as an unfinished copy.
    package static func openToMove(_ url: String) async throws -> PostgreSQLLedger {
        let ledger = PostgreSQLLedger(try target(url), purging: .never, demand: .primary)
        let target = ledger.target
        do {
            try await ledger.office.run { holder in
                try LedgerVersion.require(try holder.current(), target, by: holder.deadline, isMoving: true)
            }
        } catch {
            try await ledger.close()
            throw error
        }
        return ledger
    }

    package func mark() async throws(LedgerOutage) -> LedgerMark? {
        let step = Step(statements.findMark)
        return try await office.run { holder in try holder.run([step])[0].bytes(0, 0).map { LedgerMark($0) } }
    }

    package func changeMark(from old: LedgerMark?, to new: LedgerMark?) async throws(LedgerOutage) -> Bool {
        let change = Step(
            """
            UPDATE \(statements.schema).ledger SET moved_to = $2
            WHERE one = 1 AND moved_to IS NOT DISTINCT FROM $1 RETURNING one
            """, old?.text, new?.text)
        let fence = fence
        return try await office.run { holder in
            guard try holder.transact([change])[0].count == 1 else { return false }
            if new != nil { _ = try holder.transact(fence) }
            return true
        }
    }

    /// Statements that wait for the batches, changes by operators and purges under way: each of these holds one of the rows. Later ones
    /// take the rows after this transaction, and then read the mark.
    private var fence: [Step] {
        let schema = statements.schema
        return [
            Step("UPDATE \(schema).writer SET epoch = epoch + 1"),
            Step("UPDATE \(schema).audit_head SET number = number WHERE one = 1"),
            Step("UPDATE \(schema).purge SET digests_until = digests_until WHERE one = 1"),
        ]
    }

    /// Marks the ledger as moved, and raises the epoch of all writers. A writer then has to register again, and finds the mark.
    package func beginMove(to place: String) async throws(LedgerOutage) -> LedgerMark? {
        let schema = statements.schema
        let find = Step("SELECT moved_to FROM \(schema).ledger WHERE one = 1 FOR UPDATE")
        let mark = Step("UPDATE \(schema).ledger SET moved_to = coalesce(moved_to, $1) WHERE one = 1", place)
        let fence = fence
        return try await office.run { holder in
            let before = try holder.transact([find, mark])[0].bytes(0, 0)
            _ = try holder.transact(fence)
            return before.map { LedgerMark($0) }
        }
    }

    package func cancelMove() async throws(LedgerOutage) {
        let step = Step("UPDATE \(statements.schema).ledger SET moved_to = NULL WHERE one = 1")
        try await office.run { holder in _ = try holder.transact([step]) }
    }

    package func records(_ body: ([LedgerRecord]) async throws -> Void) async throws {
        try await LedgerSnapshot.reading(target, demand: .primary) { snapshot in try await snapshot.records(body) }
    }

    package func insert(_ records: [LedgerRecord]) async throws(LedgerOutage) {
        let statements = statements
        try await office.run { holder in
            let steps = try RecordInsertion(statements: statements).steps(records)
            _ = try holder.transact(steps)
        }
    }
}

extension LedgerSnapshot {
    /// Passes the records of all tables to `body`, in pages.
    nonisolated(nonsending) func records(_ body: ([LedgerRecord]) async throws -> Void) async throws {
        nonisolated(nonsending) func read<Value>(
            _ table: LedgerTable<Value>, _ record: (Value) -> LedgerRecord
        ) async throws {
            try await pages(of: table) { page in try await body(page.map { record(try $0.get()) }) }
        }
        try await read(LedgerTables.challenges) { .challenge($0.challenge, consumedAt: $0.consumedAt) }
        try await read(LedgerTables.keys) { .key($0) }
        try await read(LedgerTables.digests) { .digest($0) }
        try await body(try await marks())
        try await read(LedgerTables.standings) { .standing($0) }
        try await read(LedgerTables.operators) { .operator($0.operator, tokenHash: $0.tokenHash) }
        try await read(LedgerTables.sealedKeys) { .sealedKey($0) }
        try await read(LedgerTables.documents) { .document($0.document, named: $0.name) }
        try await read(LedgerTables.tasks) { .task($0) }
        try await read(LedgerTables.audit) { .audit($0) }
    }
}

/// The statements that store records. Rows that exist, such as those of an interrupted copy, stay as they are.
struct RecordInsertion {
    let statements: LedgerStatements

    private func ignoring(_ step: Step) -> Step {
        Step(Statement("\(step.statement.text) ON CONFLICT DO NOTHING"), step.parameters)
    }

    func steps(_ records: [LedgerRecord]) throws -> [Step] {
        let tables = AdministrationStatements(schema: statements.schema)
        var challenges: [(key: RowKey, challenge: IssuedChallenge, consumedAt: Date?)] = []
        var keys: [RowKey: EnrolledKey] = [:]
        var digests: [RowKey: UsedDigest] = [:]
        var steps: [Step] = []
        for record in records {
            switch record {
            case .challenge(let challenge, let consumedAt):
                challenges.append((RowKey(challenge.value), challenge, consumedAt))
            case .key(let key): keys[RowKey(key.identifier)] = key
            case .digest(let use): digests[RowKey(use.digest)] = use
            case .forgotten(let app, let kind, let madeAt): steps.append(mark(app, kind, madeAt))
            case .standing(let standing): steps.append(ignoring(tables.insert(standing)))
            case .operator(let stored, let tokenHash):
                steps.append(ignoring(tables.insert(stored, tokenHash: tokenHash)))
            case .sealedKey(let key): steps.append(ignoring(tables.insert(key)))
            case .document(let document, let name): steps.append(insert(document, named: name))
            case .task(let task): steps.append(PostgreSQLLedger.insert(task, statements.schema))
            case .audit(let entry): steps += append(entry)
            }
        }
        if !challenges.isEmpty { steps.append(ignoring(BatchRows.insert(challenges, statements))) }
        if !keys.isEmpty { steps.append(ignoring(try BatchRows.insert(keys, statements))) }
        if !digests.isEmpty { steps.append(ignoring(BatchRows.insert(digests, statements))) }
        return steps
    }

    private func mark(_ app: String, _ kind: String, _ madeAt: Int64) -> Step {
        Step(
            """
            INSERT INTO \(statements.schema).forgotten_use (app, kind, made_at) VALUES ($1, $2, $3)
            ON CONFLICT (sha256(app), sha256(kind)) DO NOTHING
            """, app, kind, madeAt)
    }

    private func insert(_ document: LedgerDocument, named name: String) -> Step {
        Step(
            """
            INSERT INTO \(statements.schema).document (name, content, revision, stored_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """, name, document.bytes, document.revision, document.storedAt)
    }

    private func append(_ entry: LedgerAuditEntry) -> [Step] {
        [
            ignoring(AdministrationStatements.append(entry, statements.appendAudit)),
            Step(
                "UPDATE \(statements.schema).audit_head SET number = $1, hash = $2 WHERE one = 1 AND number < $1",
                Int64(entry.number), entry.hash),
        ]
    }
}
