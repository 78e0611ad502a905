import AssayCore
import AssayKeyStore
import Foundation
import GRDB

/// The tables, their versions, and the marks by which a ledger is recognised.
enum LedgerSchema {
    /// "ASSY", in the header of the file: <https://www.sqlite.org/fileformat.html#application_id>.
    static let applicationID = 0x4153_5359
    /// The version of the tables that this code reads and writes. The file stores it as `user_version`.
    static let version = 10

    /// Recognises a ledger.
    ///
    /// - Returns: the version of its tables, 0 if it has none yet, and nil for an empty file.
    /// - Throws: ``LedgerOutage`` for a file of another program, or of a newer version of this code.
    ///   A ledger with a mark is refused too, unless `isMoving`.
    static func recognise(_ db: Database, _ path: String, isMoving: Bool = false) throws -> Int? {
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
        if !isMoving, let mark = try LedgerMove.mark(db) { throw mark.outage(of: path) }
        return found
    }

    /// Marks an empty file as a ledger, and creates the table of purged digests. A ledger that had this table from the
    /// start has recorded all its purges.
    static func claim(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        try db.execute(sql: forgottenUse)
    }

    private static let migrator = migrator { Date() }

    /// Migrates the tables to the current version. Steps are added at the end and never changed.
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
            // If two processes migrate a ledger at once, both can reach this line.
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
        migrator.registerMigration("6") { db in
            if try !db.columns(in: "enrolledKey").contains(where: { $0.name == "skipped" }) {
                try db.execute(sql: version6)
            }
            try db.execute(sql: "PRAGMA user_version = 6")
        }
        migrator.registerMigration("7") { db in
            for (table, column, definition) in version7Columns
            where try !db.columns(in: table).contains(where: { $0.name == column }) {
                try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(column) \(definition)")
            }
            try db.execute(sql: version7)
            try db.execute(sql: "PRAGMA user_version = 7")
        }
        migrator.registerMigration("8") { db in
            try db.execute(sql: version8)
            try db.execute(sql: "PRAGMA user_version = 8")
        }
        migrator.registerMigration("9") { db in
            try db.execute(sql: version9)
            try db.execute(sql: "PRAGMA user_version = 9")
        }
        migrator.registerMigration("10") { db in
            try db.execute(sql: version10)
            try db.execute(sql: "PRAGMA user_version = 10")
        }
        return migrator
    }

    /// Records what older versions may have purged, without apps and kinds. Up to version 3: everything that ended
    /// ``LedgerRules/retention`` ago or earlier. In version 4: what it recorded, if that is later. Entries that end
    /// first are purged first, so the value is at most the earliest end still stored, even if the machine's clock is
    /// ahead.
    ///
    /// The value has a row of its own, because a program of version 4 that still has the file open updates the older
    /// row.
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
    /// `IF NOT EXISTS`: if two processes create a ledger at once, both can run this.
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

    /// `masterKey` identifies the master key, which is not stored. The seal in `sealed` covers all other columns.
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

    /// The table of blocks also stores allowances, so that a subject has one standing. A program of an older version
    /// that still has the file open reads an allowance as a block, which is safe, and writes only blocks.
    private static let version3 =
        "ALTER TABLE block ADD COLUMN allows INTEGER NOT NULL DEFAULT 0 CHECK (allows IN (0, 1))"

    /// The latest end of purged entries, by table. Since version 5 it no longer changes, except by a program of version
    /// 4 that has the file open.
    private static let version4 = """
        CREATE TABLE IF NOT EXISTS forgotten (
            what TEXT NOT NULL PRIMARY KEY,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The latest `madeAt` of purged digests, for each app and kind.
    private static let forgottenUse = """
        CREATE TABLE IF NOT EXISTS forgottenUse (
            app TEXT NOT NULL,
            kind TEXT NOT NULL,
            madeAt INTEGER NOT NULL,
            PRIMARY KEY (app, kind)
        ) STRICT, WITHOUT ROWID;
        """

    /// The latest time at which the token of a row of `usedDigest` can have been made.
    ///
    /// Rows from versions before 5 do not state it: the end of the window is the upper bound. The time of use is no
    /// bound, because policy allows clocks to be ahead.
    static func making(_ row: String) -> String { "coalesce(\(row)madeAt, \(row)until)" }

    /// The triggers of this version. A ledger without them is damaged.
    static let triggers = ["usedDigestIsForgotten", "auditIsNotChanged", "auditIsNotShortened"]

    /// A trigger also runs for deletions by older program versions that still have the file open.
    ///
    /// It rounds up to the next full minute in microseconds, so that a busy ledger changes this page once a minute and
    /// not with each write.
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

    /// The counters that a window may still accept, with the greatest counter that they refer to; see ``StoredCounters``.
    private static let version6 = "ALTER TABLE enrolledKey ADD COLUMN skipped BLOB NOT NULL DEFAULT x''"

    /// `account` and `retiredAt` of an enrolled key. `checks` of an allowance has the names of the excused checks,
    /// separated by spaces; NULL in an allowance from a version before 7, see ``LedgerTables/earlierChecks``.
    /// `operator` is the name of the operator who set a block or an allowance.
    private static let version7Columns = [
        ("enrolledKey", "account", "TEXT"), ("enrolledKey", "retiredAt", "INTEGER"), ("block", "checks", "TEXT"),
        ("block", "operator", "TEXT"),
    ]

    /// The audit trail. Its triggers apply to all programs that open the file. The hashes show changes made without
    /// SQLite.
    private static let version7 = """
        CREATE INDEX IF NOT EXISTS enrolledKeyByAccount ON enrolledKey (account) WHERE account IS NOT NULL;
        CREATE TABLE IF NOT EXISTS audit (
            number INTEGER NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL,
            operator TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            detail TEXT NOT NULL,
            previousHash BLOB NOT NULL,
            hash BLOB NOT NULL
        ) STRICT;
        CREATE TRIGGER IF NOT EXISTS auditIsNotChanged BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'entries of the audit trail are never changed'); END;
        CREATE TRIGGER IF NOT EXISTS auditIsNotShortened BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'entries of the audit trail are never deleted'); END;
        """

    /// The operators of a service. Rows stay after an operator expires or is revoked.
    private static let version8 = """
        CREATE TABLE IF NOT EXISTS operator (
            tokenHash BLOB NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            role TEXT NOT NULL,
            addedAt INTEGER NOT NULL,
            addedBy TEXT,
            until INTEGER NOT NULL,
            revokedAt INTEGER,
            revokedBy TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS operatorByName ON operator (name);
        """

    /// Documents that processes share. The table has row IDs, because `WITHOUT ROWID` suits small rows only:
    /// <https://www.sqlite.org/withoutrowid.html>.
    private static let version9 = """
        CREATE TABLE IF NOT EXISTS document (
            name TEXT NOT NULL PRIMARY KEY,
            bytes BLOB NOT NULL,
            revision INTEGER NOT NULL,
            storedAt INTEGER NOT NULL
        ) STRICT;
        """

    /// Tasks of processes. `dueAt` of a leased task is the end of the lease.
    private static let version10 = """
        CREATE TABLE IF NOT EXISTS task (
            queue TEXT NOT NULL,
            key BLOB NOT NULL,
            dueAt INTEGER NOT NULL,
            holder TEXT,
            bytes BLOB NOT NULL,
            revision INTEGER NOT NULL,
            PRIMARY KEY (queue, key)
        ) STRICT;
        CREATE INDEX IF NOT EXISTS taskByTime ON task (queue, dueAt);
        """
}
