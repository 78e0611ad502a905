public import AssayCore
import AssayPrimitives
public import FoundationEssentials

extension PostgreSQLLedger {
    /// Deletes all challenges and digests that ended long enough ago. Returns how many.
    @discardableResult
    public func purge(at now: Date) async throws(LedgerOutage) -> Int { try await purger.all(at: now) }

    /// Passes every entry to `body`, in a consistent snapshot, section by section.
    ///
    /// Pages of rows are read on a connection of their own: memory does not grow with the ledger. A long snapshot keeps dead rows
    /// of all tables from being removed; large ledgers are exported on a standby.
    /// - Throws: ``LedgerOutage``, and what `body` throws.
    public func export(_ body: (LedgerEntry) throws -> Void) async throws {
        try await LedgerSnapshot.reading(target) { snapshot in try await snapshot.entries(body) }
    }

    /// Passes the audit trail to `body`, in a consistent snapshot.
    ///
    /// - Throws: ``LedgerOutage``, and what `body` throws.
    public func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws {
        try await LedgerSnapshot.reading(target) { snapshot in
            try await snapshot.each(.audit, { (row) throws(StoredValueError) in try row.auditEntry() }, body)
        }
    }

    /// The last entries of the audit trail, the last one first, by its indices.
    public func auditEntries(
        of subject: String?, before number: Int?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerAuditEntry] {
        var parameters = Parameters()
        parameters.add(Int64(number ?? .max))
        if let subject { parameters.add(text: subject) }
        let query = Statement(
            """
            SELECT \(LedgerStatements.auditColumns) FROM \(statements.schema).audit
            WHERE number < $1 \(subject == nil ? "" : "AND sha256(subject) = sha256($2) AND subject = $2")
            ORDER BY number DESC LIMIT \(limit)
            """)
        return try await find(Step(query, parameters)) { rows in
            try rows.map("audit") { (row) throws(StoredValueError) in try row.auditEntry() }
        }
    }

    /// Passes the audit trail to `body`, and compares it with the rows of the same snapshot.
    ///
    /// - Returns: one sentence for each difference.
    /// - Throws: ``LedgerOutage``, and what `body` throws.
    public func replayAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws -> [String] {
        try await LedgerSnapshot.reading(target) { snapshot in try await replay(snapshot, body) }
    }

    private func replay(
        _ snapshot: LedgerSnapshot, _ body: (LedgerAuditEntry) throws -> Void
    ) async throws -> [String] {
        var replay = TrailReplay()
        try await snapshot.each(.audit, { (row) throws(StoredValueError) in try row.auditEntry() }) { entry in
            replay.take(entry)
            try body(entry)
        }
        try await snapshot.each(.standings, { (row) throws(StoredValueError) in try row.standing() }) {
            replay.take($0)
        }
        try await snapshot.each(.operators, { (row) throws(StoredValueError) in try row.storedOperator() }) {
            replay.take($0.operator, tokenHash: $0.tokenHash)
        }
        try await snapshot.each(.sealedKeys, { (row) throws(StoredValueError) in try row.sealedKey() }) {
            replay.take($0)
        }
        replay.take(quarantineEnd: try await snapshot.quarantineEnd())
        if replay.needsKeys {
            try await snapshot.each(.keys, { (row) throws(StoredValueError) in try row.key() }) { replay.take($0) }
        }
        return replay.problems
    }

    /// Counts the entries of the ledger at a time.
    public func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        let schema = statements.schema
        let counts = [
            "challenge WHERE $1 < expires_at AND consumed_at IS NULL",
            "challenge WHERE $1 < expires_at AND consumed_at IS NOT NULL", "enrolled_key",
            "used_digest WHERE $1 < until", "standing WHERE (until IS NULL OR $1 < until) AND allows = 0",
            "standing WHERE (until IS NULL OR $1 < until) AND allows = 1",
            "operator WHERE $1 < until AND revoked_at IS NULL", "document", "task",
        ].map { "(SELECT count(*) FROM \(schema).\($0))" }
        var parameters = Parameters()
        parameters.add(now.microseconds)
        let step = Step(Statement("SELECT \(counts.joined(separator: ", "))"), parameters)
        return try await office.run { holder in
            let rows = try holder.run([step])[0]
            func count(_ column: Int) -> Int { Int(rows.integer(0, column) ?? 0) }
            return LedgerSummary(
                openChallenges: count(0), consumedChallenges: count(1), keys: count(2), digests: count(3),
                blocks: count(4), allowances: count(5), operators: count(6), documents: count(7),
                tasks: count(8))
        }
    }
}
