/// The statements of a ledger, on the tables of its schema.
///
/// Statements on several rows take them in the order of their keys, and tables always come in the same order, so that batches of
/// several servers do not deadlock.
struct LedgerStatements: Sendable {
    static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED", name: "begin")
    static let beginSnapshot = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    /// The server's time in microseconds, as an expression.
    static let serverTime = "(extract(epoch FROM clock_timestamp()) * 1000000)::int8"
    static let commit = Statement("COMMIT", name: "commit")
    static let rollback = Statement("ROLLBACK", name: "rollback")

    static let challengeColumns = "id, whole, app, purpose, issued_at, expires_at, consumed_at"
    static let keyColumns =
        "id, whole, app, public_key, counter, skipped, enrolled_at, properties, account, retired_at"
    static let stateColumns = "id, app, counter, skipped, account, retired_at"
    static let digestColumns = "id, whole, app, kind, made_at, used_at, until"
    static let standingColumns = "id, whole, reason, since, until, allows, checks, operator"
    static let operatorColumns = "token_hash, name, role, added_at, added_by, until, revoked_at, revoked_by"
    static let sealedKeyColumns =
        "name, purpose, scope, algorithm, not_before, not_after, retired_at, added_at, master_key, sealed"
    static let auditColumns = "number, at, operator, action, subject, detail, previous_hash, hash"

    /// The schema, quoted.
    let schema: String

    let claimBatch, lockAccounts, lockChallenges, lockKeyStates, lockKeys, lockKeysOfAccounts: Statement
    let findAnyStanding, findStandings, findDigests: Statement
    let insertChallenges, consumeChallenges, insertKeys, advanceKeys, changeKeys, insertDigests: Statement
    let findKey, findOperator, findDocument: Statement
    let lockAudit, findMark, appendAudit, moveAuditHead: Statement

    init(schema name: String) {
        let schema = "\"\(name)\""
        self.schema = schema
        func prepared(_ name: String, _ text: String) -> Statement { Statement(text, name: name) }
        // Behind a pooler, the server may have become one with older data since the writer registered.
        claimBatch = prepared(
            "claim_batch",
            """
            UPDATE \(schema).writer SET batch = $3, seen_at = \(Self.serverTime)
            WHERE id = $1 AND epoch = $2 AND batch >= $4 RETURNING seen_at
            """)
        lockAccounts = prepared(
            "lock_accounts", "SELECT id FROM \(schema).account_lock WHERE id = ANY($1) ORDER BY id FOR UPDATE")
        lockChallenges = prepared(
            "lock_challenges",
            "SELECT \(Self.challengeColumns) FROM \(schema).challenge WHERE id = ANY($1) ORDER BY id FOR UPDATE")
        lockKeyStates = prepared(
            "lock_key_states",
            "SELECT \(Self.stateColumns) FROM \(schema).enrolled_key WHERE id = ANY($1) ORDER BY id FOR UPDATE")
        lockKeys = prepared(
            "lock_keys",
            "SELECT \(Self.keyColumns) FROM \(schema).enrolled_key WHERE id = ANY($1) ORDER BY id FOR UPDATE")
        lockKeysOfAccounts = prepared(
            "lock_keys_of_accounts",
            """
            SELECT \(Self.keyColumns) FROM \(schema).enrolled_key
            WHERE id = ANY($1) OR (account IS NOT NULL AND sha256(account) = ANY($2)) ORDER BY id FOR UPDATE
            """)
        findAnyStanding = prepared("find_any_standing", "SELECT 1 FROM \(schema).standing LIMIT 1")
        findStandings = prepared(
            "find_standings", "SELECT \(Self.standingColumns) FROM \(schema).standing WHERE id = ANY($1)")
        // One snapshot: if the marks were read before the digests, a purge in between would make a used digest fresh.
        findDigests = prepared(
            "find_digests",
            """
            SELECT 0::int4 AS part, id, NULL::bytea AS app, NULL::bytea AS kind, used_at
            FROM \(schema).used_digest WHERE id = ANY($1)
            UNION ALL SELECT 1::int4, NULL::bytea, app, kind, made_at FROM \(schema).forgotten_use
            """)
        insertChallenges = prepared(
            "insert_challenges",
            """
            INSERT INTO \(schema).challenge (\(Self.challengeColumns))
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[], $5::int8[], $6::int8[], $7::int8[])
            AS new (id) ORDER BY id
            """)
        // The row counts are compared inside of the transaction: a division by zero voids the COMMIT.
        consumeChallenges = prepared(
            "consume_challenges",
            """
            WITH changed AS (
                UPDATE \(schema).challenge AS stored SET consumed_at = new.at
                FROM unnest($1::bytea[], $2::int8[]) AS new (id, at)
                WHERE stored.id = new.id AND stored.consumed_at IS NULL RETURNING 1)
            SELECT 1 / (count(*) = $3::int8)::int4 FROM changed
            """)
        insertKeys = prepared(
            "insert_keys",
            """
            INSERT INTO \(schema).enrolled_key (\(Self.keyColumns))
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[], $5::int8[], $6::bytea[], $7::int8[],
            $8::bytea[], $9::bytea[], $10::int8[]) AS new (id) ORDER BY id
            """)
        // Compares again, so that no code path can lower a counter.
        advanceKeys = prepared(
            "advance_keys",
            """
            WITH changed AS (
                UPDATE \(schema).enrolled_key AS stored SET counter = new.counter, skipped = new.skipped
                FROM unnest($1::bytea[], $2::int8[], $3::bytea[]) AS new (id, counter, skipped)
                WHERE stored.id = new.id AND (stored.counter < new.counter
                    OR (stored.counter = new.counter AND stored.skipped <> new.skipped)) RETURNING 1)
            SELECT 1 / (count(*) = $4::int8)::int4 FROM changed
            """)
        changeKeys = prepared(
            "change_keys",
            """
            WITH changed AS (
                UPDATE \(schema).enrolled_key AS stored SET properties = new.properties, account = new.account,
                retired_at = new.retired_at
                FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::int8[])
                AS new (id, properties, account, retired_at)
                WHERE stored.id = new.id RETURNING 1)
            SELECT 1 / (count(*) = $5::int8)::int4 FROM changed
            """)
        insertDigests = prepared(
            "insert_digests",
            """
            INSERT INTO \(schema).used_digest (\(Self.digestColumns))
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[], $5::int8[], $6::int8[], $7::int8[])
            AS new (id) ORDER BY id
            """)
        findKey = prepared("find_key", "SELECT \(Self.keyColumns) FROM \(schema).enrolled_key WHERE id = $1")
        findOperator = prepared(
            "find_operator", "SELECT \(Self.operatorColumns) FROM \(schema).operator WHERE token_hash = $1")
        findDocument = prepared(
            "find_document", LedgerTables.documents.query(schema, "WHERE name = $1"))
        lockAudit = Statement("SELECT number, hash FROM \(schema).audit_head WHERE one = 1 FOR UPDATE")
        findMark = Statement("SELECT moved_to FROM \(schema).ledger WHERE one = 1")
        appendAudit = Statement(
            """
            INSERT INTO \(schema).audit (\(Self.auditColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """)
        moveAuditHead = Statement("UPDATE \(schema).audit_head SET number = $1, hash = $2 WHERE one = 1")
    }
}
