import AssayCore
import Foundation
import GRDB

/// Forgetting. A challenge that is forgotten is unknown and so refused; a digest that is forgotten might be used again, so
/// that the ledger keeps in mind up to which making it has forgotten some, of each app and kind: one with a short window
/// forgets what is minutes old, and must not lock out what is hours old of one with a long window. Triggers do that; see
/// ``LedgerSchema``.
extension LedgerTables {
    /// One look at both tables: to delete nothing costs more, most of all beside a trigger.
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
    private static let findForgotten = LedgerSQL(
        """
        SELECT (SELECT madeAt FROM forgottenUse WHERE app = ? AND kind = ?),
        (SELECT until FROM forgotten WHERE what = 'usedDigest before 5')
        """)

    /// Forgets challenges and digests that ended by a time, the oldest first.
    func purge(expiredBy horizon: Date, atMost limit: Int) throws {
        let found = try first(Self.findEnded) {
            $0.integer(horizon.stored)
        } reading: { row in
            let row = StoredRow(row, "usedDigest")
            return (challenge: try row.integer(0) != 0, digest: try row.integer(1) != 0)
        }
        func purge(_ sql: LedgerSQL) throws {
            try run(sql) {
                $0.integer(horizon.stored)
                $0.integer(Int64(limit))
            }
        }
        if found?.challenge == true { try purge(Self.purgeChallenges) }
        if found?.digest == true { try purge(Self.purgeDigests) }
    }

    /// The latest making of what may have been forgotten of an app and kind, and nil when nothing was.
    ///
    /// The table `forgotten` holds what was forgotten before the ledger kept apps and kinds apart, as it was when it was
    /// migrated: by when its windows had ended at the latest. All of it was made by then.
    func forgottenMaking(app: String, kind: EvidenceKind) throws -> Date? {
        let marks = try first(Self.findForgotten) {
            $0.text(app)
            $0.text(kind.name)
        } reading: { row in
            let row = StoredRow(row, "forgottenUse")
            return [try row.dateIfAny(0), try row.dateIfAny(1)]
        }
        return marks?.compactMap { $0 }.max()
    }
}
