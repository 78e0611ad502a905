import AssayCore
import Foundation

/// The rows of changes by operators. The caller holds the transaction.
extension LedgerTables: AdministrationRows {
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

    func set(_ standing: LedgerStanding) throws {
        forgetAbsentStandings()
        try change(Self.putStanding) { $0.standing(standing) }
    }

    func deleteStanding(of subject: LedgerSubject) throws { try change(Self.deleteStanding) { $0.subject(subject) } }

    func setAccount(_ account: String?, of key: KeyIdentifier) throws {
        try change(Self.moveKey, key.engine, key.value, account)
    }

    func append(_ changes: [LedgerChange]) throws {
        for change in changes {
            let end = try trailEnd()
            let entry = LedgerAuditEntry(appending: change, to: end.number, end.hash)
            try self.change(Self.appendEntry) { $0.entry(entry) }
        }
    }

    /// The other keys in use of the account for which a key is enrolled, oldest first.
    func others(of key: EnrolledKey, in account: String) throws -> [EnrolledKey] {
        try all(
            Self.keys, "WHERE \(Self.inUse) ORDER BY enrolledAt, identifier", account, key.identifier.engine, key.app,
            key.identifier.value)
    }

    /// The keys of an account, oldest first.
    func keys(of account: String) throws -> [EnrolledKey] {
        try all(Self.keys, "WHERE account = ? ORDER BY enrolledAt, identifier", account)
    }

    func retire(_ key: EnrolledKey, at now: Date) throws {
        try change(Self.retireKey, key.identifier.engine, key.identifier.value, now)
    }

    /// The last entries of the audit trail, the last one first.
    func auditEntries(of subject: String?, before number: Int?, atMost limit: Int) throws -> [LedgerAuditEntry] {
        let (last, order) = (Int64(number ?? .max), "ORDER BY number DESC LIMIT \(limit)")
        guard let subject else { return try all(Self.audit, "WHERE number < ? \(order)", last) }
        return try all(Self.audit, "WHERE number < ? AND subject = ? \(order)", last, subject)
    }

    static let audit = LedgerTable(
        "audit", "number, at, operator, action, subject, detail, previousHash, hash", by: "number"
    ) { row in
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
        values(
            standing.subject.kind.rawValue, standing.subject.name, standing.reason, standing.since, standing.until,
            standing.allowance == nil ? 0 : 1 as Int64,
            standing.allowance.map { $0.checks.map(\.name).joined(separator: " ") }, standing.setBy)
    }

    /// The columns of an entry of the audit trail.
    mutating func entry(_ entry: LedgerAuditEntry) {
        let change = entry.change
        values(
            Int64(entry.number), change.at, change.operatorName, change.action.rawValue, change.subject, change.detail,
            entry.previousHash, entry.hash)
    }
}
