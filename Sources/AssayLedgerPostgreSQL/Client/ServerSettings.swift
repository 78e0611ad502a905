import AssayCore

/// The settings on which the durability of a server rests.
struct ServerSettings: Sendable, Equatable {
    /// Writes are flushed to disk; nil if the server has no such setting.
    let fsync: String?
    /// Pages are written whole after a checkpoint; nil if the server has no such setting.
    let fullPageWrites: String?
    /// What a COMMIT waits for in this session.
    let synchronousCommit: String?
    /// The standbys that a COMMIT waits for. Empty: commits are durable on one machine.
    let synchronousStandbys: String
    /// Whether the server is a standby, which takes no writes.
    let isStandby: Bool
    /// The server's time minus that of this machine, in microseconds.
    let clockDifference: Int64
    /// The server's process for this session.
    let backend: Int64

    /// Why commits may be lost in a power cut; nil if they may not.
    var objection: String? {
        for (name, value) in [("fsync", fsync), ("full_page_writes", fullPageWrites)] where value != "on" {
            return "\(name) is \(value ?? "unknown")"
        }
        guard let synchronousCommit, ["on", "remote_apply"].contains(synchronousCommit) else {
            return "synchronous_commit is \(synchronousCommit ?? "unknown")"
        }
        return nil
    }

    /// Reads the settings of the session.
    static let query = Statement(
        """
        SELECT convert_to(current_setting('fsync', true), 'UTF8'),
        convert_to(current_setting('full_page_writes', true), 'UTF8'),
        convert_to(current_setting('synchronous_commit', true), 'UTF8'),
        convert_to(coalesce(current_setting('synchronous_standby_names', true), ''), 'UTF8'),
        pg_is_in_recovery(), (extract(epoch FROM clock_timestamp()) * 1000000)::int8,
        pg_backend_pid()::int8
        """)

    init(_ rows: StatementRows, now: Int64) {
        func text(_ column: Int) -> String? { rows.bytes(0, column).map { String(decoding: $0, as: UTF8.self) } }
        (fsync, fullPageWrites, synchronousCommit) = (text(0), text(1), text(2))
        synchronousStandbys = text(3) ?? ""
        isStandby = rows.integer(0, 4) != 0
        clockDifference = (rows.integer(0, 5) ?? now) - now
        backend = rows.integer(0, 6) ?? 0
    }
}

/// The settings that each session, or behind a pooler each transaction, begins with.
struct SessionSettings: Sendable {
    private let timeout: Duration
    /// Whether statements find few rows by keys. The planner would otherwise scan a table that was empty when it planned.
    private let findsByKeys: Bool

    init(timeout: Duration, findsByKeys: Bool) {
        self.timeout = timeout
        self.findsByKeys = findsByKeys
    }

    /// The statement that sets them.
    ///
    /// - A role can turn `synchronous_commit` off, and hide warnings.
    /// - `search_path` leads to no functions of others.
    /// - A client that stalls in a transaction holds locks; the server ends it.
    func statement(isLocal: Bool, serverVersion: Int) -> Statement {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        var settings = [
            ("client_min_messages", "warning"), ("search_path", "pg_catalog"), ("lock_timeout", "\(milliseconds / 2)"),
            ("idle_in_transaction_session_timeout", "\(milliseconds)"), ("statement_timeout", "0"), ("jit", "off"),
        ]
        if serverVersion >= 140_000, !isLocal { settings.append(("client_connection_check_interval", "1000")) }
        if findsByKeys {
            settings += ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"].map { ($0, "off") }
        }
        let calls = settings.map { "set_config('\($0.0)', '\($0.1)', \(isLocal))" }
        return Statement(
            """
            SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, \(isLocal)), \(calls.joined(separator: ", "))
            """, name: "settings_\(isLocal)_\(findsByKeys)")
    }
}
