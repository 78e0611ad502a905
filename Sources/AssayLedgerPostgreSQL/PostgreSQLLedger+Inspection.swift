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
            try await snapshot.each(LedgerTables.audit, body)
        }
    }

    /// The last entries of the audit trail, the last one first, by its indices.
    public func auditEntries(
        of subject: String?, before number: Int?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerAuditEntry] {
        var parameters = Parameters([Int64(number ?? .max)])
        if let subject { parameters.add(subject) }
        let query = LedgerTables.audit.query(
            statements.schema,
            """
            WHERE number < $1 \(subject == nil ? "" : "AND sha256(subject) = sha256($2) AND subject = $2")
            ORDER BY number DESC LIMIT \(limit)
            """)
        return try await find(all: LedgerTables.audit, Step(Statement(query), parameters))
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
        try await snapshot.each(LedgerTables.audit) { entry in
            replay.take(entry)
            try body(entry)
        }
        try await snapshot.each(LedgerTables.standings) { replay.take($0) }
        try await snapshot.each(LedgerTables.operators) { replay.take($0.operator, tokenHash: $0.tokenHash) }
        try await snapshot.each(LedgerTables.sealedKeys) { replay.take($0) }
        replay.take(quarantineEnd: try await snapshot.quarantineEnd())
        if replay.needsKeys { try await snapshot.each(LedgerTables.keys) { replay.take($0) } }
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
        let step = Step("SELECT \(counts.joined(separator: ", "))", now)
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
