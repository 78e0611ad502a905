import AssayCore

/// The tables, their versions, and what a role needs.
///
/// Names, reasons and apps are `bytea`: `text` refuses U+0000. Times are microseconds since 1970-01-01T00:00:00Z. There is no
/// PL/pgSQL, no advisory lock, no transaction identifier and no partition, so that other engines with the same protocol can hold
/// a ledger.
struct LedgerSchema: Sendable {
    /// The version of the tables that this code reads and writes. A version 2 needs statements that bring tables of version 1 to it, and
    /// a command that executes them for the owner: the role of a server may change no tables.
    static let version: Int64 = 1
    /// The oldest version of this code that may use the tables.
    static let compatible: Int64 = 1
    /// "ASYL", as in the header of a ledger in SQLite. Tables of unreleased builds before version 1 lack it.
    static let application: Int64 = 0x4153_594C
    /// The number of rows that serialise enrolments with a limit; see ``BatchNeeds/accountLocks``.
    static let accountLocks: Int32 = 1024

    /// The name of the schema. It is one of ``ConnectionTarget``, and needs no quotes inside.
    let name: String

    private var prefix: String { "\"\(name)\"" }

    /// The statements that create all tables, for an owner role. They are executed in one transaction.
    ///
    /// `ledger.compatible` is the oldest version of this code that may use the tables: versions apart by one work together while
    /// servers are updated.
    var creation: [String] {
        [
            "CREATE SCHEMA IF NOT EXISTS \(prefix)",
            """
            CREATE TABLE \(prefix).ledger (
                one int4 PRIMARY KEY CHECK (one = 1), version int8 NOT NULL, compatible int8 NOT NULL,
                application int8 NOT NULL, moved_to bytea)
            """,
            """
            CREATE TABLE \(prefix).writer (
                id bytea PRIMARY KEY, epoch int8 NOT NULL, batch int8 NOT NULL, seen_at int8 NOT NULL
            ) WITH (fillfactor = 50)
            """,
            "CREATE TABLE \(prefix).account_lock (id int4 PRIMARY KEY)",
            """
            CREATE TABLE \(prefix).challenge (
                id bytea PRIMARY KEY, whole bytea, app bytea NOT NULL, purpose bytea NOT NULL,
                issued_at int8 NOT NULL, expires_at int8 NOT NULL, consumed_at int8
            ) WITH (fillfactor = 90)
            """,
            "CREATE INDEX challenge_expires_at ON \(prefix).challenge (expires_at)",
            """
            CREATE TABLE \(prefix).enrolled_key (
                id bytea PRIMARY KEY, whole bytea, app bytea NOT NULL, public_key bytea NOT NULL,
                counter int8 NOT NULL CHECK (counter BETWEEN 0 AND 4294967295), skipped bytea NOT NULL,
                enrolled_at int8 NOT NULL, properties bytea NOT NULL, account bytea, retired_at int8
            ) WITH (fillfactor = 90)
            """,
            """
            CREATE INDEX enrolled_key_account ON \(prefix).enrolled_key (sha256(account)) WHERE account IS NOT NULL
            """,
            """
            CREATE TABLE \(prefix).used_digest (
                id bytea PRIMARY KEY, whole bytea, app bytea NOT NULL, kind bytea NOT NULL,
                made_at int8 NOT NULL, used_at int8 NOT NULL, until int8 NOT NULL)
            """,
            "CREATE INDEX used_digest_until ON \(prefix).used_digest (until)",
            """
            CREATE TABLE \(prefix).forgotten_use (app bytea NOT NULL, kind bytea NOT NULL, made_at int8 NOT NULL)
            """,
            "CREATE UNIQUE INDEX forgotten_use_origin ON \(prefix).forgotten_use (sha256(app), sha256(kind))",
            """
            CREATE TABLE \(prefix).standing (
                id bytea PRIMARY KEY, whole bytea, reason bytea NOT NULL, since int8 NOT NULL, until int8,
                allows int4 NOT NULL CHECK (allows IN (0, 1)), checks bytea, operator bytea)
            """,
            """
            CREATE TABLE \(prefix).operator (
                token_hash bytea PRIMARY KEY, name bytea NOT NULL, role bytea NOT NULL, added_at int8 NOT NULL,
                added_by bytea, until int8 NOT NULL, revoked_at int8, revoked_by bytea)
            """,
            "CREATE INDEX operator_name ON \(prefix).operator (sha256(name))",
            """
            CREATE TABLE \(prefix).sealed_key (
                name bytea PRIMARY KEY, purpose bytea NOT NULL, scope bytea, algorithm bytea NOT NULL,
                not_before int8, not_after int8, retired_at int8, added_at int8 NOT NULL, master_key bytea NOT NULL,
                sealed bytea NOT NULL)
            """,
            """
            CREATE TABLE \(prefix).document (
                name bytea PRIMARY KEY, content bytea NOT NULL, revision int8 NOT NULL CHECK (revision > 0),
                stored_at int8 NOT NULL)
            """,
            // `due_at` of a leased task is the end of the lease.
            """
            CREATE TABLE \(prefix).task (
                id bytea PRIMARY KEY, queue bytea NOT NULL, key bytea NOT NULL, due_at int8 NOT NULL, holder bytea,
                content bytea NOT NULL, revision int8 NOT NULL CHECK (revision > 0))
            """,
            "CREATE UNIQUE INDEX task_key ON \(prefix).task (queue, key)",
            "CREATE INDEX task_due_at ON \(prefix).task (queue, due_at)",
            """
            CREATE TABLE \(prefix).audit (
                number int8 PRIMARY KEY CHECK (number > 0), at int8 NOT NULL, operator bytea NOT NULL,
                action bytea NOT NULL, subject bytea NOT NULL, detail bytea NOT NULL, previous_hash bytea NOT NULL,
                hash bytea NOT NULL)
            """,
            "CREATE INDEX audit_subject ON \(prefix).audit (sha256(subject))",
            // Each change by an operator locks this row, so that changes happen one after the other.
            """
            CREATE TABLE \(prefix).audit_head (
                one int4 PRIMARY KEY CHECK (one = 1), number int8 NOT NULL, hash bytea NOT NULL)
            """,
            // Locked by the one server that purges. The marks are the ends up to which everything has been purged.
            """
            CREATE TABLE \(prefix).purge (
                one int4 PRIMARY KEY CHECK (one = 1), challenges_until int8 NOT NULL, digests_until int8 NOT NULL)
            """,
            """
            INSERT INTO \(prefix).ledger (one, version, compatible, application)
            VALUES (1, \(Self.version), \(Self.compatible), \(Self.application))
            """,
            "INSERT INTO \(prefix).account_lock (id) SELECT generate_series(0, \(Self.accountLocks - 1))",
            "INSERT INTO \(prefix).audit_head (one, number, hash) VALUES (1, 0, decode(repeat('00', 32), 'hex'))",
            """
            INSERT INTO \(prefix).purge (one, challenges_until, digests_until)
            VALUES (1, -9223372036854775808, -9223372036854775808)
            """,
        ]
    }

    /// The tables, and what a role of a server needs on each. It can neither change nor delete entries of the audit trail.
    private static let rights = [
        ("ledger", "SELECT"), ("writer", "SELECT, INSERT, UPDATE, DELETE"), ("account_lock", "SELECT, UPDATE"),
        ("challenge", "SELECT, INSERT, UPDATE, DELETE"), ("enrolled_key", "SELECT, INSERT, UPDATE"),
        ("used_digest", "SELECT, INSERT, UPDATE, DELETE"), ("forgotten_use", "SELECT, INSERT, UPDATE"),
        ("standing", "SELECT, INSERT, UPDATE, DELETE"), ("operator", "SELECT, INSERT, UPDATE"),
        ("sealed_key", "SELECT, INSERT, UPDATE, DELETE"), ("document", "SELECT, INSERT, UPDATE"),
        ("task", "SELECT, INSERT, UPDATE, DELETE"),
        ("audit", "SELECT, INSERT"), ("audit_head", "SELECT, UPDATE"), ("purge", "SELECT, UPDATE"),
    ]

    /// The columns whose values are unique: a second entry of a challenge, a key or a digest fails there.
    static let uniqueColumns = [
        "ledger.one", "writer.id", "account_lock.id", "challenge.id", "enrolled_key.id", "used_digest.id",
        "standing.id",
        "operator.token_hash", "sealed_key.name", "document.name", "task.id", "audit.number", "audit_head.one",
        "purge.one",
    ]

    /// The indexes beside those of ``uniqueColumns``.
    static let indexes = [
        "challenge_expires_at", "enrolled_key_account", "used_digest_until", "forgotten_use_origin", "operator_name",
        "task_key", "task_due_at", "audit_subject",
    ]

    /// The statements that grant a role what a server needs.
    func grants(to role: String) -> [String] {
        let role = "\"\(role.replacing("\"", with: "\"\""))\""
        return ["GRANT USAGE ON SCHEMA \(prefix) TO \(role)"]
            + Self.rights.map { "GRANT \($0.1) ON \(prefix).\($0.0) TO \(role)" }
    }
}

enum LedgerVersion {
    /// Throws if there is no ledger that this version of the code may use, or a marked one, unless `isMoving`.
    static func require(
        _ connection: DatabaseConnection, _ target: ConnectionTarget, by deadline: ContinuousClock.Instant,
        isMoving: Bool = false
    ) throws {
        guard let found = try find(connection, target, by: deadline) else {
            throw LedgerOutage(
                .unreachable,
                "there is no ledger in schema \(target.schema) of \(target.place); create one with `assay ledger create`"
            )
        }
        if !isMoving, let mark = found.mark { throw mark.outage(of: target.place) }
        guard found.compatible <= LedgerSchema.version else {
            throw LedgerOutage(
                .newerSchema,
                "\(target.place) is of version \(found.version), which programs from version \(found.compatible) on may use, "
                    + "and this program knows version \(LedgerSchema.version); update it")
        }
        guard found.version >= LedgerSchema.version else {
            throw LedgerOutage(
                .corrupt,
                "\(target.place) is of version \(found.version), and this program needs version \(LedgerSchema.version)"
            )
        }
    }

    /// The version; nil if the schema or the database holds no tables of a ledger. Throws for those of an unreleased build.
    static func find(
        _ connection: DatabaseConnection, _ target: ConnectionTarget, by deadline: ContinuousClock.Instant
    ) throws -> (version: Int64, compatible: Int64, mark: LedgerMark?)? {
        let exists = try connection.run([Step(existing, target.schema)], by: deadline)[0]
        let (tables, own) = (exists.integer(0, 0) ?? 0, exists.integer(0, 1) ?? 0)
        guard own > 0 else {
            if tables == 0 { return nil }
            throw LedgerOutage(
                .corrupt,
                "schema \(target.schema) of \(target.place) holds tables, but no ledger; name another one with schema=NAME"
            )
        }
        let query = Statement(
            """
            SELECT version, compatible, moved_to, (to_json(stored)->>'application')::int8
            FROM "\(target.schema)".ledger AS stored WHERE one = 1
            """)
        let rows = try connection.run([Step(query)], by: deadline)[0]
        guard let version = rows.integer(0, 0), let compatible = rows.integer(0, 1) else {
            throw StoredValueError(table: "ledger", column: "no version")
        }
        guard rows.integer(0, 3) == LedgerSchema.application else {
            throw LedgerOutage(
                .corrupt,
                "\(target.place) is a ledger of an unreleased build, version \(version), which no release reads; make a new "
                    + "ledger in another schema, or export this one with the program that wrote it")
        }
        return (version, compatible, rows.bytes(0, 2).map { LedgerMark($0) })
    }

    /// How many tables the schema has, and how many of them mark a ledger. `pg_tables` shows them to any role.
    private static let existing = Statement(
        """
        SELECT count(*), count(*) FILTER (WHERE tablename = 'ledger') FROM pg_catalog.pg_tables
        WHERE schemaname = convert_from($1, 'UTF8')
        """)
}
