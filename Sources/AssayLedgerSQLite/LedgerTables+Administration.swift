import AssayCore
import AssayPrimitives
import Foundation

/// Manual changes, each with its entry in the audit trail. The caller holds the transaction.
extension LedgerTables {
    static let auditColumns = "number, at, operator, action, subject, detail, previousHash, hash FROM audit"

    static let standingInsertion = """
        INTO block (kind, name, reason, since, until, allows, checks, operator) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let putStanding = LedgerSQL("INSERT OR REPLACE \(standingInsertion)")
    private static let deleteStanding = LedgerSQL("DELETE FROM block WHERE kind = ? AND name = ?")
    private static let moveKey = LedgerSQL("UPDATE enrolledKey SET account = ?3 WHERE engine = ?1 AND identifier = ?2")
    private static let retireKey = LedgerSQL(
        "UPDATE enrolledKey SET retiredAt = ?3 WHERE engine = ?1 AND identifier = ?2")
    fileprivate static let findEntryHash = LedgerSQL("SELECT hash FROM audit WHERE number = ?")
    fileprivate static let findLastEntry = LedgerSQL("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
    static let auditValues = """
        INTO audit (number, at, operator, action, subject, detail, previousHash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let appendEntry = LedgerSQL("INSERT \(auditValues)")
    private static let inUse = "account = ? AND engine = ? AND app = ? AND retiredAt IS NULL AND identifier <> ?"
    private static let findOthers = LedgerSQL("SELECT \(keyColumns) WHERE \(inUse) ORDER BY enrolledAt, identifier")

    /// Stores a block or an allowance. Replaces the subject's standing.
    func put(_ standing: LedgerStanding) throws {
        try change(Self.putStanding) { $0.standing(standing) }
        try append(LedgerChange(setting: standing))
    }

    /// Removes a block or an allowance, unless only the other kind is meant, and returns it.
    func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) throws -> LedgerStanding? {
        guard let standing = try standing(of: subject), kind ?? standing.kind == standing.kind else { return nil }
        try change(Self.deleteStanding) { $0.subject(subject) }
        try append(LedgerChange(removing: standing, by: operatorName, at: now))
        return standing
    }

    /// Moves a key to another account. Returns the key as it was.
    func move(
        _ identifier: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) throws -> EnrolledKey? {
        guard let key = try key(identifier), !key.isOf(account: account) else { return try key(identifier) }
        try change(Self.moveKey) {
            $0.key(identifier)
            $0.text(account)
        }
        try append(LedgerChange(moving: key, to: account, by: operatorName, at: now))
        return key
    }

    /// The other keys in use of the account for which a key is enrolled, oldest first.
    func others(of key: EnrolledKey, in account: String) throws -> [EnrolledKey] {
        var others: [EnrolledKey] = []
        try StoredStatement(db, Self.findOthers.text).each {
            $0.text(account)
            $0.text(key.identifier.engine)
            $0.text(key.app)
            $0.blob(key.identifier.value)
        } reading: {
            others.append(try Self.key($0))
        }
        return others
    }

    /// The keys of an account, oldest first.
    func keys(of account: String) throws -> [EnrolledKey] {
        var keys: [EnrolledKey] = []
        try StoredStatement(db, "SELECT \(Self.keyColumns) WHERE account = ? ORDER BY enrolledAt, identifier").each {
            $0.text(account)
        } reading: {
            keys.append(try Self.key($0))
        }
        return keys
    }

    func retire(_ key: EnrolledKey, at now: Date) throws {
        try change(Self.retireKey) {
            $0.key(key.identifier)
            $0.integer(now.microseconds)
        }
    }

    /// Appends a change to the audit trail.
    func append(_ change: LedgerChange) throws {
        let end = try trailEnd()
        let entry = LedgerAuditEntry(appending: change, to: end.number, end.hash)
        try self.change(Self.appendEntry) { $0.entry(entry) }
    }

    /// The last entries of the audit trail, the last one first.
    func auditEntries(of subject: String?, before number: Int?, atMost limit: Int) throws -> [LedgerAuditEntry] {
        var entries: [LedgerAuditEntry] = []
        let condition = subject == nil ? "number < ?" : "number < ? AND subject = ?"
        try StoredStatement(
            db, "SELECT \(Self.auditColumns) WHERE \(condition) ORDER BY number DESC LIMIT \(limit)"
        ).each {
            $0.integer(Int64(number ?? .max))
            if let subject { $0.text(subject) }
        } reading: {
            entries.append(try Self.auditEntry($0))
        }
        return entries
    }

    static func auditEntry(_ row: StoredCells) throws -> LedgerAuditEntry {
        let row = StoredRow(row, "audit")
        guard let number = Int(exactly: try row.integer(0)) else { throw row.error(0) }
        guard let action = LedgerChange.Action(rawValue: try row.text(3)) else { throw row.error(3) }
        return LedgerAuditEntry(
            number: number,
            change: LedgerChange(
                at: try row.date(1), operatorName: try row.text(2), action: action, subject: try row.text(4),
                detail: try row.text(5)), previousHash: try row.bytes(6), hash: try row.bytes(7))
    }
}

extension RowFinder {
    /// The number and the hash of the last entry of the audit trail.
    func trailEnd() throws -> (number: Int, hash: [UInt8]) {
        let last = try first(LedgerTables.findLastEntry, { _ in }) { row in
            let row = StoredRow(row, "audit")
            return (number: Int(try row.integer(0)), hash: try row.bytes(1))
        }
        return last ?? (0, LedgerAuditEntry.noHash)
    }

    /// The hash of an entry of the audit trail; nil for a number that no entry has.
    func hash(ofEntry number: Int) throws -> [UInt8]? {
        try first(LedgerTables.findEntryHash, { $0.integer(Int64(number)) }) { try StoredRow($0, "audit").bytes(0) }
    }
}

extension StoredBinding {
    /// The columns of a block or an allowance.
    mutating func standing(_ standing: LedgerStanding) {
        subject(standing.subject)
        text(standing.reason)
        integer(standing.since.microseconds)
        integer(standing.until?.microseconds)
        integer(standing.allowance == nil ? 0 : 1)
        text(standing.allowance.map { $0.checks.map(\.name).joined(separator: " ") })
        text(standing.setBy)
    }

    /// The columns of an entry of the audit trail.
    mutating func entry(_ entry: LedgerAuditEntry) {
        integer(Int64(entry.number))
        integer(entry.change.at.microseconds)
        text(entry.change.operatorName)
        text(entry.change.action.rawValue)
        text(entry.change.subject)
        text(entry.change.detail)
        blob(entry.previousHash)
        blob(entry.hash)
    }
}
