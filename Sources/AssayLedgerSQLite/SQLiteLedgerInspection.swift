public import AssayCore
public import FoundationEssentials
import GRDB

extension SQLiteLedger {
    /// Hands every entry to `body`, in a consistent snapshot, section by section, each sorted by name.
    ///
    /// Rows are streamed: memory does not grow with the ledger. Writers go on meanwhile; the thread is blocked.
    /// - Throws: ``LedgerOutage``, and what `body` throws.
    public func export(_ body: (LedgerEntry) throws -> Void) async throws {
        try exportBlocking(body)
    }

    // Not async, because GRDB's async functions take only closures that may escape.
    private func exportBlocking(_ body: (LedgerEntry) throws -> Void) throws {
        // What `body` throws is not an outage, whatever its type.
        var thrownByBody: (any Error)?
        func hand(_ entry: LedgerEntry) throws {
            do {
                try body(entry)
            } catch {
                thrownByBody = error
                throw error
            }
        }
        do {
            try pool.read { db in
                try LedgerTables.each(db, LedgerTables.challengeColumns, by: "value") { row in
                    let (challenge, consumedAt) = try LedgerTables.challenge(row)
                    try hand(.challenge(challenge, consumedAt: consumedAt))
                }
                try LedgerTables.each(db, LedgerTables.keyColumns, by: "engine, identifier") { row in
                    try hand(.key(LedgerTables.key(row)))
                }
                try LedgerTables.each(db, LedgerTables.digestColumns, by: "digest") { row in
                    try hand(.digest(LedgerTables.digest(row)))
                }
                // Whatever is damaged comes in the second section, and is refused there.
                for section in ["allows = 0", "allows <> 0"] {
                    let columns = "\(LedgerTables.standingColumns) WHERE \(section)"
                    try LedgerTables.each(db, columns, by: "kind, name") { row in
                        switch try LedgerTables.standing(row) {
                        case .blocked(let block): try hand(.block(block))
                        case .allowed(let allowance): try hand(.allowance(allowance))
                        }
                    }
                }
            }
        } catch {
            throw thrownByBody ?? LedgerOutage(error, path: path)
        }
    }

    /// Counts what the ledger holds at a time.
    public func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        let now = now.stored
        return try await read { db in
            func count(_ query: String) throws -> Int {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \(query)", arguments: [now]) ?? 0
            }
            return LedgerSummary(
                openChallenges: try count("challenge WHERE ? < expiresAt AND consumedAt IS NULL"),
                consumedChallenges: try count("challenge WHERE ? < expiresAt AND consumedAt IS NOT NULL"),
                keys: try count("enrolledKey WHERE ? IS NOT NULL"),
                digests: try count("usedDigest WHERE ? < until"),
                blocks: try count("block WHERE (until IS NULL OR ? < until) AND allows = 0"),
                allowances: try count("block WHERE (until IS NULL OR ? < until) AND allows = 1"))
        }
    }

    /// Looks for damage: in the file, and in what the tables hold.
    ///
    /// - Returns: a sentence a problem, at most a hundred of each sort; none when all is well.
    /// - Throws: ``LedgerOutage`` when it cannot be looked at. Damage is an answer, not an outage.
    public func check() async throws(LedgerOutage) -> [String] {
        let path = path
        return try await read { db in try LedgerAudit(db: db, path: path).problems() }
    }
}

extension LedgerTables {
    /// Hands the rows of a query to `body`, one at a time, in the order of a key.
    static func each(_ db: Database, _ columns: String, by key: String, _ body: (StoredCells) throws -> Void) throws {
        try StoredStatement(db, "SELECT \(columns) ORDER BY \(key)").each(reading: body)
    }
}
