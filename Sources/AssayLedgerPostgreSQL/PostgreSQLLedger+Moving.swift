package import AssayCore
import FoundationEssentials

extension PostgreSQLLedger: MovableLedger {
    /// Opens a ledger as the owner of its tables, to migrate it. It may be marked as moved or as an unfinished copy.
    package static func openToMove(_ url: String) async throws -> PostgreSQLLedger {
        let ledger = PostgreSQLLedger(try ConnectionTarget(url), purging: .never, demand: .primary)
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
            """
        ) {
            $0.add(text: old?.text)
            $0.add(text: new?.text)
        }
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
            Step(Statement("UPDATE \(schema).writer SET epoch = epoch + 1")),
            Step(Statement("UPDATE \(schema).audit_head SET number = number WHERE one = 1")),
            Step(Statement("UPDATE \(schema).purge SET digests_until = digests_until WHERE one = 1")),
        ]
    }

    /// Marks the ledger as moved, and raises the epoch of all writers. A writer then has to register again, and finds the mark.
    package func beginMove(to place: String) async throws(LedgerOutage) -> LedgerMark? {
        let schema = statements.schema
        let find = Step(Statement("SELECT moved_to FROM \(schema).ledger WHERE one = 1 FOR UPDATE"))
        let mark = Step("UPDATE \(schema).ledger SET moved_to = coalesce(moved_to, $1) WHERE one = 1") {
            $0.add(text: place)
        }
        let fence = fence
        return try await office.run { holder in
            let before = try holder.transact([find, mark])[0].bytes(0, 0)
            _ = try holder.transact(fence)
            return before.map { LedgerMark($0) }
        }
    }

    package func cancelMove() async throws(LedgerOutage) {
        let step = Step(Statement("UPDATE \(statements.schema).ledger SET moved_to = NULL WHERE one = 1"))
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
        try await pages(.challenges, body) { (row) throws(StoredValueError) in
            let stored = try row.challenge()
            return .challenge(stored.challenge, consumedAt: stored.consumedAt)
        }
        try await pages(.keys, body) { (row) throws(StoredValueError) in .key(try row.key()) }
        try await pages(.digests, body) { (row) throws(StoredValueError) in .digest(try row.digest()) }
        try await body(try await marks())
        try await pages(.standings, body) { (row) throws(StoredValueError) in .standing(try row.standing()) }
        try await pages(.operators, body) { (row) throws(StoredValueError) in
            let stored = try row.storedOperator()
            return .operator(stored.operator, tokenHash: stored.tokenHash)
        }
        try await pages(.sealedKeys, body) { (row) throws(StoredValueError) in .sealedKey(try row.sealedKey()) }
        try await pages(.documents, body) { (row) throws(StoredValueError) in
            let stored = try row.document()
            return .document(stored.document, named: stored.name)
        }
        try await pages(.tasks, body) { (row) throws(StoredValueError) in .task(try row.task()) }
        try await pages(.audit, body) { (row) throws(StoredValueError) in .audit(try row.auditEntry()) }
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
            """
        ) {
            $0.add(text: app)
            $0.add(text: kind)
            $0.add(madeAt)
        }
    }

    private func insert(_ document: LedgerDocument, named name: String) -> Step {
        Step(
            """
            INSERT INTO \(statements.schema).document (name, content, revision, stored_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """
        ) {
            $0.add(text: name)
            $0.add(document.bytes)
            $0.add(document.revision)
            $0.add(document.storedAt.microseconds)
        }
    }

    private func append(_ entry: LedgerAuditEntry) -> [Step] {
        [
            ignoring(AdministrationStatements.append(entry, statements.appendAudit)),
            Step("UPDATE \(statements.schema).audit_head SET number = $1, hash = $2 WHERE one = 1 AND number < $1") {
                $0.add(Int64(entry.number))
                $0.add(entry.hash)
            },
        ]
    }
}
