import AssayCore
import FoundationEssentials
import Synchronization

/// Deletes expired challenges and digests. A deleted challenge is unknown, and refused. A deleted digest could be used again. To
/// prevent that, the statement that deletes digests stores their latest `made_at` for each app and kind
/// (``LedgerRules/requireRemembered(_:forgotten:)``).
///
/// One server purges at a time, with a limited number of entries in each transaction. The table `purge` stores the ends up to which
/// everything is deleted. A search that began before them would read the index entries of dead rows.
final class BackgroundPurge: Sendable {
    /// How many challenges, and how many digests, one transaction deletes.
    private static let limit: Int64 = 1000
    /// The shortest time between two purges of this process.
    private static let interval = Duration.seconds(1)
    /// How many transactions one purge in the background has at most.
    private static let maximumTransactions = 20
    /// The shortest time between two counts of live and dead rows.
    private static let statisticsInterval = Duration.seconds(60)
    /// How long the row of a writer stays that does not write, in microseconds.
    static let writerRetention: Int64 = 604_800_000_000
    /// The time between two full purges, which also search before the stored ends: for challenges that were locked, and entries
    /// that were written late.
    private static let fullInterval = Duration.seconds(3600)

    private struct State {
        var isRunning = false
        var last: ContinuousClock.Instant?
        var lastFull: ContinuousClock.Instant?
        var lastStatistics: ContinuousClock.Instant?
    }

    private let statements: LedgerStatements
    private let purging: LedgerPurging
    private let office: AdministrationThread
    private let counters: LedgerCounters
    private let state = Mutex(State())

    init(statements: LedgerStatements, purging: LedgerPurging, office: AdministrationThread, counters: LedgerCounters) {
        self.statements = statements
        self.purging = purging
        self.office = office
        self.counters = counters
    }

    /// Begins a purge in the background, at most once a second.
    ///
    /// - Parameter now: the earliest time of the last writes.
    func begin(at now: Date) {
        guard let horizon = purging.horizon(at: now) else { return }
        let instant = ContinuousClock.now
        let plan: (isFull: Bool, countsRows: Bool)? = state.withLock { state in
            if state.isRunning { return nil }
            if let last = state.last, instant - last < Self.interval { return nil }
            (state.isRunning, state.last) = (true, instant)
            let isFull = state.lastFull.map { instant - $0 >= Self.fullInterval } ?? true
            if isFull { state.lastFull = instant }
            let countsRows = state.lastStatistics.map { instant - $0 >= Self.statisticsInterval } ?? true
            if countsRows { state.lastStatistics = instant }
            return (isFull, countsRows)
        }
        guard let (isFull, countsRows) = plan else { return }
        let isBegun = office.begin { [self] holder in
            defer { state.withLock { $0.isRunning = false } }
            // The counts are for metrics alone.
            if countsRows { try? recordRows(holder) }
            // After a failure the next purge deletes the same rows.
            if isFull { _ = try? holder.transact([Step(deleteWriters)]) }
            for number in 0..<Self.maximumTransactions {
                let count = try? purge(until: horizon, holder, isFull: isFull && number == 0, isWaiting: false)
                guard let count, count > 0 else { return }
            }
        }
        if !isBegun { state.withLock { $0.isRunning = false } }
    }

    /// Records how many rows are live and dead, for metrics.
    private func recordRows(_ holder: ConnectionHolder) throws {
        let rows = try holder.run([Step(ServerCheck.bloat, holder.target.schema)])[0]
        for row in 0..<rows.count {
            guard let table = rows.bytes(row, 0) else { continue }
            let (live, dead) = (rows.integer(row, 1) ?? 0, rows.integer(row, 2) ?? 0)
            counters.record(live: live, dead: dead, of: String(decoding: table, as: UTF8.self))
        }
    }

    /// Deletes all entries that ended early enough. Returns their number.
    func all(at now: Date) async throws(LedgerOutage) -> Int {
        guard let horizon = purging.horizon(at: now) else { return 0 }
        return try await office.run { [self] holder in
            var total = 0
            while true {
                let count = try purge(until: horizon, holder, isFull: true, isWaiting: true)
                if count == 0 { return total }
                total += count
            }
        }
    }

    /// Deletes some entries in one transaction.
    ///
    /// - Parameters:
    ///   - isFull: whether to search also before the stored ends.
    ///   - isWaiting: whether to wait while another server purges. Otherwise nothing is deleted then.
    private func purge(until horizon: Date, _ holder: ConnectionHolder, isFull: Bool, isWaiting: Bool) throws -> Int {
        let connection = try holder.current()
        let settings = holder.transactionSettings(connection)
        let lock = Statement(
            """
            SELECT challenges_until, digests_until, least($1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8
            - \(Int64(LedgerRules.retention * 1_000_000)))
            FROM \(statements.schema).purge WHERE one = 1 FOR UPDATE \(isWaiting ? "" : "SKIP LOCKED")
            """)
        // The ledger's mark is read after the lock is taken. A migration stores the mark, takes the lock, and then reads the rows.
        let opening = try holder.run(
            [Step(LedgerStatements.begin)] + settings + [Step(lock, horizon), Step(statements.findMark)])
        let marks = opening[opening.count - 2]
        guard opening[opening.count - 1].bytes(0, 0) == nil, let challenges = marks.integer(0, 0),
            let digests = marks.integer(0, 1),
            let end = marks.integer(0, 2)
        else {
            _ = try holder.run([Step(LedgerStatements.rollback)])
            return 0
        }
        func delete(_ statement: Statement, from start: Int64) -> Step {
            Step(statement, isFull ? Int64.min : start, end, Self.limit)
        }
        let deleted = try holder.run([
            delete(deleteChallenges, from: challenges), delete(deleteDigests, from: digests),
        ])
        let counts = deleted.map { Int($0.integer(0, 0) ?? 0) }
        guard counts.contains(where: { $0 > 0 }) else {
            _ = try holder.run([Step(LedgerStatements.rollback)])
            return 0
        }
        var next = Parameters()
        for (rows, start) in zip(deleted, [challenges, digests]) {
            let isComplete = (rows.integer(0, 0) ?? 0) < Self.limit
            // Of the rows with the last end, some may be left.
            next.add(max(start, isComplete ? end : (rows.integer(0, 1) ?? start) - 1))
        }
        let move = Statement(
            "UPDATE \(statements.schema).purge SET challenges_until = $1, digests_until = $2 WHERE one = 1")
        _ = try holder.run([Step(move, next), Step(LedgerStatements.commit)])
        let count = counts.reduce(0, +)
        counters.count(\.purged, count)
        return count
    }

    /// Deletes the rows of writers that have not written for a week. Such a writer inserts a new row when it writes again.
    private var deleteWriters: Statement {
        Statement(
            """
            DELETE FROM \(statements.schema).writer
            WHERE seen_at < \(LedgerStatements.serverTime) - \(Self.writerRetention)
            """)
    }

    private var deleteChallenges: Statement {
        Statement(
            """
            WITH gone AS (
                DELETE FROM \(statements.schema).challenge WHERE ctid = ANY(ARRAY(
                    SELECT ctid FROM \(statements.schema).challenge WHERE expires_at > $1 AND expires_at <= $2
                    ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED))
                RETURNING expires_at)
            SELECT count(*), max(expires_at) FROM gone
            """)
    }

    private var deleteDigests: Statement {
        Statement(
            """
            WITH gone AS (
                DELETE FROM \(statements.schema).used_digest WHERE ctid = ANY(ARRAY(
                    SELECT ctid FROM \(statements.schema).used_digest WHERE until > $1 AND until <= $2
                    ORDER BY until LIMIT $3 FOR UPDATE SKIP LOCKED))
                RETURNING app, kind, made_at, until),
            marked AS (
                INSERT INTO \(statements.schema).forgotten_use AS stored (app, kind, made_at)
                SELECT app, kind, max(made_at) FROM gone GROUP BY app, kind
                ON CONFLICT (sha256(app), sha256(kind))
                DO UPDATE SET made_at = greatest(stored.made_at, excluded.made_at))
            SELECT count(*), max(until) FROM gone
            """)
    }
}
