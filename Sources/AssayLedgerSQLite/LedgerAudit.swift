import AssayCore
import Foundation
import GRDB

/// What must hold in a ledger that is not damaged.
struct LedgerAudit {
    let db: Database
    let path: String

    /// How many problems of a sort are told. Damage often comes in thousands.
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
        problems += try damage("forgotten") {
            let found = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'"))
            return LedgerSchema.triggers.filter { !found.contains($0) }.map { "the trigger \($0) is missing" }
        }
        problems += try rows("forgotten", "until FROM forgotten", by: "what", markProblem)
        problems += try rows("forgottenUse", "madeAt FROM forgottenUse", by: "app, kind", markProblem)
        problems += try rows("sealedKey", LedgerTables.sealedKeyColumns, by: "name", sealedKeyProblem)
        return problems
    }

    private func fileProblems() throws -> [String] {
        let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.limit))").filter { $0 != "ok" }
        for problem in problems {
            // SQLite lists a page that the disk does not give among the damage. The file may be sound.
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
        let name = "key \(key.identifier.subject.name) of \(key.identifier.engine)"
        if key.identifier.value.isEmpty || key.publicKey.isEmpty { return "\(name) is empty" }
        guard key.identifier.engine == "app-attest" else { return nil }
        // Apple: the key ID is the SHA-256 of the public key, an X9.63 point on P-256.
        if key.identifier.value.count != 32 {
            return "\(name) has an ID of \(key.identifier.value.count) bytes, not 32"
        }
        if key.publicKey.count != 65 || key.publicKey.first != 4 { return "\(name) has no uncompressed P-256 point" }
        return nil
    }

    /// Two IDs for one public key: nothing that evidence can lead to.
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
        _ = try StoredRow(row, "forgotten").date(0)
        return nil
    }

    private func standingProblem(_ row: StoredCells) throws -> String? {
        let standing = try LedgerTables.standing(row)
        guard standing.subject.name.isEmpty else { return nil }
        return "\(standing.block == nil ? "an allowed" : "a blocked") \(standing.subject.kind.rawValue) has no name"
    }

    /// The form alone. Whether a key opens is for those to see who have the master key.
    private func sealedKeyProblem(_ row: StoredCells) throws -> String? {
        let key = try LedgerTables.sealedKey(row)
        let name = "the sealed key \(key.columns.name.excerpt)"
        if KeyName.objection(to: key.columns.name) != nil { return "\(name) has a name that no key has" }
        if key.columns.entry.window.isEmpty { return "\(name) has a window that ends before it begins" }
        if key.masterKey.count != MasterKey.identifierLength || key.sealed.count < SealedKeyRow.overhead {
            return "\(name) is too short or too long"
        }
        return key.sealed.first == SealedKeyRow.form ? nil : "\(name) is sealed in a form that is not known"
    }

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

    /// Damage that SQLite stumbles over is what is looked for; anything else is an outage.
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
