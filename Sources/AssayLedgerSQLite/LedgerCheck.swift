import AssayCore
import GRDB

/// Checks the file and the rows of a ledger for damage.
struct LedgerCheck {
    let db: Database
    let path: String
    /// The problem of an enrolled key by the rules of its engine; nil for none.
    let engineProblem: (EnrolledKey) -> String?

    /// The maximum number of problems reported of each kind. Damage often affects thousands of rows.
    private static let limit = 100

    func problems() throws -> [String] {
        var problems = try damage("the file") { try fileProblems() }
        problems += try damage("the file") {
            try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { _ in "a row refers to one that is missing" }
        }
        problems += try rows(LedgerTables.challenges) {
            LedgerRules.problem(with: $0.challenge, consumedAt: $0.consumedAt)
        }
        problems += try rows(LedgerTables.keys) { LedgerRules.problem(with: $0, engineProblem) }
        problems += try damage("enrolledKey") { try copiedKeys() }
        problems += try rows(LedgerTables.digests) { LedgerRules.problem(with: $0) }
        problems += try rows(LedgerTables.standings) { LedgerRules.problem(with: $0) }
        problems += try damage("forgottenUse") {
            let found = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'"))
            return LedgerSchema.triggers.filter { !found.contains($0) }.map { "the trigger \($0) is missing" }
        }
        problems += try rows(LedgerTables.operators) { LedgerRules.problem(with: $0.operator, tokenHash: $0.tokenHash) }
        problems += try rows(LedgerTables.documents) { LedgerRules.problem(with: $0.document, named: $0.name) }
        problems += try rows(LedgerTables.tasks) { LedgerRules.problem(with: $0) }
        // Each entry must continue the previous one. After a break, the chain continues from the entry found.
        var chain = LedgerAuditChain()
        problems += try rows(LedgerTables.audit) { chain.problem(with: $0) }
        problems += try damage("audit") { try LedgerTables.replayAudit(db, skippingDamage: true) { _ in } }
        problems += try rows(LedgerTables.forgotten) { _ in nil }
        problems += try rows(LedgerTables.sealedKeys) { $0.problem }
        return problems
    }

    /// Checks a file that cannot be opened as a ledger. Does not change it.
    ///
    /// - Returns: the problems; empty if the file is sound as a database.
    static func problems(withFileAt path: String) throws -> [String] {
        do {
            return try DatabaseQueue(path: path).read { db in
                try LedgerCheck(db: db, path: path, engineProblem: { _ in nil }).fileProblems()
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return ["the file cannot be read to the end (SQLite \(error.extendedResultCode.rawValue))"]
        }
    }

    private func fileProblems() throws -> [String] {
        let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.limit))").filter { $0 != "ok" }
        for problem in problems {
            // SQLite reports a page that the disk cannot read as damage. The file may be sound, so this is an outage.
            guard let start = problem.firstRange(of: "error code=")?.upperBound,
                let number = Int32(problem[start...].prefix { $0.isNumber })
            else { continue }
            let code = ResultCode(rawValue: number)
            guard code.primaryResultCode == .SQLITE_IOERR else { continue }
            throw DatabaseError(resultCode: code)
        }
        return problems
    }

    /// Finds public keys stored under two IDs. No evidence can cause this.
    private func copiedKeys() throws -> [String] {
        let sql = """
            SELECT engine, hex(min(identifier)), count(*) FROM enrolledKey GROUP BY engine, publicKey
            HAVING count(*) > 1 LIMIT \(Self.limit)
            """
        return try Row.fetchAll(db, sql: sql).map { row in
            let cells = Array(row.databaseValues).map { "\($0)" }
            return "\(cells[2]) keys of \(cells[0]) share one public key, among them \(cells[1])"
        }
    }

    private func rows<Row>(_ table: LedgerTable<Row>, _ problem: (Row) -> String?) throws -> [String] {
        try damage(table.name) {
            var problems: [String] = []
            try table.eachResult(db) { result in
                guard problems.count < Self.limit else { return }
                switch result {
                case .success(let row): if let found = problem(row) { problems.append(found) }
                case .failure(let error):
                    problems.append("a row of \(error.table) has \(error.column) that no ledger writes")
                }
            }
            return problems
        }
    }

    /// Reports damage that SQLite detects as a problem. Any other error is an outage.
    private func damage(_ what: String, _ body: () throws -> [String]) throws -> [String] {
        do {
            return try body()
        } catch {
            let outage = LedgerOutage(error, path: path)
            guard outage.code == .corrupt else { throw outage }
            return ["\(what) cannot be read to the end: \(outage.message)"]
        }
    }
}
