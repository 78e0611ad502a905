import AssayCore
import AssayPrimitives
import Foundation
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
        problems += try rows("challenge", LedgerTables.challengeColumns, by: "value", challengeProblem)
        problems += try rows("enrolledKey", LedgerTables.keyColumns, by: "engine, identifier", keyProblem)
        problems += try damage("enrolledKey") { try copiedKeys() }
        problems += try rows("usedDigest", LedgerTables.digestColumns, by: "digest", digestProblem)
        problems += try rows("block", LedgerTables.standingColumns, by: "kind, name", standingProblem)
        problems += try damage("forgottenUse") {
            let found = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'"))
            return LedgerSchema.triggers.filter { !found.contains($0) }.map { "the trigger \($0) is missing" }
        }
        problems += try rows("operator", LedgerTables.operatorColumns, by: "name, addedAt", operatorProblem)
        problems += try rows("document", LedgerTables.documentColumns, by: "name", documentProblem)
        problems += try rows("task", LedgerTables.taskColumns, by: "queue, key") { row in
            LedgerRules.problem(with: try LedgerTables.task(row))
        }
        problems += try rows("audit", LedgerTables.auditColumns, by: "number", auditProblem())
        problems += try damage("audit") { try LedgerTables.replayAudit(db, skippingDamage: true) { _ in } }
        problems += try rows("forgottenUse", "madeAt FROM forgottenUse", by: "app, kind", markProblem)
        problems += try rows("sealedKey", LedgerTables.sealedKeyColumns, by: "name", sealedKeyProblem)
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

    private func challengeProblem(_ row: StoredCells) throws -> String? {
        let (challenge, consumedAt) = try LedgerTables.challenge(row)
        let times = "issued at \(RFC3339.format(challenge.issuedAt))"
        if challenge.value.isEmpty { return "a challenge \(times) is empty" }
        if challenge.expiresAt <= challenge.issuedAt { return "a challenge \(times) expired before" }
        if let consumedAt, consumedAt > challenge.expiresAt { return "a challenge \(times) was consumed too late" }
        return nil
    }

    private func keyProblem(_ row: StoredCells) throws -> String? {
        let key = try LedgerTables.key(row)
        if key.identifier.value.isEmpty || key.publicKey.isEmpty { return "\(key.label) is empty" }
        return engineProblem(key).map { "\(key.label) \($0)" }
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

    private func digestProblem(_ row: StoredCells) throws -> String? {
        let use = try LedgerTables.digest(row)
        return use.digest.isEmpty ? "an empty digest was used at \(RFC3339.format(use.usedAt))" : nil
    }

    private func markProblem(_ row: StoredCells) throws -> String? {
        _ = try StoredRow(row, "forgottenUse").date(0)
        return nil
    }

    private func standingProblem(_ row: StoredCells) throws -> String? {
        let standing = try LedgerTables.standing(row)
        guard standing.subject.name.isEmpty else { return nil }
        return "\(standing.block == nil ? "an allowed" : "a blocked") \(standing.subject.kind.rawValue) has no name"
    }

    private func operatorProblem(_ row: StoredCells) throws -> String? {
        let (tokenHash, stored) = try LedgerTables.storedOperator(row)
        if let objection = LedgerRules.objection(toOperatorName: stored.name) {
            return "an operator has a name that none can have: \(objection)"
        }
        if stored.until <= stored.addedAt { return "the token of operator \(stored.name) ended before it was added" }
        return tokenHash.count == 32 ? nil : "operator \(stored.name) has a hash of \(tokenHash.count) bytes, not of 32"
    }

    private func documentProblem(_ row: StoredCells) throws -> String? {
        let (name, document) = try LedgerTables.document(row)
        do throws(LedgerOutage) {
            try LedgerRules.requireStorable(document.bytes, named: name)
        } catch {
            return error.message
        }
        return document.revision < 1 ? "the document \(name) has the revision \(document.revision)" : nil
    }

    /// Verifies the hash chain: each entry must continue the previous one. After a break it continues from the entry
    /// found.
    private func auditProblem() -> (StoredCells) throws -> String? {
        var chain = LedgerAuditChain()
        return { row in chain.problem(with: try LedgerTables.auditEntry(row)) }
    }

    private func sealedKeyProblem(_ row: StoredCells) throws -> String? { try LedgerTables.sealedKey(row).problem }

    private func rows(
        _ table: String, _ columns: String, by key: String, _ problem: (StoredCells) throws -> String?
    ) throws -> [String] {
        try damage(table) {
            var problems: [String] = []
            try LedgerTables.each(db, columns, by: key) { row in
                guard problems.count < Self.limit else { return }
                do {
                    if let found = try problem(row) { problems.append(found) }
                } catch let error as StoredValueError {
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
