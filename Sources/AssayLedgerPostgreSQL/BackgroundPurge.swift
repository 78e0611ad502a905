import AssayCore
import FoundationEssentials
import Synchronization

/// Purging. A purged challenge is unknown and so refused. A purged digest might be used again: for each app and kind, the
/// ledger keeps the latest `made_at` of the purged digests (``LedgerRules/requireRemembered(_:forgotten:)``), in the statement that
/// deletes them.
///
/// One server purges at a time, some entries in each transaction. Marks say up to which end everything is purged: without them
/// the search would pass the index entries of rows that are dead already.
final class BackgroundPurge: Sendable {
    /// How many challenges, and how many digests, one transaction deletes.
    private static let limit: Int64 = 1000
    /// The shortest time between two purges of this process.
    private static let interval = Duration.seconds(1)
    /// How many transactions one purge in the background has at most.
    private static let maximumTransactions = 20
    /// After how long a purge looks for rows before the marks: a challenge that was locked, or an entry that was written late.
    private static let fullInterval = Duration.seconds(3600)

    private struct State {
        var isRunning = false
        var last: ContinuousClock.Instant?
        var lastFull: ContinuousClock.Instant?
    }

    private let statements: LedgerStatements
    private let purging: LedgerPurging
    private let office: OfficeThread
    private let counters: LedgerCounters
    private let state = Mutex(State())

    init(statements: LedgerStatements, purging: LedgerPurging, office: OfficeThread, counters: LedgerCounters) {
        self.statements = statements
        self.purging = purging
        self.office = office
        self.counters = counters
    }

    /// Purges in the background, unless that was done within the last second.
    ///
    /// - Parameter now: the earliest time of the last writes.
    func begin(at now: Date) {
        guard let horizon = purging.horizon(at: now) else { return }
        let instant = ContinuousClock.now
        let isFull: Bool? = state.withLock { state in
            if state.isRunning { return nil }
            if let last = state.last, instant - last < Self.interval { return nil }
            (state.isRunning, state.last) = (true, instant)
            let isFull = state.lastFull.map { instant - $0 >= Self.fullInterval } ?? true
            if isFull { state.lastFull = instant }
            return isFull
        }
        guard let isFull else { return }
        let isBegun = office.begin { [self] holder in
            defer { state.withLock { $0.isRunning = false } }
            // The next purge repeats what fails here.
            if isFull { _ = try? holder.transact([Step(deleteWriters)]) }
            for number in 0..<Self.maximumTransactions {
                let count = try? purge(until: horizon, holder, isFull: isFull && number == 0, isWaiting: false)
                guard let count, count > 0 else { return }
            }
        }
        if !isBegun { state.withLock { $0.isRunning = false } }
    }

    /// Purges everything that may be, and returns how many entries that were.
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
    ///   - isFull: whether to look also before the marks.
    ///   - isWaiting: whether to wait for another server that purges. Otherwise nothing is done.
    private func purge(until horizon: Date, _ holder: ConnectionHolder, isFull: Bool, isWaiting: Bool) throws -> Int {
        let connection = try holder.current()
        let settings = holder.transactionSettings(connection)
        let lock = Statement(
            """
            SELECT challenges_until, digests_until, least($1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8
            - \(Int64(LedgerRules.retention * 1_000_000)))
            FROM \(statements.schema).purge WHERE one = 1 FOR UPDATE \(isWaiting ? "" : "SKIP LOCKED")
            """)
        var parameters = Parameters()
        parameters.add(horizon.microseconds)
        // The ledger's mark is read behind the lock: a migration stores it before it takes the lock. Then it reads the rows.
        let opening = try holder.run(
            [Step(LedgerStatements.begin)] + settings + [Step(lock, parameters), Step(statements.findMark)])
        let marks = opening[opening.count - 2]
        guard opening[opening.count - 1].bytes(0, 0) == nil, let challenges = marks.integer(0, 0),
            let digests = marks.integer(0, 1),
            let end = marks.integer(0, 2)
        else {
            _ = try holder.run([Step(LedgerStatements.rollback)])
            return 0
        }
        func range(_ start: Int64) -> Parameters {
            var parameters = Parameters()
            parameters.add(isFull ? Int64.min : start)
            parameters.add(end)
            parameters.add(Self.limit)
            return parameters
        }
        let deleted = try holder.run([Step(deleteChallenges, range(challenges)), Step(deleteDigests, range(digests))])
        let counts = deleted.map { Int($0.integer(0, 0) ?? 0) }
        guard counts.contains(where: { $0 > 0 }) else {
            _ = try holder.run([Step(LedgerStatements.rollback)])
            return 0
        }
        var next = Parameters()
        for (rows, start) in zip(deleted, [challenges, digests]) {
            let isComplete = (rows.integer(0, 0) ?? 0) < Self.limit
            // Rows of the same end may be left behind the last one.
            next.add(max(start, isComplete ? end : (rows.integer(0, 1) ?? start) - 1))
        }
        let move = Statement(
            "UPDATE \(statements.schema).purge SET challenges_until = $1, digests_until = $2 WHERE one = 1")
        _ = try holder.run([Step(move, next), Step(LedgerStatements.commit)])
        let count = counts.reduce(0, +)
        counters.count(\.purged, count)
        return count
    }

    /// Rows of writers that have been gone for a week. A writer that comes back begins another one.
    private var deleteWriters: Statement {
        Statement(
            """
            DELETE FROM \(statements.schema).writer
            WHERE seen_at < (extract(epoch FROM clock_timestamp()) * 1000000)::int8 - 604800000000
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
