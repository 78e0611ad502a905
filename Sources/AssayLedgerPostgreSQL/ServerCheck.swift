import AssayCore
import FoundationEssentials

/// Looks at the server of a ledger: its settings, standbys and clock, and the definitions of the tables.
package struct ServerCheck {
    /// The clock difference from which it is reported, in microseconds.
    private static let clockLimit: Int64 = 1_000_000
    /// Dead rows of a table that are reported: autovacuum begins with a fifth of the live ones.
    private static let deadRows: Int64 = 100_000
    /// The log that an unused replication slot may keep, in bytes.
    private static let slotLimit: Int64 = 1 << 30

    let schema: String

    func problems(_ holder: ConnectionHolder) throws -> [String] {
        let ofSchema = [Self.bloat, Self.uniqueColumns, Self.indexes, Self.additions, Self.rights]
        let steps = [ServerSettings.query, Self.standbys, Self.slots, Self.switches].map { Step($0) }
        let rows = try holder.run(steps + ofSchema.map { Step($0, schema) })
        let settings = ServerSettings(rows[0], now: Date().microseconds)
        return [
            settings.objection.map { "the server may forget what it has committed: \($0)" },
            Self.clockProblem(settings.clockDifference), standbyProblem(settings, rows[1]),
        ].compactMap { $0 } + slotProblems(rows[2]) + switchProblems(rows[3]) + bloatProblems(rows[4])
            + keyProblems(rows[5]) + indexProblems(rows[6]) + additionProblems(rows[7]) + rightProblems(rows[8])
    }

    /// What is wrong with the server's clock.
    ///
    /// - Parameter difference: its time minus that of this machine, in microseconds.
    package static func clockProblem(_ difference: Int64) -> String? {
        guard difference.magnitude > UInt64(clockLimit) else { return nil }
        let seconds = Double(difference.magnitude) / 1_000_000
        return
            "the clock of the server is \(seconds) seconds \(difference > 0 ? "ahead of" : "behind") this machine's; "
            + "synchronise both"
    }

    // MARK: Standbys and settings

    /// Roles without pg_read_all_stats see no states.
    private static let standbys = Statement(
        """
        SELECT count(*) FROM pg_catalog.pg_stat_replication
        WHERE sync_state IS NULL OR sync_state IN ('sync', 'quorum')
        """)

    private func standbyProblem(_ settings: ServerSettings, _ rows: StatementRows) -> String? {
        guard !settings.synchronousStandbys.isEmpty, rows.integer(0, 0) == 0 else { return nil }
        return "synchronous_standby_names is set, and no synchronous standby is connected: every write waits for one"
    }

    private static let slots = Statement(
        """
        SELECT convert_to(slot_name::text, 'UTF8'), pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::int8
        FROM pg_catalog.pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL
        """)

    private func slotProblems(_ rows: StatementRows) -> [String] {
        (0..<rows.count).compactMap { Self.slotProblem(text(rows, $0, 0), keeps: rows.integer($0, 1) ?? 0) }
    }

    /// What is wrong with a replication slot that is not in use.
    ///
    /// - Parameter bytes: the log that it keeps.
    package static func slotProblem(_ name: String, keeps bytes: Int64) -> String? {
        guard bytes > slotLimit else { return nil }
        return
            "replication slot \(name) is not in use and keeps \(bytes >> 20) MiB of the log, until the disk is full: connect its "
            + "standby, or drop it"
    }

    private static let switches = Statement(
        """
        SELECT convert_to(name, 'UTF8'), convert_to(setting, 'UTF8') FROM pg_catalog.pg_settings
        WHERE (name IN ('autovacuum', 'track_counts') AND setting = 'off')
        OR (name IN ('zero_damaged_pages', 'ignore_checksum_failure') AND setting = 'on') ORDER BY name
        """)

    private func switchProblems(_ rows: StatementRows) -> [String] {
        (0..<rows.count).map { row in
            let (name, value) = (text(rows, row, 0), text(rows, row, 1))
            let effect = value == "on" ? "the server hides damage of its files" : "dead rows are never removed"
            return "\(name) is \(value): \(effect); turn it \(value == "on" ? "off" : "on")"
        }
    }

    /// The tables of a schema with their live and dead rows, as statistics estimate them.
    static let bloat = Statement(
        """
        SELECT convert_to(relname::text, 'UTF8'), n_live_tup, n_dead_tup FROM pg_catalog.pg_stat_all_tables
        WHERE schemaname = convert_from($1, 'UTF8')
        """)

    private func bloatProblems(_ rows: StatementRows) -> [String] {
        (0..<rows.count).compactMap { row in
            let (live, dead) = (rows.integer(row, 1) ?? 0, rows.integer(row, 2) ?? 0)
            guard dead > Self.deadRows, dead > live else { return nil }
            return
                "table \(text(rows, row, 0)) has \(dead) dead rows beside \(live) live ones: see autovacuum and long "
                + "transactions"
        }
    }

    // MARK: Definitions

    /// The columns that are unique on their own.
    private static let uniqueColumns = Statement(
        """
        SELECT convert_to(t.relname || '.' || a.attname, 'UTF8') FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_class t ON t.oid = i.indrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
        WHERE n.nspname = convert_from($1, 'UTF8') AND i.indisunique AND i.indisvalid AND i.indimmediate
        AND i.indnkeyatts = 1 AND i.indpred IS NULL
        """)

    private func keyProblems(_ rows: StatementRows) -> [String] {
        let found = Set((0..<rows.count).map { text(rows, $0, 0) })
        return LedgerSchema.uniqueColumns.filter { !found.contains($0) }.map {
            "\($0) is not unique any more, so that evidence may be accepted twice: stop the servers, and restore the primary key"
        }
    }

    private static let indexes = Statement(
        """
        SELECT convert_to(c.relname::text, 'UTF8') FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = convert_from($1, 'UTF8') AND i.indisvalid AND i.indisready
        """)

    private func indexProblems(_ rows: StatementRows) -> [String] {
        let found = Set((0..<rows.count).map { text(rows, $0, 0) })
        return LedgerSchema.indexes.filter { !found.contains($0) }.map {
            "index \($0) is missing or invalid: create it again, as `assay ledger create` does in an empty schema"
        }
    }

    /// Triggers, rules and policies, of which a ledger has none.
    private static let additions = Statement(
        """
        SELECT convert_to('trigger ' || g.tgname || ' on table ' || t.relname, 'UTF8') FROM pg_catalog.pg_trigger g
        JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        WHERE n.nspname = convert_from($1, 'UTF8') AND NOT g.tgisinternal
        UNION ALL SELECT convert_to('rule ' || r.rulename || ' on table ' || t.relname, 'UTF8') FROM pg_catalog.pg_rewrite r
        JOIN pg_catalog.pg_class t ON t.oid = r.ev_class JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        WHERE n.nspname = convert_from($1, 'UTF8') AND t.relkind = 'r'
        UNION ALL SELECT convert_to('row level security on table ' || t.relname, 'UTF8') FROM pg_catalog.pg_class t
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        WHERE n.nspname = convert_from($1, 'UTF8') AND t.relrowsecurity
        """)

    private func additionProblems(_ rows: StatementRows) -> [String] {
        (0..<rows.count).map {
            "there is \(text(rows, $0, 0)), which no ledger has: it may change or hide what is stored; drop it"
        }.sorted()
    }

    /// Who but the owner may change or delete entries of the audit trail, and what all roles may do.
    private static let rights = Statement(
        """
        SELECT convert_to(coalesce(r.rolname, ''), 'UTF8'), convert_to(a.privilege_type, 'UTF8'),
        convert_to(t.relname::text, 'UTF8')
        FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL aclexplode(t.relacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
        WHERE n.nspname = convert_from($1, 'UTF8') AND t.relkind = 'r' AND a.grantee <> t.relowner
        AND (a.grantee = 0 OR (t.relname = 'audit' AND a.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER')))
        ORDER BY 3, 1, 2
        """)

    private func rightProblems(_ rows: StatementRows) -> [String] {
        (0..<rows.count).map { row in
            let name = text(rows, row, 0)
            let role = name.isEmpty ? "every role" : "role \(name)"
            return
                "\(role) has the right \(text(rows, row, 1)) on table \(text(rows, row, 2)), which `assay ledger create` does not "
                + "grant; revoke it"
        }
    }

    private func text(_ rows: StatementRows, _ row: Int, _ column: Int) -> String {
        String(decoding: rows.bytes(row, column) ?? [], as: UTF8.self)
    }
}
