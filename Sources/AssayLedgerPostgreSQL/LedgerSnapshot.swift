import AssayCore
import FoundationEssentials

/// A consistent view of all tables, on a connection of its own.
final class LedgerSnapshot: Sendable {
    /// A table that is read in pages, in the order of its first column.
    struct Section: Sendable {
        let table: String
        let columns: String
        /// Whether the first column is a number, and not bytes.
        var isNumbered = false

        static let challenges = Section(table: "challenge", columns: LedgerStatements.challengeColumns)
        static let keys = Section(table: "enrolled_key", columns: LedgerStatements.keyColumns)
        static let digests = Section(table: "used_digest", columns: LedgerStatements.digestColumns)
        static let standings = Section(table: "standing", columns: LedgerStatements.standingColumns)
        static let operators = Section(table: "operator", columns: LedgerStatements.operatorColumns)
        static let sealedKeys = Section(table: "sealed_key", columns: LedgerStatements.sealedKeyColumns)
        static let documents = Section(table: "document", columns: "name, content, revision, stored_at")
        static let tasks = Section(table: "task", columns: "id, queue, key, due_at, holder, content, revision")
        static let audit = Section(table: "audit", columns: LedgerStatements.auditColumns, isNumbered: true)

        /// How many rows are read at once: documents have megabytes.
        var limit: Int { table == "document" ? 4 : 1000 }
    }

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
    func each<Value: Sendable>(
        _ section: Section, _ read: @escaping @Sendable (StoredRow) throws(StoredValueError) -> Value,
        _ body: (Value) throws -> Void
    ) async throws {
        try await eachResult(section, read) { try body($0.get()) }
    }

    /// Passes the values of a table to `body`, or what is wrong with a row.
    func eachResult<Value: Sendable>(
        _ section: Section, _ read: @escaping @Sendable (StoredRow) throws(StoredValueError) -> Value,
        _ body: (Result<Value, LedgerOutage>) throws -> Void
    ) async throws {
        var last: Position?
        while true {
            let page = try await page(section, after: last, read)
            for value in page.values { try body(value) }
            guard let next = page.last else { return }
            last = next
        }
    }

    /// Passes pages of records to `body`.
    nonisolated(nonsending) func pages(
        _ section: Section, _ body: ([LedgerRecord]) async throws -> Void,
        _ read: @escaping @Sendable (StoredRow) throws(StoredValueError) -> LedgerRecord
    ) async throws {
        var last: Position?
        while true {
            let page = try await page(section, after: last, read)
            if !page.values.isEmpty { try await body(page.values.map { try $0.get() }) }
            guard let next = page.last else { return }
            last = next
        }
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
        let query = Statement("SELECT app, kind, made_at FROM \(schema).forgotten_use")
        return try await office.run { holder in
            try holder.run([Step(query)])[0].map("forgotten_use") { (row) throws(StoredValueError) in
                .forgotten(app: try row.text(0), kind: try row.text(1), madeAt: try row.integer(2))
            }
        }
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

    private func page<Value: Sendable>(
        _ section: Section, after last: Position?,
        _ read: @escaping @Sendable (StoredRow) throws(StoredValueError) -> Value
    ) async throws(LedgerOutage) -> (values: [Result<Value, LedgerOutage>], last: Position?) {
        let key = section.columns.prefix { $0 != "," }
        var parameters = Parameters()
        switch last {
        case .bytes(let bytes): parameters.add(bytes)
        case .number(let number): parameters.add(number)
        case nil: break
        }
        let query = Statement(
            """
            SELECT \(section.columns) FROM \(schema).\(section.table) \(last == nil ? "" : "WHERE \(key) > $1")
            ORDER BY \(key) LIMIT \(section.limit)
            """)
        let (step, place) = (Step(query, parameters), target.place)
        return try await office.run { holder in
            let rows = try holder.run([step])[0]
            var values: [Result<Value, LedgerOutage>] = []
            for number in 0..<rows.count {
                let row = StoredRow(rows: rows, row: number, table: section.table)
                do throws(StoredValueError) {
                    values.append(.success(try read(row)))
                } catch {
                    values.append(.failure(LedgerOutage(error, at: place)))
                }
            }
            guard rows.count > 0 else { return (values, nil) }
            let position: Position? =
                section.isNumbered
                ? rows.integer(rows.count - 1, 0).map { .number($0) } : rows.bytes(rows.count - 1, 0).map { .bytes($0) }
            return (values, position)
        }
    }

    /// Passes every entry to `body`, in the order of ``LedgerEntry``.
    func entries(_ body: (LedgerEntry) throws -> Void) async throws {
        try await each(.challenges, { (row) throws(StoredValueError) in try row.challenge() }) {
            try body(.challenge($0.challenge, consumedAt: $0.consumedAt))
        }
        try await each(.keys, { (row) throws(StoredValueError) in try row.key() }) { try body(.key($0)) }
        try await each(.digests, { (row) throws(StoredValueError) in try row.digest() }) { try body(.digest($0)) }
        var standings: [LedgerStanding] = []
        try await each(.standings, { (row) throws(StoredValueError) in try row.standing() }) { standings.append($0) }
        standings.sort { $0.subject.precedes($1.subject) }
        for block in standings.compactMap(\.block) { try body(.block(block)) }
        for allowance in standings.compactMap(\.allowance) { try body(.allowance(allowance)) }
        var operators: [LedgerOperator] = []
        try await each(.operators, { (row) throws(StoredValueError) in try row.storedOperator().operator }) {
            operators.append($0)
        }
        for stored in operators.sorted(by: { $0.precedes($1) }) { try body(.operator(stored)) }
        try await each(.documents, { (row) throws(StoredValueError) in try row.document() }) {
            try body(.document($0.document, named: $0.name))
        }
        try await each(.tasks, { (row) throws(StoredValueError) in try row.task() }) { try body(.task($0)) }
    }
}
