import AssayCore
import FoundationEssentials

/// The connection of one thread. It is opened when it is needed, and opened again after it was lost.
final class ConnectionHolder {
    /// What a database must be.
    enum Demand {
        /// A ledger of a version that this code knows, on a durable primary.
        case ledger
        /// A durable primary, for an owner who creates a ledger.
        case primary
    }

    let target: ConnectionTarget
    private let demand: Demand
    private let session: SessionSettings
    /// A tenth of the timeout. Dividing it for each operation takes longer than comparing.
    private let margin: Duration
    private var connection: DatabaseConnection?

    init(_ target: ConnectionTarget, demand: Demand = .ledger, findsByKeys: Bool) {
        self.target = target
        self.demand = demand
        margin = target.timeout / 10
        session = SessionSettings(timeout: target.timeout, findsByKeys: findsByKeys)
    }

    /// When the operations under way end at the latest, with connecting and all their round trips; nil for no limit, so that each
    /// round trip may last for the timeout.
    var limit: ContinuousClock.Instant?

    /// The time at which a round trip that begins now ends.
    var deadline: ContinuousClock.Instant {
        let latest = ContinuousClock.now + target.timeout
        return limit.map { min($0, latest) } ?? latest
    }

    /// Whether an operation is too late to begin: less than a tenth of the timeout is left. Operations share round trips, and one that
    /// ends in the middle of a round trip would close the connection of all.
    func isLate(_ deadline: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        deadline - now <= margin
    }

    /// The outage of an operation that is too late.
    var lateness: LedgerOutage {
        LedgerOutage(
            .unreachable,
            "an operation has waited for \(target.place) until it was too late, and was not sent; see whether the server answers "
                + "slowly")
    }

    /// Whether there is a connection.
    var isOpen: Bool { connection != nil }

    func current() throws -> DatabaseConnection {
        if let connection { return connection }
        let opened = try DatabaseConnection.open(target, by: deadline)
        // A pooler that ends a transaction with each statement refuses one that is open between round trips.
        if target.pooler != nil {
            _ = try opened.run([Step(LedgerStatements.begin)], by: deadline)
            _ = try opened.run([Step(LedgerStatements.rollback)], by: deadline)
        }
        let steps = [
            Step(LedgerStatements.begin),
            Step(session.statement(isLocal: target.isPooled, serverVersion: opened.serverVersion)),
            Step(ServerSettings.query), Step(LedgerStatements.commit),
        ]
        let rows = try opened.run(steps, by: deadline)
        let settings = ServerSettings(rows[2], now: Date().microseconds)
        try require(settings)
        guard target.pooler != nil || settings.backend == opened.backend else {
            throw LedgerOutage(
                .unreachable,
                "a pooler is between this machine and \(target.place): add pooler=session to the URL if each client keeps its "
                    + "server, and pooler=transaction if it does not")
        }
        if demand == .ledger {
            try LedgerVersion.require(opened, target, by: deadline)
            let watch = target.watch.step(schema: "\"\(target.schema)\"")
            try target.watch.require(opened.run([watch], by: deadline)[0], at: target.place)
        }
        connection = opened
        return opened
    }

    /// The statement with which a transaction begins: behind a pooler, the settings hold for one transaction.
    func transactionSettings(_ connection: DatabaseConnection) -> [Step] {
        guard target.isPooled else { return [] }
        return [Step(session.statement(isLocal: true, serverVersion: connection.serverVersion))]
    }

    /// Closes the connection. The next use opens another one.
    func drop() {
        // The caller may hold a reference, which would keep the connection open.
        connection?.cut()
        connection = nil
    }

    /// Executes statements, in an implicit transaction or with BEGIN and COMMIT among them, in one round trip. Closes a connection
    /// that fails. After a failed statement it ends the transaction.
    func run(_ steps: [Step]) throws -> [StatementRows] {
        let connection = try current()
        do {
            return try connection.run(steps, by: deadline)
        } catch {
            recover(from: error)
            throw error
        }
    }

    /// Executes statements in a transaction that is durable when this returns: standbys that a COMMIT waits for have it, and all
    /// that was committed before it.
    func transact(_ steps: [Step]) throws -> [StatementRows] {
        let connection = try current()
        _ = connection.takeWarning()
        let settings = transactionSettings(connection)
        let rows = try run([Step(LedgerStatements.begin)] + settings + steps + [Step(LedgerStatements.commit)])
        if let warning = connection.takeWarning() {
            throw DatabaseFailure(
                extent: .connection, state: warning,
                message: "the server has committed with a warning, such as after a cancelled wait for its standby")
        }
        return Array(rows[(1 + settings.count)...].dropLast())
    }

    /// Makes the connection usable after a failure, or closes it.
    func recover(from error: any Error) {
        guard let failure = error as? DatabaseFailure, failure.extent == .connection else {
            // A transaction may be open: in the pipeline BEGIN came before.
            if (try? connection?.run([Step(LedgerStatements.rollback)], by: deadline)) == nil { drop() }
            return
        }
        drop()
    }

    private func require(_ settings: ServerSettings) throws(LedgerOutage) {
        if settings.isStandby {
            throw LedgerOutage(
                .readOnly, "\(target.place) is a standby, which takes no writes; name the primary, or all hosts")
        }
        if let objection = settings.objection, !target.isDurabilityWaived {
            throw LedgerOutage(
                .notDurable,
                "\(target.place) may forget what it has committed: \(objection); set it to on, or add durability=waived to "
                    + "the URL")
        }
    }
}
