import AssayCore
import FoundationEssentials

/// A consistent view of all tables, on a connection of its own.
final class LedgerSnapshot: Sendable {
    private let target: ConnectionTarget
    private let schema: String
    private let threads = LedgerThreads()
    private let office: AdministrationThread

    /// Begins the snapshot.
    init(_ target: ConnectionTarget, demand: ConnectionHolder.Demand = .ledger) async throws(LedgerOutage) {
        self.target = target
        schema = "\"\(target.schema)\""
        office = AdministrationThread(target, demand: demand, threads: threads)
        try await office.run { holder in
            _ = try holder.current()
            // A reader may pause between pages. This query also fixes the snapshot: BEGIN does not.
            let noTimeout = Statement("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
            _ = try holder.run([Step(LedgerStatements.beginSnapshot), Step(noTimeout)])
        }
    }

    deinit { office.close() }

    /// Passes a snapshot to `body`, and closes it.
    nonisolated(nonsending) static func reading<Result>(
        _ target: ConnectionTarget, demand: ConnectionHolder.Demand = .ledger,
        _ body: (LedgerSnapshot) async throws -> Result
    ) async throws -> Result {
        let snapshot = try await LedgerSnapshot(target, demand: demand)
        do {
            let result = try await body(snapshot)
            await snapshot.close()
            return result
        } catch {
            await snapshot.close()
            throw error
        }
    }

    /// Ends the snapshot, and closes its connection.
    private func close() async {
        office.close()
        await threads.join()
    }

    /// Passes the values of a table to `body`.
    func each<Value>(_ table: LedgerTable<Value>, _ body: (Value) throws -> Void) async throws {
        try await eachResult(table) { try body($0.get()) }
    }

    /// Passes the values of a table to `body`, or what is wrong with a row.
    func eachResult<Value>(
        _ table: LedgerTable<Value>, _ body: (Result<Value, LedgerOutage>) throws -> Void
    ) async throws {
        try await pages(of: table) { for value in $0 { try body(value) } }
    }

    /// Passes pages of values to `body`.
    nonisolated(nonsending) func pages<Value>(
        of table: LedgerTable<Value>, _ body: ([Result<Value, LedgerOutage>]) async throws -> Void
    ) async throws {
        var last: Position?
        repeat {
            let page = try await page(table, after: last)
            if !page.values.isEmpty { try await body(page.values) }
            last = page.last
        } while last != nil
    }

    /// The number and the hash of the last entry of the audit trail; nil if that row is missing.
    func auditEnd() async throws(LedgerOutage) -> (number: Int64, hash: [UInt8])? {
        let query = Statement("SELECT number, hash FROM \(schema).audit_head WHERE one = 1")
        return try await office.run { holder in
            let rows = try holder.run([Step(query)])[0]
            guard let number = rows.integer(0, 0), let hash = rows.bytes(0, 1) else { return nil }
            return (number, hash)
        }
    }

    /// The marks of purged digests.
    func marks() async throws(LedgerOutage) -> [LedgerRecord] {
        let step = Step(LedgerTables.forgotten.query(schema))
        return try await office.run { holder in try holder.run([step])[0].all(LedgerTables.forgotten) }
    }

    /// The end of the last quarantine; nil for none.
    func quarantineEnd() async throws(LedgerOutage) -> Date? {
        for case .forgotten(_, LedgerRecord.quarantine, let end) in try await marks() { return Date(microseconds: end) }
        return nil
    }

    private enum Position: Sendable {
        case bytes([UInt8])
        case number(Int64)
    }

    private func page<Value>(
        _ table: LedgerTable<Value>, after last: Position?
    ) async throws(LedgerOutage) -> (values: [Result<Value, LedgerOutage>], last: Position?) {
        let key = table.columns.prefix { $0 != "," }
        var parameters = Parameters()
        switch last {
        case .bytes(let bytes): parameters.add(bytes)
        case .number(let number): parameters.add(number)
        case nil: break
        }
        // Documents have megabytes.
        let limit = table.name == LedgerTables.documents.name ? 4 : 1000
        let query = table.query(schema, "\(last == nil ? "" : "WHERE \(key) > $1") ORDER BY \(key) LIMIT \(limit)")
        let (step, place) = (Step(Statement(query), parameters), target.place)
        return try await office.run { holder in
            let rows = try holder.run([step])[0]
            var values: [Result<Value, LedgerOutage>] = []
            for number in 0..<rows.count {
                let row = StoredRow(rows: rows, row: number, table: table.name)
                do throws(StoredValueError) {
                    values.append(.success(try table.read(row)))
                } catch {
                    values.append(.failure(LedgerOutage(error, at: place)))
                }
            }
            guard rows.count > 0 else { return (values, nil) }
            let position: Position? =
                table.isNumbered
                ? rows.integer(rows.count - 1, 0).map { .number($0) } : rows.bytes(rows.count - 1, 0).map { .bytes($0) }
            return (values, position)
        }
    }

    /// Passes every entry to `body`, in the order of ``LedgerEntry``.
    func entries(_ body: (LedgerEntry) throws -> Void) async throws {
        try await each(LedgerTables.challenges) { try body(.challenge($0.challenge, consumedAt: $0.consumedAt)) }
        try await each(LedgerTables.keys) { try body(.key($0)) }
        try await each(LedgerTables.digests) { try body(.digest($0)) }
        var standings: [LedgerStanding] = []
        try await each(LedgerTables.standings) { standings.append($0) }
        standings.sort { $0.subject.precedes($1.subject) }
        for block in standings.compactMap(\.block) { try body(.block(block)) }
        for allowance in standings.compactMap(\.allowance) { try body(.allowance(allowance)) }
        var operators: [LedgerOperator] = []
        try await each(LedgerTables.operators) { operators.append($0.operator) }
        for stored in operators.sorted(by: { $0.precedes($1) }) { try body(.operator(stored)) }
        try await each(LedgerTables.documents) { try body(.document($0.document, named: $0.name)) }
        try await each(LedgerTables.tasks) { try body(.task($0)) }
    }
}
