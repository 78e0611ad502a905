public import AssayCore
public import Foundation
import GRDB

extension SQLiteLedger {
    /// Passes every entry to `body`, in a consistent snapshot: section by section, each sorted by name.
    ///
    /// Rows are streamed: memory does not grow with the ledger. Writers continue; the caller's thread is blocked.
    /// - Throws: ``LedgerOutage``, and what `body` throws.
    @concurrent public func export(_ body: (LedgerEntry) throws -> Void) async throws {
        try exportBlocking(body)
    }

    /// Passes the audit trail to `body`, in a consistent snapshot.
    ///
    /// - Throws: ``LedgerOutage``, and what `body` throws.
    @concurrent public func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws { try auditBlocking(body) }

    /// The last entries of the audit trail, the last one first, by its indices.
    public func auditEntries(
        of subject: String?, before number: Int?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerAuditEntry] {
        try await read { db in try LedgerTables(db).auditEntries(of: subject, before: number, atMost: limit) }
    }

    /// Passes the audit trail to `body`, and compares it with the rows of the same snapshot.
    ///
    /// - Returns: one sentence for each difference.
    /// - Throws: ``LedgerOutage``, and what `body` throws.
    @concurrent public func replayAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws -> [String] {
        try replayBlocking(body)
    }

    private func replayBlocking(_ body: (LedgerAuditEntry) throws -> Void) throws -> [String] {
        var problems: [String] = []
        try streaming(body) { db, hand in problems = try LedgerTables.replayAudit(db, hand) }
        return problems
    }

    private func auditBlocking(_ body: (LedgerAuditEntry) throws -> Void) throws {
        try streaming(body) { db, hand in
            try LedgerTables.audit.each(db, nil, hand)
        }
    }

    /// Reads a snapshot and passes its entries to `body`. Not async, because GRDB's async functions take only escaping
    /// closures.
    private func streaming<Entry>(
        _ body: (Entry) throws -> Void, _ read: (Database, (Entry) throws -> Void) throws -> Void
    ) throws {
        // An error of `body` is not an outage, even if it is a LedgerOutage.
        var thrownByBody: (any Error)?
        do {
            try watch.requireFiles()
            try withoutActuallyEscaping(body) { body in
                try pool.read { db in
                    try watch.check(at: LedgerWatch.now, LedgerTables(db), isLatest: false)
                    try read(db) { entry in
                        do {
                            try body(entry)
                        } catch {
                            thrownByBody = error
                            throw error
                        }
                    }
                }
            }
        } catch {
            throw thrownByBody ?? watch.cause(error)
        }
    }

    private func exportBlocking(_ body: (LedgerEntry) throws -> Void) throws {
        try streaming(body) { db, hand in
            try LedgerTables.challenges.each(db) { try hand(.challenge($0.challenge, consumedAt: $0.consumedAt)) }
            try LedgerTables.keys.each(db) { try hand(.key($0)) }
            try LedgerTables.digests.each(db) { try hand(.digest($0)) }
            // A row with a damaged value of `allows` belongs to the second section, which rejects it.
            for section in ["allows = 0", "allows <> 0"] {
                try LedgerTables.standings.each(db, "WHERE \(section) ORDER BY kind, name") { standing in
                    switch standing {
                    case .blocked(let block): try hand(.block(block))
                    case .allowed(let allowance): try hand(.allowance(allowance))
                    }
                }
            }
            try LedgerTables.operators.each(db) { try hand(.operator($0.operator)) }
            try LedgerTables.documents.each(db) { try hand(.document($0.document, named: $0.name)) }
            try LedgerTables.tasks.each(db) { try hand(.task($0)) }
        }
    }

    /// Counts the entries of the ledger at a time.
    public func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        let now = now.microseconds
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
                allowances: try count("block WHERE (until IS NULL OR ? < until) AND allows = 1"),
                operators: try count("operator WHERE ? < until AND revokedAt IS NULL"),
                documents: try count("document WHERE ? IS NOT NULL"), tasks: try count("task WHERE ? IS NOT NULL"))
        }
    }

    /// Checks the file and the rows of all tables for damage.
    public func check(
        _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws(LedgerOutage) -> [String] {
        let path = path
        return try await read { db in try LedgerCheck(db: db, path: path, engineProblem: keyProblem).problems() }
    }

    /// Looks who may read and write the files.
    public func settingProblems() async throws(LedgerOutage) -> [String] {
        let names = ["", "-wal", "-shm"].map { path + $0 }
        let modes = names.map { name in
            var status = stat()
            return stat(name, &status) == 0 ? status.st_mode : 0
        }
        for (bit, right) in [(S_IWOTH, "write"), (S_IROTH, "read")] {
            guard let index = modes.firstIndex(where: { $0 & bit != 0 }) else { continue }
            return ["every user may \(right) \(names[index]); `chmod o= \(names.joined(separator: " "))`"]
        }
        return []
    }

    /// Checks a file that is too damaged to be opened as a ledger. Does not change it.
    ///
    /// - Returns: the problems; empty if the file is sound as a database.
    /// - Throws: ``LedgerOutage``: ``OutageCode/corrupt`` also for a file that is no database, or whose first page is damaged.
    package static func problems(withFileAt path: String) throws(LedgerOutage) -> [String] {
        // By another name, SQLite would make another log.
        try LedgerFiles.requireOneName(path)
        do { return try LedgerCheck.problems(withFileAt: path) } catch { throw LedgerOutage(error, path: path) }
    }
}

extension LedgerTables {
    /// Passes the audit trail to `body`, and compares it with the rows.
    ///
    /// - Parameter skippingDamage: whether rows that cannot be read are skipped, because they are reported apart.
    /// - Returns: one sentence for each difference.
    static func replayAudit(
        _ db: Database, skippingDamage: Bool = false, _ body: (LedgerAuditEntry) throws -> Void
    ) throws -> [String] {
        var replay = TrailReplay()
        func rows<Row>(_ table: LedgerTable<Row>, _ take: (Row) throws -> Void) throws {
            try table.eachResult(db) { result in
                switch result {
                case .success(let row): try take(row)
                case .failure(let error): if !skippingDamage { throw error }
                }
            }
        }
        try rows(audit) { entry in
            replay.take(entry)
            try body(entry)
        }
        try rows(standings) { replay.take($0) }
        try rows(operators) { replay.take($0.operator, tokenHash: $0.tokenHash) }
        try rows(sealedKeys) { replay.take($0) }
        replay.take(quarantineEnd: try LedgerTables(db).quarantineEnd())
        if replay.needsKeys { try rows(keys) { replay.take($0) } }
        return replay.problems
    }
}
