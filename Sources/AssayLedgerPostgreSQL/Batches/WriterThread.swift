import AssayCore
import Dispatch
import Foundation

/// Group commit: decides and stores the writes that are waiting, in one transaction of two round trips.
///
/// The first round trip locks and reads the rows; ``LedgerRules`` decides here; the second one stores and commits. Several
/// writers, in this process and in others, work at once: what two of them decide on is locked, or unique.
final class WriterThread {
    /// The most writes of a transaction.
    static let batchLimit = 256
    /// How often a batch is repeated that others were faster than.
    private static let raceLimit = 20
    /// The pause between attempts to ask the writer's row.
    private static let pause = 0.05

    private let queue: WorkQueue<PendingWrite>
    private let holder: ConnectionHolder
    private let statements: LedgerStatements
    private let counters: LedgerCounters
    private let purge: @Sendable (Date) -> Void
    private var row: WriterRow
    private var lastWatch: DispatchTime?
    /// How long it may take to look whether there are any standings, with the locks before, in nanoseconds.
    private static let slowLook: UInt64 = 50_000_000
    /// How often in a row it took longer.
    private var slowLooks = 0

    /// Why a batch ended without answers.
    private enum Interruption: Error {
        /// The answer of COMMIT was lost.
        case lostAnswer(any Error)
        /// Another connection has raised the epoch of this writer.
        case fenced
    }

    /// - Parameter purge: is called after each transaction with changes, with the earliest time of its writes.
    init(
        queue: WorkQueue<PendingWrite>, target: ConnectionTarget, statements: LedgerStatements,
        counters: LedgerCounters, purge: @escaping @Sendable (Date) -> Void
    ) {
        self.queue = queue
        self.statements = statements
        self.counters = counters
        self.purge = purge
        holder = ConnectionHolder(target, findsByKeys: true)
        row = WriterRow(target)
    }

    private var place: String { holder.target.place }

    /// Runs until the queue is closed and empty.
    func run() {
        while let batch = queue.take() {
            let answers = write(batch)
            let isChange = answers.contains { if case .success(let answer) = $0 { answer.isChange } else { false } }
            // Read before the answers: the callers free what they have written then.
            let now = batch.indices.lazy.map { batch[$0].now }.min()
            for index in batch.indices { batch.answer(index, answers[index]) }
            if isChange, let now { purge(now) }
        }
    }

    /// Makes writes. Returns an answer for each when all are durable. Those whose time is over are not sent.
    private func write(_ batch: [PendingWrite]) -> [Result<BatchAnswer, LedgerOutage>] {
        let now = ContinuousClock.now
        guard let earliest = Self.earliestDeadline(batch), holder.isLate(earliest, at: now) else {
            return attempt(batch)
        }
        let punctual = batch.filter { !holder.isLate($0.deadline, at: now) }
        var answers = (punctual.isEmpty ? [] : attempt(punctual)).makeIterator()
        return batch.map { pending in
            let late = Result<BatchAnswer, LedgerOutage>.failure(holder.lateness)
            return holder.isLate(pending.deadline, at: now) ? late : answers.next() ?? late
        }
    }

    private static func earliestDeadline(_ batch: [PendingWrite]) -> ContinuousClock.Instant? {
        batch.indices.lazy.map { batch[$0].deadline }.min()
    }

    /// Makes writes by the earliest of their deadlines: connecting, all round trips and the attempt after a lost connection. Only
    /// settling a COMMIT that was sent may last longer.
    private func attempt(_ batch: [PendingWrite]) -> [Result<BatchAnswer, LedgerOutage>] {
        holder.limit = Self.earliestDeadline(batch)
        defer { holder.limit = nil }
        var races = 0
        var reconnections = 0
        while true {
            do {
                return try transact(batch)
            } catch let failure as DatabaseFailure where failure.isRace && races < Self.raceLimit {
                races += 1
                counters.count(\.races)
            } catch Interruption.fenced where reconnections < 2 {
                reconnections += 1
                close()
            } catch let failure as DatabaseFailure where failure.extent == .connection && reconnections < 1 {
                // COMMIT was not sent, or is not applied. The server may have closed an idle connection.
                reconnections += 1
                close()
                // The earliest deadline may have passed, and not that of the others.
                let now = ContinuousClock.now
                if batch.contains(where: { holder.isLate($0.deadline, at: now) }) { return write(batch) }
            } catch {
                close(after: error)
                let isOfData = (error as? DatabaseFailure)?.isOfData ?? (error is StoredValueError)
                // One write alone may cause this, such as by a damaged row.
                if batch.count > 1, isOfData { return batch.flatMap { write([$0]) } }
                let outage =
                    (error as? Interruption) == nil
                    ? LedgerOutage(error, at: place)
                    : LedgerOutage(
                        .locked, "another program has fenced the writer of \(place) twice; see pg_stat_activity")
                holder.target.watch.failure.note(outage)
                return batch.map { _ in .failure(outage) }
            }
        }
    }

    private func close() {
        holder.drop()
        row.leave()
    }

    private func close(after error: any Error) {
        if !holder.isOpen || error is Interruption { close() }
    }

    private func transact(_ batch: [PendingWrite]) throws -> [Result<BatchAnswer, LedgerOutage>] {
        if !holder.isOpen { row.leave() }
        let connection = try holder.current()
        if !row.isRegistered {
            // How the last batch ended does not matter any more: it was answered, and comes no more.
            do {
                _ = try row.register(holder)
                counters.count(\.registrations)
            } catch {
                close()
                throw error
            }
        }
        let start = DispatchTime.now()
        counters.begin(writes: batch.count)
        let needs = BatchNeeds(batch)
        let settings = holder.transactionSettings(connection)
        let isWatching = lastWatch.map { start.uptimeNanoseconds - $0.uptimeNanoseconds >= 1_000_000_000 } ?? true
        let watch = isWatching ? [holder.target.watch.step(schema: statements.schema)] : []
        let opening = [Step(LedgerStatements.begin)] + settings + watch + [row.claim(statements)]
        let watcher = holder.target.watch
        let hadStandings = watcher.hasHadStandings
        // A ledger without blocks and allowances needs no search for each key.
        let standings =
            hadStandings ? BatchNeeds.findStandings(of: batch, statements) : Step(statements.findAnyStanding)
        var locked = try holder.run(opening + needs.steps(statements, standings: standings))
        guard let seenAt = locked[opening.count - 1].integer(0, 0) else {
            _ = try? holder.run([Step(LedgerStatements.rollback)])
            throw Interruption.fenced
        }
        if isWatching {
            do { try holder.target.watch.require(locked[opening.count - 2], at: place) } catch {
                close()
                throw error
            }
            lastWatch = start
        }
        // Many removed standings that PostgreSQL has not cleared yet take longer than the search for each key.
        let isSlow = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds > Self.slowLook
        slowLooks = isSlow ? slowLooks + 1 : 0
        if slowLooks > 1 { watcher.noteStandings() }
        if needs.hasSubjects, !hadStandings, let any = locked.last, any.count > 0 {
            watcher.noteStandings()
            locked[locked.count - 1] = try holder.run([BatchNeeds.findStandings(of: batch, statements)])[0]
        }
        var answers: [Result<BatchAnswer, LedgerOutage>] = []
        let changes: [Step]
        do {
            var rows = try BatchRows(needs, locked[opening.count...])
            answers = try rows.decide(batch, quarantineEnd: holder.target.watch.quarantineEnd)
            changes = try rows.changes(statements)
        } catch {
            holder.recover(from: error)
            throw error
        }
        if changes.isEmpty, !answers.contains(where: { if case .success(.proved) = $0 { true } else { false } }) {
            // Nothing waits for the disk.
            _ = try? holder.run([Step(LedgerStatements.rollback)])
        } else {
            do { try store(changes, connection) } catch Interruption.lostAnswer(let cause) {
                try settle(cause)
            }
            row.acknowledge(seenAt: seenAt)
            counters.noteDurableWrite()
        }
        counters.record(writes: batch.count, since: start)
        return answers
    }

    /// Stores the changes and commits.
    private func store(_ changes: [Step], _ connection: DatabaseConnection) throws {
        _ = connection.takeWarning()
        let rows: [StatementRows]
        do throws(DatabaseFailure) {
            rows = try connection.run(changes + [Step(LedgerStatements.commit)], by: holder.deadline)
        } catch {
            // A failed statement voids the COMMIT behind it. Of a lost connection, the COMMIT may have been executed.
            guard error.extent == .statement else { throw Interruption.lostAnswer(error) }
            holder.recover(from: error)
            throw error
        }
        if let warning = connection.takeWarning() {
            // The transaction is committed on the primary, and perhaps nowhere else.
            close()
            counters.count(\.undetermined)
            throw LedgerOutage(
                .undetermined,
                "\(place) has committed, but warns (SQLSTATE \(warning)): the wait for its standby was cancelled; the writes "
                    + "are lost if the primary is")
        }
        guard rows.last?.command == "COMMIT" else {
            throw LedgerOutage(.internalError, "\(place) has rolled back a transaction without an error")
        }
    }

    /// Finds out whether a batch was applied whose answer was lost. Returns if it was.
    ///
    /// - Throws: the cause, as a failure of a batch that was not applied; or `OutageCode.undetermined`.
    private func settle(_ cause: any Error) throws {
        counters.count(\.lostAnswers)
        close()
        let limit = holder.limit
        holder.limit = .now + holder.target.timeout
        defer { holder.limit = limit }
        let deadline = holder.deadline
        var last = cause
        repeat {
            do {
                switch try row.register(holder) {
                case .applied: return
                case .notApplied: throw cause
                case .unknown:
                    counters.count(\.undetermined)
                    throw LedgerOutage(
                        .undetermined,
                        "an answer of \(place) was lost, and the server has no row of this writer: it may be a standby that was "
                            + "promoted without the last writes")
                }
            } catch let outage as LedgerOutage where outage.code == .undetermined {
                throw outage
            } catch {
                if row.isRegistered { throw error }
                close()
                last = error
                // Do not ask this server again: it lacks acknowledged batches.
                if (error as? LedgerOutage)?.code == .wrongLedger { break }
            }
            Thread.sleep(forTimeInterval: Self.pause)
        } while ContinuousClock.now < deadline
        counters.count(\.undetermined)
        throw LedgerOutage(
            .undetermined,
            "an answer of \(place) was lost, and whether the writes were applied cannot be found out now: "
                + LedgerOutage(last, at: place).message)
    }
}
