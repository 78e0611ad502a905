import AssayCore
import GRDB

/// The tables, their version, and the marks by which a ledger is recognised.
enum LedgerSchema {
    /// "ASYL", in the header of the file: <https://www.sqlite.org/fileformat.html#application_id>.
    static let applicationID = 0x4153_594C
    /// "ASSY", the mark of unreleased builds before version 1.
    private static let unreleasedID = 0x4153_5359
    /// The version of the tables that this code reads and writes. The file stores it as `user_version`.
    static var version: Int { 1 + migrations.count }

    /// The statements that bring the tables of version 1 to version 2, those for version 3, and so on. They are added at the end and
    /// never changed.
    private static let migrations: [String] = []

    /// The tables with entries that writers change.
    static let tables = [
        "challenge", "enrolledKey", "usedDigest", "block", "sealedKey", "forgottenUse", "audit", "operator", "document",
        "task",
    ]

    /// The triggers of this version. A ledger without them is damaged.
    static let triggers = ["usedDigestIsForgotten", "auditIsNotChanged", "auditIsNotShortened"]

    /// Recognises a ledger.
    ///
    /// - Returns: the version of its tables; nil for an empty file.
    /// - Throws: ``LedgerOutage`` for a file of another program, of an unreleased build, or of a newer version of this code.
    ///   A ledger with a mark is refused too, unless `isMoving`.
    static func recognise(_ db: Database, _ path: String, isMoving: Bool = false) throws -> Int? {
        let identifier = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if identifier == 0, found == 0, try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 {
            return nil
        }
        guard identifier != unreleasedID else {
            throw LedgerOutage(
                .corrupt,
                "\(path) is a ledger of an unreleased build, version \(found), which no release reads; make a new ledger, or "
                    + "export this one with the program that wrote it")
        }
        guard identifier == applicationID, found > 0 else {
            throw LedgerOutage(.corrupt, "\(path) is a SQLite database, but not a ledger; name another file")
        }
        guard found <= version else {
            throw LedgerOutage(
                .newerSchema, "\(path) is of version \(found), and this program knows up to \(version); update it")
        }
        if !isMoving, let mark = try LedgerMove.mark(db) { throw mark.outage(of: path) }
        return found
    }

    /// Makes an empty file a ledger, and brings an older ledger to the current version. The caller holds a transaction.
    ///
    /// - Parameter found: the version of the tables; nil for an empty file.
    static func update(_ db: Database, from found: Int?) throws {
        if found == nil {
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: version1)
        }
        for statements in migrations.dropFirst((found ?? 1) - 1) { try db.execute(sql: statements) }
        // Also without a change: this write proves that the ledger is writable.
        try db.execute(sql: "PRAGMA user_version = \(version)")
    }

    /// Times are microseconds since 1970-01-01T00:00:00Z.
    ///
    /// - `enrolledKey.skipped` has the counters that a window may still accept; see ``StoredCounters``.
    /// - `usedDigest.madeAt` is the latest time at which the evidence can have been made.
    /// - `block` has blocks and allowances, so that a subject has one standing. `checks` of an allowance has the names of the excused
    ///   checks, separated by spaces. `operator` is the name of the operator who set it.
    /// - `sealedKey.masterKey` identifies the master key, which is not stored. The seal in `sealed` covers all other columns.
    /// - `forgottenUse` has the latest `madeAt` of purged digests, for each app and kind, and the end of the ledger's quarantine. Its
    ///   trigger rounds up to the next full minute, so that a busy ledger changes this page once a minute and not with each write.
    /// - The triggers of `audit` apply to all programs that open the file. The hashes show changes made without SQLite. `auditBySubject`
    ///   finds the last entry about a sealed key.
    /// - Rows of `operator` stay after an operator expires or is revoked.
    /// - `document` and `task` have row IDs, because `WITHOUT ROWID` suits small rows only: <https://www.sqlite.org/withoutrowid.html>.
    ///   `dueAt` of a leased task is the end of the lease.
    private static let version1 = """
        CREATE TABLE challenge (
            value BLOB NOT NULL PRIMARY KEY,
            app TEXT NOT NULL,
            purpose TEXT NOT NULL,
            issuedAt INTEGER NOT NULL,
            expiresAt INTEGER NOT NULL,
            consumedAt INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX challengeByExpiry ON challenge (expiresAt);
        CREATE TABLE enrolledKey (
            engine TEXT NOT NULL,
            identifier BLOB NOT NULL,
            app TEXT NOT NULL,
            publicKey BLOB NOT NULL,
            counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
            enrolledAt INTEGER NOT NULL,
            properties TEXT NOT NULL,
            skipped BLOB NOT NULL DEFAULT x'',
            account TEXT,
            retiredAt INTEGER,
            PRIMARY KEY (engine, identifier)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX enrolledKeyByAccount ON enrolledKey (account) WHERE account IS NOT NULL;
        CREATE TABLE usedDigest (
            digest BLOB NOT NULL PRIMARY KEY,
            app TEXT NOT NULL,
            kind TEXT NOT NULL,
            madeAt INTEGER NOT NULL,
            usedAt INTEGER NOT NULL,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX usedDigestByEnd ON usedDigest (until);
        CREATE TABLE forgottenUse (
            app TEXT NOT NULL,
            kind TEXT NOT NULL,
            madeAt INTEGER NOT NULL,
            PRIMARY KEY (app, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER usedDigestIsForgotten AFTER DELETE ON usedDigest
        WHEN NOT EXISTS (
            SELECT 1 FROM forgottenUse WHERE app = old.app AND kind = old.kind AND madeAt >= old.madeAt
        )
        BEGIN
            INSERT INTO forgottenUse (app, kind, madeAt) VALUES (
                old.app, old.kind,
                CASE WHEN old.madeAt < 9223372036794775807
                THEN old.madeAt / 60000000 * 60000000 + 60000000 ELSE 9223372036854775807 END
            ) ON CONFLICT (app, kind) DO UPDATE SET madeAt = excluded.madeAt;
        END;
        CREATE TABLE block (
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER,
            allows INTEGER NOT NULL CHECK (allows IN (0, 1)),
            checks TEXT,
            operator TEXT,
            PRIMARY KEY (kind, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sealedKey (
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
        CREATE TABLE operator (
            tokenHash BLOB NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            role TEXT NOT NULL,
            addedAt INTEGER NOT NULL,
            addedBy TEXT,
            until INTEGER NOT NULL,
            revokedAt INTEGER,
            revokedBy TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX operatorByName ON operator (name);
        CREATE TABLE audit (
            number INTEGER NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL,
            operator TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            detail TEXT NOT NULL,
            previousHash BLOB NOT NULL,
            hash BLOB NOT NULL
        ) STRICT;
        CREATE INDEX auditBySubject ON audit (subject, number);
        CREATE TRIGGER auditIsNotChanged BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'entries of the audit trail are never changed'); END;
        CREATE TRIGGER auditIsNotShortened BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'entries of the audit trail are never deleted'); END;
        CREATE TABLE document (
            name TEXT NOT NULL PRIMARY KEY,
            bytes BLOB NOT NULL,
            revision INTEGER NOT NULL,
            storedAt INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE task (
            queue TEXT NOT NULL,
            key BLOB NOT NULL,
            dueAt INTEGER NOT NULL,
            holder TEXT,
            bytes BLOB NOT NULL,
            revision INTEGER NOT NULL,
            PRIMARY KEY (queue, key)
        ) STRICT;
        CREATE INDEX taskByTime ON task (queue, dueAt);
        """
}
