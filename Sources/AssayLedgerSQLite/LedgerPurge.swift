import AssayCore
import Foundation
import GRDB

/// Purging. A purged challenge is unknown and therefore refused. A purged digest could be used again, so the ledger
/// keeps the latest `madeAt` of the purged digests for each app and kind
/// (``LedgerRules/requireRemembered(_:forgotten:)``). It distinguishes apps and kinds, because purged digests of a
/// short window must not lock out older evidence of a long window. A trigger keeps the value; see ``LedgerSchema``.
extension LedgerTables {
    /// Query first: a DELETE of no rows costs more, above all on a table with a trigger.
    private static let findEnded = LedgerSQL(
        """
        SELECT EXISTS (SELECT 1 FROM challenge WHERE expiresAt <= ?1),
        EXISTS (SELECT 1 FROM usedDigest WHERE until <= ?1)
        """)
    private static let purgeChallenges = LedgerSQL(
        """
        DELETE FROM challenge WHERE value IN
        (SELECT value FROM challenge WHERE expiresAt <= ? ORDER BY expiresAt LIMIT ?)
        """)
    private static let purgeDigests = LedgerSQL(
        """
        DELETE FROM usedDigest WHERE digest IN
        (SELECT digest FROM usedDigest WHERE until <= ? ORDER BY until LIMIT ?)
        """)
    fileprivate static let findForgotten = LedgerSQL(
        "SELECT madeAt FROM forgottenUse WHERE app = ? AND kind = ?")

    /// Deletes challenges and digests that ended by a time, the oldest first. Returns the number.
    ///
    /// - Parameter limit: the maximum number of each to delete.
    @discardableResult
    func purge(expiredBy horizon: Date, atMost limit: Int) throws -> Int {
        let found = try first(Self.findEnded) {
            $0.integer(horizon.microseconds)
        } reading: { row in
            let row = StoredRow(row, "usedDigest")
            return (challenge: try row.integer(0) != 0, digest: try row.integer(1) != 0)
        }
        func purge(_ sql: LedgerSQL) throws -> Int {
            try run(sql, horizon, Int64(limit))
        }
        return (found?.challenge == true ? try purge(Self.purgeChallenges) : 0)
            + (found?.digest == true ? try purge(Self.purgeDigests) : 0)
    }
}

extension RowFinder {
    /// The latest `madeAt` of purged digests of an app and kind; nil for none.
    func latestPurged(app: String, kind: EvidenceKind) throws -> Date? {
        try first(LedgerTables.findForgotten) {
            $0.text(app)
            $0.text(kind.name)
        } reading: {
            try StoredRow($0, "forgottenUse").date(0)
        }
    }
}

/// The quarantine of a restored ledger. Its end is the row of no app in the table `forgottenUse`, see `LedgerRecord.quarantine`.
extension LedgerTables {
    fileprivate static let findQuarantine = LedgerSQL(
        "SELECT madeAt FROM forgottenUse WHERE app = '' AND kind = 'quarantine'")
    private static let setQuarantine = LedgerSQL(
        "REPLACE INTO forgottenUse (app, kind, madeAt) VALUES ('', 'quarantine', ?)")
    private static let removeOpenChallenges = LedgerSQL("DELETE FROM challenge WHERE consumedAt IS NULL")

    mutating func quarantine(until end: Date, by operatorName: String?, at now: Date) throws {
        try run(Self.removeOpenChallenges)
        try run(Self.setQuarantine, end)
        try append(LedgerChange(quarantineUntil: end, by: operatorName, at: now))
    }
}

extension LedgerTables {
    /// The latest times of purged digests, and the end of the quarantine.
    static let forgotten = LedgerTable(
        "forgottenUse", "app, kind, madeAt", by: "app, kind"
    ) { row -> (app: String, kind: String, madeAt: Int64) in (try row.text(0), try row.text(1), try row.integer(2)) }
}

extension RowFinder {
    /// The end of the last quarantine; nil for none.
    func quarantineEnd() throws -> Date? {
        try first(LedgerTables.findQuarantine, { _ in }) { try StoredRow($0, "forgottenUse").date(0) }
    }
}
