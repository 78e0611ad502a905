public import AssayCore

/// Why a statement or a connection failed.
struct DatabaseFailure: Error {
    /// Whether the connection can still be used.
    enum Extent {
        /// The statement failed. Its transaction is void.
        case statement
        /// The connection is gone, or was given up. Whether the last statements were executed is unknown.
        case connection
    }

    /// How much failed.
    let extent: Extent
    /// The SQLSTATE: <https://www.postgresql.org/docs/15/errcodes-appendix.html>. `08006` if the connection was lost.
    let state: String
    /// What the server or libpq says, in one line. It contains no password: URLs have none, and libpq prints none.
    let message: String

    /// The deadline has passed.
    static func deadline(_ what: String) -> DatabaseFailure {
        DatabaseFailure(extent: .connection, state: "08006", message: "no answer in time while \(what)")
    }

    /// Another transaction was faster, or the server chose this one to end a deadlock: the transaction can be repeated.
    var isRace: Bool { extent == .statement && ["23505", "40001", "40P01"].contains(state) }

    /// Whether one write of a batch may cause the failure.
    var isOfData: Bool {
        extent == .statement && (state.hasPrefix("22") || state.hasPrefix("XX") || state.hasPrefix("54"))
    }
}

extension DatabaseFailure {
    /// A host that was not connected to.
    ///
    /// - Parameter text: what libpq says. A refusal of the server contains its SQLSTATE, as in `FATAL:  53300: too many clients`.
    init(refusal text: String) {
        if let match = text.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) {
            self.init(
                extent: .connection, state: String(match.output.1), message: text.replacing(match.output.0, with: ": "))
            return
        }
        // libpq's own refusals have no SQLSTATE.
        let state =
            if text.contains("password") || text.contains("authentication") {
                "28000"
            } else if text.contains("session is read-only") || text.contains("hot standby mode") {
                "25006"
            } else {
                "08006"
            }
        self.init(extent: .connection, state: state, message: text.isEmpty ? "the connection was lost" : text)
    }

    /// No host was connected to. A refusal counts more than a host that cannot be reached, and a standby less: during a failover, the
    /// other host may be the primary.
    static func connecting(_ failures: [DatabaseFailure]) -> DatabaseFailure {
        guard let first = failures.first else { return .deadline("connecting") }
        let decisive =
            failures.first { !["08006", "25006"].contains($0.state) } ?? failures.first { $0.state == "08006" } ?? first
        return DatabaseFailure(
            extent: .connection, state: decisive.state, message: failures.map(\.message).joined(separator: "; "))
    }
}

/// A stored value that no ledger writes.
struct StoredValueError: Error {
    let table: String
    let column: String
}

extension OutageCode {
    /// Whether a write was applied cannot be found out: its answer was lost, and the writer's row in the database could not be
    /// asked. The evidence is not accepted; its challenge or counter may be used up.
    public static let undetermined: OutageCode = "undetermined"
    /// The server may forget what it has committed: its settings are not durable, and the ledger's URL does not waive that.
    public static let notDurable: OutageCode = "not-durable"
}

extension LedgerOutage {
    /// Describes a failure of the database at a place. The message has neither SQL nor values.
    init(_ failure: DatabaseFailure, at place: String) {
        let detail = "\(failure.message) (SQLSTATE \(failure.state))"
        switch (failure.state, failure.state.prefix(2)) {
        case ("28P01", _), ("28000", _):
            self.init(
                .unreachable,
                "\(place) refuses this role: \(detail); check the role and the password in PGPASSWORD or the password file"
            )
        case (_, "01"):
            self.init(
                .undetermined, "\(place) may lose a change if its primary is lost: \(detail); see the server's log")
        case ("53300", _), ("57P03", _):
            self.init(
                .unreachable, "\(place) takes no connection now: \(detail); see max_connections and the server's log")
        case ("08P01", _) where failure.message.contains("statement pooling mode"):
            self.init(
                .unreachable,
                "the pooler of \(place) ends a transaction after each statement: \(detail); set its pool_mode to transaction"
            )
        case (_, "08") where failure.message.contains("certificate"):
            self.init(
                .unreachable,
                "\(place) does not prove its identity: \(detail); see sslmode, sslrootcert and the server's certificate"
            )
        case (_, "08"), ("57P01", _), ("57P02", _), ("57P05", _), ("25P03", _):
            self.init(.unreachable, "\(place) cannot be reached: \(detail); check that the server runs and its address")
        case ("53100", _):
            self.init(.full, "there is no space left at \(place): \(detail); free some on the server's disk")
        case ("25006", _):
            self.init(.readOnly, "\(place) takes no writes: \(detail); name the primary, or all hosts")
        case ("42501", _):
            self.init(
                .readOnly, "the role may not do this at \(place): \(detail); see the grants of `assay ledger create`")
        case ("55P03", _), ("57014", _), ("40P01", _), ("40001", _), ("23505", _):
            self.init(.locked, "others hold rows of \(place) for too long: \(detail); see pg_stat_activity")
        case ("XX001", _), ("XX002", _), ("22012", _):
            self.init(.corrupt, "\(place) is damaged: \(detail); see what `assay ledger check` finds")
        case ("58030", _), (_, "58"):
            self.init(.inputOutput, "reading or writing at \(place) failed: \(detail); check the server's disk and log")
        case ("53200", _):
            self.init(.outOfMemory, "the server of \(place) has no memory left: \(detail)")
        case ("42P05", _), ("26000", _):
            self.init(
                .unreachable,
                "\(place) changes servers between statements: \(detail); add pooler=transaction to the URL")
        case ("42P01", _), ("3F000", _), ("42703", _):
            self.init(.corrupt, "\(place) lacks tables of a ledger: \(detail); see `assay ledger create`")
        case ("3D000", _):
            self.init(.unreachable, "\(place) has no such database: \(detail); create it, or name another one")
        default:
            self.init(.internalError, "\(place) could not be used: \(detail)")
        }
    }

    init(_ error: any Error, at place: String) {
        switch error {
        case let outage as LedgerOutage: self = outage
        case let failure as DatabaseFailure: self.init(failure, at: place)
        case let error as StoredValueError:
            self.init(
                .corrupt,
                "\(place) holds \(error.column) in table \(error.table) that no ledger writes; see what `assay ledger check` "
                    + "finds")
        default: self.init(.internalError, "\(place) could not be used, for an unexpected \(type(of: error))")
        }
    }
}
