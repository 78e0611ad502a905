import AssayCore
package import Foundation
import GRDB

/// When a ledger forgets what ended long ago.
package enum LedgerForgetting: Sendable {
    /// As it is written to, by the lower of two times: that of the write, and the machine's.
    case byClock(@Sendable () -> Date)
    /// Never: for records of any times in any order.
    case never
}

/// Forgetting. A challenge that is forgotten is unknown and so refused; a digest that is forgotten might be used again, so
/// that the ledger keeps in mind up to when it has forgotten some.
extension LedgerTables {
    /// In steps of a minute, in microseconds, so that not every write of a busy ledger has to move the mark.
    private static let markStep: Int64 = 60_000_000

    /// Forgets challenges and digests that ended by a time, the oldest first.
    func purge(expiredBy horizon: Date, atMost limit: Int) throws {
        try run(
            """
            DELETE FROM challenge WHERE value IN
            (SELECT value FROM challenge WHERE expiresAt <= ? ORDER BY expiresAt LIMIT ?)
            """, [.integer(horizon.stored), .integer(Int64(limit))])
        guard let last = try lastEnd(expiredBy: horizon, atMost: limit) else { return }
        let (mark, isPastAllTime) = (last / Self.markStep * Self.markStep).addingReportingOverflow(Self.markStep)
        try run(
            """
            INSERT INTO forgotten (what, until) VALUES ('usedDigest', ?)
            ON CONFLICT (what) DO UPDATE SET until = excluded.until WHERE until < excluded.until
            """, [.integer(isPastAllTime ? .max : mark)])
        try run(
            """
            DELETE FROM usedDigest WHERE digest IN
            (SELECT digest FROM usedDigest WHERE until <= ? ORDER BY until LIMIT ?)
            """, [.integer(horizon.stored), .integer(Int64(limit))])
    }

    private func lastEnd(expiredBy horizon: Date, atMost limit: Int) throws -> Int64? {
        let sql = "SELECT max(until) FROM (SELECT until FROM usedDigest WHERE until <= ? ORDER BY until LIMIT ?)"
        return try integer(sql, [.integer(horizon.stored), .integer(Int64(limit))])
    }

    /// The latest end of a window of which a digest may have been forgotten, and nil when none was.
    func forgottenUntil() throws -> Date? {
        try integer("SELECT until FROM forgotten WHERE what = 'usedDigest'", []).map { Date(stored: $0) }
    }

    private func integer(_ sql: String, _ values: [StoredValue]) throws -> Int64? {
        try first(sql, values) { try StoredRow($0, "forgotten").integerIfAny(0) } ?? nil
    }
}
