import AssayCore
import GRDB

/// The tables, their versions, and how to tell a ledger from other SQLite files.
enum LedgerSchema {
    /// "ASSY", in the header of the file: <https://www.sqlite.org/fileformat.html#application_id>.
    static let applicationID = 0x4153_5359
    /// The version of the tables that this code reads and writes. It stands in the file as `user_version`.
    static let version = 4

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

    /// Marks an empty file as a ledger, before anything else is in it.
    static func claim(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    }

    /// Brings the tables to the current version. Steps are added at the end and never changed.
    static let migrator: DatabaseMigrator = {
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
        return migrator
    }()

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

    /// Up to when entries have been forgotten, by the table that they stood in.
    private static let version4 = """
        CREATE TABLE IF NOT EXISTS forgotten (
            what TEXT NOT NULL PRIMARY KEY,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
