import AssayCore
import AssayPrimitives
import FoundationEssentials

/// A change by an operator: a transaction of several round trips on one connection. It locks the end of the audit trail first, so
/// that all servers make such changes one after the other.
struct ManualChange {
    /// The most attempts after conflicts with batches.
    private static let raceLimit = 10

    let tables: AdministrationStatements
    private let holder: ConnectionHolder
    private let statements: LedgerStatements
    private var schema: String { statements.schema }
    /// The last entry of the audit trail.
    private let end: (number: Int64, hash: [UInt8])

    /// Runs `body` in a transaction and makes it durable.
    ///
    /// - Throws: ``LedgerOutage`` with `OutageCode.undetermined` if the answer of COMMIT was lost: the change may have been
    ///   made, and repeating it is safe.
    static func run<Value>(
        _ holder: ConnectionHolder, _ statements: LedgerStatements, place: String,
        _ body: (inout ManualChange) throws -> Value
    ) throws -> Value {
        var races = 0
        while true {
            do {
                return try attempt(holder, statements, place, body)
            } catch let failure as DatabaseFailure where failure.isRace && races < raceLimit {
                races += 1
            }
        }
    }

    private static func attempt<Value>(
        _ holder: ConnectionHolder, _ statements: LedgerStatements, _ place: String,
        _ body: (inout ManualChange) throws -> Value
    ) throws -> Value {
        let opening = try open(holder, statements)
        do { try holder.target.watch.require(opening[opening.count - 1], at: place) } catch {
            holder.drop()
            throw error
        }
        let end = opening[opening.count - 2]
        guard let number = end.integer(0, 0), let hash = end.bytes(0, 1) else {
            holder.drop()
            throw StoredValueError(table: "audit_head", column: "no end of the trail")
        }
        var change = ManualChange(
            tables: AdministrationStatements(schema: statements.schema), holder: holder, statements: statements,
            end: (number, hash))
        let value: Value
        do { value = try body(&change) } catch {
            if holder.isOpen { holder.recover(from: error) }
            throw error
        }
        try commit(holder, place)
        return value
    }

    /// Begins the transaction. An idle connection that the server has closed meanwhile is opened again.
    private static func open(_ holder: ConnectionHolder, _ statements: LedgerStatements) throws -> [StatementRows] {
        let wasOpen = holder.isOpen
        func begin() throws -> [StatementRows] {
            let settings = holder.transactionSettings(try holder.current())
            // The ledger's mark is read after the lock is taken: a migration stores the mark before it takes the lock.
            let watch = holder.target.watch.step(schema: statements.schema)
            return try holder.run(
                [Step(LedgerStatements.begin)] + settings + [Step(statements.lockAudit), watch])
        }
        do { return try begin() } catch let failure as DatabaseFailure where wasOpen && failure.extent == .connection {
            return try begin()
        }
    }

    private static func commit(_ holder: ConnectionHolder, _ place: String) throws {
        let connection = try holder.current()
        _ = connection.takeWarning()
        do {
            let rows = try holder.run([Step(LedgerStatements.commit)])
            guard rows.last?.command == "COMMIT" else {
                throw LedgerOutage(.internalError, "\(place) has rolled back a change without an error")
            }
        } catch let failure as DatabaseFailure where failure.extent == .connection {
            throw LedgerOutage(
                .undetermined,
                "the answer to a change of \(place) was lost: \(failure.message); see whether it was made, and repeat it if not"
            )
        }
        if let warning = connection.takeWarning() {
            throw LedgerOutage(
                .undetermined,
                "\(place) has made the change, but warns (SQLSTATE \(warning)): the wait for its standby was cancelled")
        }
    }

    /// Executes a statement of the transaction.
    func run(_ step: Step) throws -> StatementRows { try holder.run([step])[0] }

    /// Stores the end of a quarantine, and removes the open challenges.
    mutating func quarantine(until end: Date, by operatorName: String?, at now: Date) throws {
        let store = Step(
            """
            INSERT INTO \(schema).forgotten_use (app, kind, made_at) VALUES (''::bytea, $1, $2)
            ON CONFLICT (sha256(app), sha256(kind)) DO UPDATE SET made_at = excluded.made_at
            """, LedgerRecord.quarantine, end)
        _ = try run(store)
        _ = try run(Step("DELETE FROM \(schema).challenge WHERE consumed_at IS NULL"))
        try append(LedgerChange(quarantineUntil: end, by: operatorName, at: now))
    }

    /// The hash that a change gets as the next entry of the audit trail.
    func hash(ofNext change: LedgerChange) -> [UInt8] {
        LedgerAuditEntry(appending: change, to: Int(end.number), end.hash).hash
    }
}

extension ManualChange: AdministrationRows {
    typealias Failure = any Error

    func standing(of subject: LedgerSubject) throws -> LedgerStanding? {
        try run(Step(LedgerTables.standings.query(schema, "WHERE id = $1"), RowKey(subject).bytes))
            .first(LedgerTables.standings)
    }

    func set(_ standing: LedgerStanding) throws { _ = try run(tables.put(standing)) }

    func deleteStanding(of subject: LedgerSubject) throws {
        _ = try run(Step("DELETE FROM \(schema).standing WHERE id = $1", RowKey(subject).bytes))
    }

    func key(_ identifier: KeyIdentifier) throws -> EnrolledKey? {
        try run(Step(LedgerTables.keys.query(schema, "WHERE id = $1 FOR UPDATE"), RowKey(identifier).bytes))
            .first(LedgerTables.keys)
    }

    func setAccount(_ account: String?, of key: KeyIdentifier) throws {
        _ = try run(Step("UPDATE \(schema).enrolled_key SET account = $2 WHERE id = $1", RowKey(key).bytes, account))
    }

    func operators(named name: String?) throws -> [LedgerOperator] {
        let table = LedgerTables.operators
        let step = name.map { Step(table.query(schema, "WHERE sha256(name) = sha256($1) AND name = $1"), $0) }
        return try run(step ?? Step(table.query(schema))).all(table).map(\.operator)
    }

    func hasOperator(tokenHash: [UInt8]) throws -> Bool {
        try run(Step("SELECT name FROM \(schema).operator WHERE token_hash = $1", tokenHash)).count > 0
    }

    func insert(_ new: LedgerOperator, tokenHash: [UInt8]) throws {
        _ = try run(tables.insert(new, tokenHash: tokenHash))
    }

    func revokeOperators(named name: String, by operatorName: String?, at now: Date) throws {
        let step = Step(
            """
            UPDATE \(schema).operator SET revoked_at = $2, revoked_by = $3
            WHERE sha256(name) = sha256($1) AND name = $1 AND revoked_at IS NULL
            """, name, now, operatorName)
        _ = try run(step)
    }

    func append(_ changes: [LedgerChange]) throws {
        var (number, hash) = (Int(end.number), end.hash)
        var steps: [Step] = []
        for change in changes {
            let entry = LedgerAuditEntry(appending: change, to: number, hash)
            steps.append(AdministrationStatements.append(entry, statements.appendAudit))
            (number, hash) = (entry.number, entry.hash)
        }
        guard !steps.isEmpty else { return }
        _ = try holder.run(steps + [Step(statements.moveAuditHead, Int64(number), hash)])
    }
}
