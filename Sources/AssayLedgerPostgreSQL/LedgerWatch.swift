import AssayCore
import FoundationEssentials
import Synchronization

/// What a process knows of its ledger for at most a second: which tables it has, that it was not moved, that it has the batches that
/// were acknowledged, and when its quarantine ends.
final class LedgerWatch: Sendable {
    /// How long a connection relies on its last look.
    static let interval = Duration.seconds(1)

    /// The database and the table `ledger`. A standby that takes over has the same ones; tables that were dropped and restored have others.
    private struct Identity: Equatable {
        let database: Int64
        let table: Int64
    }

    private struct State {
        var identity: Identity?
        var quarantineEnd: Date?
        /// The last batch of each writer that was acknowledged, by the ID of its row, and the time that the row got with it.
        var acknowledged: [[UInt8]: (batch: Int64, seenAt: Int64)] = [:]
    }

    private let state = Mutex(State())
    private let foundStandings = Atomic<Bool>(false)
    /// The last failure of the server's disk.
    let failure = StorageFailure()

    /// The query whose row ``require(_:at:)`` takes. It counts the batches that the server lacks of those acknowledged by now. The row
    /// of an idle writer may have been purged; a day is left for the clock of a promoted standby.
    ///
    /// - Parameter schema: the schema, quoted.
    func step(schema: String) -> Step {
        let query = Statement(
            """
            SELECT moved_to, tableoid::int8,
            (SELECT oid::int8 FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()),
            (SELECT made_at FROM \(schema).forgotten_use
            WHERE sha256(app) = sha256(''::bytea) AND sha256(kind) = sha256('quarantine'::bytea)),
            (SELECT count(*) FROM unnest($1::bytea[], $2::int8[], $3::int8[]) AS mine (id, batch, seen_at)
            LEFT JOIN \(schema).writer AS stored ON stored.id = mine.id
            WHERE stored.batch >= 0 AND stored.batch < mine.batch OR (coalesce(stored.batch, -1) < 0
            AND mine.seen_at > \(LedgerStatements.serverTime) - \(BackgroundPurge.writerRetention - 86_400_000_000)))
            FROM \(schema).ledger WHERE one = 1
            """, name: "watch_ledger")
        let acknowledged = Array(state.withLock { $0.acknowledged })
        var parameters = Parameters()
        parameters.add(acknowledged, bytes: { $0.key })
        parameters.add(acknowledged, integer: { $0.value.batch })
        parameters.add(acknowledged, integer: { $0.value.seenAt })
        return Step(query, parameters)
    }

    /// Whether this process has found a block or an allowance in the ledger, or looking for any was slow.
    var hasHadStandings: Bool { foundStandings.load(ordering: .relaxed) }

    func noteStandings() { foundStandings.store(true, ordering: .relaxed) }

    /// Notes that a batch was acknowledged.
    ///
    /// - Parameters:
    ///   - id: the ID of the writer's row.
    ///   - seenAt: the time that the row got with the batch, in microseconds.
    func acknowledge(_ batch: Int64, of id: [UInt8], seenAt: Int64) {
        state.withLock { $0.acknowledged[id] = (batch, seenAt) }
    }

    /// Forgets the batches of a writer whose row was purged.
    func forget(_ id: [UInt8]) { state.withLock { $0.acknowledged[id] = nil } }

    /// Compares the ledger with the one that the first connection found, and with the batches that were acknowledged.
    ///
    /// - Throws: ``LedgerOutage`` with ``OutageCode/wrongLedger``; and for a row that no ledger has.
    func require(_ rows: StatementRows, at place: String) throws {
        guard rows.count == 1, let table = rows.integer(0, 1), let database = rows.integer(0, 2),
            let missing = rows.integer(0, 4)
        else {
            throw StoredValueError(table: "ledger", column: "no version")
        }
        if let mark = rows.bytes(0, 0) { throw LedgerMark(mark).outage(of: place) }
        let found = Identity(database: database, table: table)
        let quarantineEnd = rows.integer(0, 3).map { Date(microseconds: $0) }
        let isSame = state.withLock { state in
            state.quarantineEnd = quarantineEnd
            state.identity = state.identity ?? found
            return state.identity == found
        }
        guard isSame else {
            throw LedgerOutage(
                .wrongLedger,
                "the tables at \(place) are not those that this process has used: the ledger was restored or made anew. See "
                    + "whether it is the right one, and start all processes that use it again")
        }
        guard missing == 0 else {
            throw LedgerOutage(
                .wrongLedger,
                "the server of \(place) lacks writes that were acknowledged to this process: a standby without them was promoted, or "
                    + "older data were restored. Bring the server with the newer data back; or stop all processes that use the "
                    + "ledger, put it in quarantine with `assay ledger quarantine`, and start them again")
        }
    }

    /// The end of the quarantine, as it was known at the last look; nil for none.
    var quarantineEnd: Date? { state.withLock { $0.quarantineEnd } }

    func setQuarantine(until end: Date) { state.withLock { $0.quarantineEnd = end } }
}
