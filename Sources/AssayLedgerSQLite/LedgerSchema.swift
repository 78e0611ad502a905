import AssayCore
import Foundation
import GRDB

/// The tables, their versions, and how to tell a ledger from other SQLite files.
enum LedgerSchema {
    /// "ASSY", in the header of the file: <https://www.sqlite.org/fileformat.html#application_id>.
    static let applicationID = 0x4153_5359
    /// The version of the tables that this code reads and writes. It stands in the file as `user_version`.
    static let version = 5

    /// Tells whether a file is a ledger.
    ///
    /// - Returns: the version of its tables, 0 when there are none yet, and nil for a file that holds nothing at all.
    /// - Throws: ``LedgerOutage`` for a file of somebody else's, or of a newer version of this code.
    static func recognise(_ db: Database, _ path: String) throws -> Int? {
        let identifier = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if identifier == 0, found == 0, try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 {
            return nil
        }
        guard identifier == applicationID else {
            throw LedgerOutage(.corrupt, "\(path) is a SQLite database, but not a ledger; name another file")
        }
        let isNewer = try db.tableExists("grdb_migrations") && migrator.hasBeenSuperseded(db)
        guard found <= version, !isNewer else {
            throw LedgerOutage(
                .newerSchema, "\(path) is of version \(found), and this program knows up to \(version); update it")
        }
        return found
    }

    /// Marks an empty file as a ledger, before anything else is in it but the table of what it has forgotten. A ledger that
    /// had this table from the beginning has forgotten nothing without noting it.
    static func claim(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        try db.execute(sql: forgottenUse)
    }

    private static let migrator = migrator { Date() }

    /// Brings the tables to the current version. Steps are added at the end and never changed.
    ///
    /// - Parameter clock: the machine's time.
    static func migrator(_ clock: @escaping @Sendable () -> Date) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: version1)
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        migrator.registerMigration("2") { db in
            try db.execute(sql: version2)
            try db.execute(sql: "PRAGMA user_version = 2")
        }
        migrator.registerMigration("3") { db in
            // Of two processes that migrate a ledger at once the second may get here as well.
            if try !db.columns(in: "block").contains(where: { $0.name == "allows" }) { try db.execute(sql: version3) }
            try db.execute(sql: "PRAGMA user_version = 3")
        }
        migrator.registerMigration("4") { db in
            try db.execute(sql: version4)
            try db.execute(sql: "PRAGMA user_version = 4")
        }
        migrator.registerMigration("5") { db in
            if try !db.tableExists("forgottenUse") {
                try db.execute(sql: forgottenUse)
                try noteForgettingUntilNow(db, clock())
            }
            if try !db.columns(in: "usedDigest").contains(where: { $0.name == "madeAt" }) {
                try db.execute(sql: "ALTER TABLE usedDigest ADD COLUMN madeAt INTEGER")
            }
            try db.execute(sql: version5)
            try db.execute(sql: "PRAGMA user_version = 5")
        }
        return migrator
    }

    /// Notes what older ledgers may have forgotten, without apps and kinds: up to version 3 without a note, what ended by
    /// ``LedgerRules/retention`` ago; in version 4 what it noted, which may once have been one of these. What ends first is
    /// forgotten first, so that it is nothing beyond what is still stored, however far ahead the machine's clock is.
    ///
    /// A note of its own: a program of version 4 that still has the file open goes on with the older one.
    private static func noteForgettingUntilNow(_ db: Database, _ now: Date) throws {
        try db.execute(
            sql: """
                WITH unnoted (until) AS (SELECT min(?1, coalesce((SELECT min(until) FROM usedDigest), ?1)))
                INSERT OR IGNORE INTO forgotten (what, until)
                SELECT 'usedDigest before 5',
                max(until, coalesce((SELECT until FROM forgotten WHERE what = 'usedDigest'), until)) FROM unnoted
                """, arguments: [(now - LedgerRules.retention).microseconds])
    }

    /// Times are microseconds since 1970-01-01T00:00:00Z.
    ///
    /// `IF NOT EXISTS`, because of two processes that create a ledger at once the second may get here as well.
    private static let version1 = """
        CREATE TABLE IF NOT EXISTS challenge (
            value BLOB NOT NULL PRIMARY KEY,
            app TEXT NOT NULL,
            purpose TEXT NOT NULL,
            issuedAt INTEGER NOT NULL,
            expiresAt INTEGER NOT NULL,
            consumedAt INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS challengeByExpiry ON challenge (expiresAt);
        CREATE TABLE IF NOT EXISTS enrolledKey (
            engine TEXT NOT NULL,
            identifier BLOB NOT NULL,
            app TEXT NOT NULL,
            publicKey BLOB NOT NULL,
            counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
            enrolledAt INTEGER NOT NULL,
            properties TEXT NOT NULL,
            PRIMARY KEY (engine, identifier)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS usedDigest (
            digest BLOB NOT NULL PRIMARY KEY,
            app TEXT NOT NULL,
            kind TEXT NOT NULL,
            usedAt INTEGER NOT NULL,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS usedDigestByEnd ON usedDigest (until);
        CREATE TABLE IF NOT EXISTS block (
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER,
            PRIMARY KEY (kind, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// `masterKey` tells master keys apart and is none; `sealed` binds all other columns.
    private static let version2 = """
        CREATE TABLE IF NOT EXISTS sealedKey (
            name TEXT NOT NULL PRIMARY KEY,
            purpose TEXT NOT NULL,
            scope TEXT,
            algorithm TEXT NOT NULL,
            notBefore INTEGER,
            notAfter INTEGER,
            retiredAt INTEGER,
            addedAt INTEGER NOT NULL,
            masterKey BLOB NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Allowances stand among the blocks, so that a subject has one of them. A program of an older version that still has
    /// the file open takes an allowance for a block, which is the safe side, and what it writes is a block.
    private static let version3 =
        "ALTER TABLE block ADD COLUMN allows INTEGER NOT NULL DEFAULT 0 CHECK (allows IN (0, 1))"

    /// By when what has been forgotten had ended, by the table that it stood in. Since version 5 it stands still, unless a
    /// program of version 4 has the file open.
    private static let version4 = """
        CREATE TABLE IF NOT EXISTS forgotten (
            what TEXT NOT NULL PRIMARY KEY,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The latest making of what has been forgotten, of each app and kind.
    private static let forgottenUse = """
        CREATE TABLE IF NOT EXISTS forgottenUse (
            app TEXT NOT NULL,
            kind TEXT NOT NULL,
            madeAt INTEGER NOT NULL,
            PRIMARY KEY (app, kind)
        ) STRICT, WITHOUT ROWID;
        """

    /// When the token of a row of `usedDigest` was made, or may have been at the latest.
    ///
    /// A row of before version 5, or of a program of such a version that still has the file open, does not say it. Its
    /// window cannot have ended before the token was made. It may have been made after it was used, by as much as the policy
    /// let clocks be ahead.
    static func making(_ row: String) -> String { "coalesce(\(row)madeAt, \(row)until)" }

    /// What a ledger of this version cannot do without.
    static let triggers = ["usedDigestIsForgotten"]

    /// A trigger sees what any program deletes, also one of an older version that still has the file open.
    ///
    /// It notes the next full minute (in microseconds, up to the end of time), so that not every write of a busy ledger has to
    /// change one more page.
    private static let version5 = """
        CREATE TRIGGER IF NOT EXISTS usedDigestIsForgotten AFTER DELETE ON usedDigest
        WHEN NOT EXISTS (
            SELECT 1 FROM forgottenUse
            WHERE app = old.app AND kind = old.kind AND madeAt >= \(making("old."))
        )
        BEGIN
            INSERT INTO forgottenUse (app, kind, madeAt) VALUES (
                old.app, old.kind,
                CASE WHEN \(making("old.")) < 9223372036794775807
                THEN \(making("old.")) / 60000000 * 60000000 + 60000000 ELSE 9223372036854775807 END
            ) ON CONFLICT (app, kind) DO UPDATE SET madeAt = excluded.madeAt;
        END;
        """
}
