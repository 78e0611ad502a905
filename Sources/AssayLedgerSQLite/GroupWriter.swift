import AssayCore
import Dispatch
import Foundation
import GRDB
import Synchronization

/// Group commit: writes that arrive during a commit share the next transaction.
///
/// One immediate transaction decides the writes of a batch in order. They are answered when it is durable. Writes that
/// arrive before the transaction ends join it. A lone write starts at once. If the disk is fast, it runs on the
/// caller's thread, because a thread change takes as long as such a disk.
package final class GroupWriter: Sendable {
    /// The maximum number of writes of a transaction. It bounds the wait of the first write for the others.
    package static let batchLimit = 256
    /// The number of transactions after which this process's key store gets the connection.
    private static let maximumBatches = 4
    /// The maximum time of successive transactions without a pause. After it the file is unlocked briefly, so that a
    /// process that polls for the lock can get it.
    private static let maximumHold = Duration.milliseconds(250)
    /// The maximum duration of the last transaction for running a lone write on the caller's thread, which it blocks.
    private static let loneLimit = Duration.milliseconds(1)

    /// The sizes of a transaction after which the writer pauses. Fewer writes come from few clients, and a pause would
    /// only delay them. With more writes, a transaction is already cheap for each of them.
    private static let gatheredWrites = 5...24
    /// The maximum length of the pause.
    private static let gatheringTime = DispatchTimeInterval.microseconds(500)

    private struct Pending: Sendable {
        let write: TimedWrite
        let continuation: CheckedContinuation<Result<LedgerAnswer, LedgerOutage>, Never>
    }

    private enum Activity {
        case none
        /// A lone write is running on its caller's thread.
        case alone
        /// A task is making the waiting writes durable, or will soon.
        case draining
    }

    private struct State {
        var waiting: [Pending] = []
        var activity = Activity.none
        var isClosed = false
        /// The number of waiting writes that ends the present pause; nil outside a pause.
        var gatheringGoal: Int?
        /// The number of users of the connection, besides this writer, that have not finished.
        var connectionUsers = 0
        /// Users that asked during a lone write. They run after it.
        var lateUsers: [@Sendable (Database) -> Void] = []
        /// The duration of the last durable transaction; nil before the first.
        var lastTook: Duration?
        /// Signalled after the current lone write, when the writes that arrived meanwhile are handed over. `close` sets
        /// it.
        var loneWriteEnd: DispatchSemaphore?
        var loneTransactions = 0
        /// Whether the last transaction had several writes, or left writes waiting.
        var isShared = false
        /// The start of the current series of transactions without a pause.
        var busySince: ContinuousClock.Instant?
        /// When the last transaction ended.
        var lastEnd: ContinuousClock.Instant?
        var lastDurableEnd: ContinuousClock.Instant?
        /// The number of writes that joined a running transaction.
        var joined = 0

        /// Records the duration and the size of a transaction.
        mutating func note(
            _ results: [Result<LedgerAnswer, LedgerOutage>], since start: ContinuousClock.Instant,
            end: ContinuousClock.Instant
        ) {
            let took = end - start
            lastEnd = end
            // A transaction without a change is not synced to the disk.
            let isDurable = results.contains { if case .success(let answer) = $0 { answer.isChange } else { false } }
            if isDurable { lastDurableEnd = end }
            if isDurable || took >= GroupWriter.loneLimit { lastTook = took }
            isShared = results.count + waiting.count > 1
        }

        /// Whether the file must be unlocked briefly before the next transaction.
        mutating func isToPause(at now: ContinuousClock.Instant) -> Bool {
            guard let busySince, let lastEnd, now - lastEnd < .seconds(BusyWait.window) else {
                busySince = now
                return false
            }
            guard now - busySince >= GroupWriter.maximumHold else { return false }
            self.busySince = nil
            return !isClosed
        }

        /// Removes writes from the queue.
        mutating func take(atMost limit: Int) -> [Pending] {
            guard waiting.count > limit else {
                defer { waiting = [] }
                return waiting
            }
            defer { waiting.removeFirst(limit) }
            return Array(waiting.prefix(limit))
        }
    }

    private let pool: DatabasePool
    private let transactions: LedgerTransactions
    private let busyWait: BusyWait
    private let state = Mutex(State())
    /// Signalled when a pause has reached its goal.
    private let goalReached = DispatchSemaphore(value: 0)

    /// - Parameter busyWait: the busy handler of the pool's writing connection.
    init(pool: DatabasePool, busyWait: BusyWait, purging: LedgerPurging, watch: LedgerWatch) {
        self.pool = pool
        self.busyWait = busyWait
        transactions = LedgerTransactions(purging: purging, busyWait: busyWait, watch: watch)
    }

    /// The number of transactions begun.
    package var transactionCount: Int { transactions.count }
    /// The number of transactions with a lone write on its caller's thread.
    package var loneTransactionCount: Int { state.withLock { $0.loneTransactions } }
    /// The number of writes that joined a running transaction.
    package var joinedCount: Int { state.withLock { $0.joined } }

    /// Whether a write has become durable within the last time.
    func hasWritten(within time: Duration) -> Bool {
        state.withLock { $0.lastDurableEnd.map { ContinuousClock.now - $0 < time } ?? false }
    }

    /// Makes a write. Returns when its transaction is durable. Ignores cancellation: the write may be applied, and the
    /// caller must get the outcome.
    func submit(_ write: LedgerWrite, at now: Date) async throws(LedgerOutage) -> LedgerAnswer {
        let write = TimedWrite(write, at: now)
        let attempt = writeAlone(write)
        if case .done(let result) = attempt { return try result.get() }
        return try await withCheckedContinuation { continuation in
            let pending = Pending(write: write, continuation: continuation)
            if case .inTheWay = attempt { handOver(pending) } else { enqueue(pending) }
        }.get()
    }

    /// Passes the writing connection to `guest`, on the connection's queue and outside a transaction.
    func lend(to guest: @escaping @Sendable (Database) -> Void) {
        let visit: @Sendable (Database) -> Void = { db in
            guest(db)
            self.state.withLock { $0.connectionUsers -= 1 }
        }
        state.withLock { state in
            state.connectionUsers += 1
            if state.activity == .alone { state.lateUsers.append(visit) } else { request(visit) }
        }
    }

    /// Requests the connection. Call it under the lock: after the last request the file may be closed at any time.
    private func request(_ visit: @escaping @Sendable (Database) -> Void) {
        pool.asyncWriteWithoutTransaction(visit)
    }

    /// Refuses later writes. Returns when the connection is requested for all waiting writes.
    func refuseFurtherWrites() {
        let loneWriteEnd: DispatchSemaphore? = state.withLock { state in
            state.isClosed = true
            if state.activity == .alone { state.loneWriteEnd = state.loneWriteEnd ?? DispatchSemaphore(value: 0) }
            return state.loneWriteEnd
        }
        guard let loneWriteEnd else { return }
        loneWriteEnd.wait()
        // Wakes another caller that closes at the same time.
        loneWriteEnd.signal()
    }

    private enum LoneAttempt {
        /// There are other writers, or the disk is slow.
        case none
        /// Another process holds the file, and this thread does not wait for it. No other write of this process runs
        /// before this write is handed over.
        case inTheWay
        case done(Result<LedgerAnswer, LedgerOutage>)
    }

    /// Makes a write on this thread if it is the only one, the last one was too, and the disk is fast.
    private func writeAlone(_ write: TimedWrite) -> LoneAttempt {
        let isAlone = state.withLock { state in
            guard !state.isClosed, state.activity == .none, state.connectionUsers == 0, !state.isShared,
                let lastTook = state.lastTook, lastTook < Self.loneLimit
            else { return false }
            state.activity = .alone
            state.loneTransactions += 1
            return true
        }
        guard isAlone else { return .none }
        let start = ContinuousClock.now
        let results = pool.writeWithoutTransaction { db in
            busyWait.withoutWaiting { transactions.write([write], db) }
        }
        let end = ContinuousClock.now
        if case .failure(let outage) = results[0], outage.code == .locked { return .inTheWay }
        endLoneWrite { state in
            state.note(results, since: start, end: end)
            state.activity = state.waiting.isEmpty ? .none : .draining
        }
        return .done(results[0])
    }

    /// Puts a lone write that found the file locked before all writes that arrived meanwhile.
    private func handOver(_ pending: Pending) {
        endLoneWrite { state in
            state.waiting.insert(pending, at: 0)
            state.activity = .draining
        }
    }

    private func endLoneWrite(_ change: (inout State) -> Void) {
        let end = state.withLock { state in
            change(&state)
            if state.activity == .draining { request(drain) }
            for guest in state.lateUsers { request(guest) }
            state.lateUsers = []
            return state.loneWriteEnd
        }
        end?.signal()
    }

    private func enqueue(_ pending: Pending) {
        let isRefused = state.withLock { state in
            if state.isClosed { return true }
            state.waiting.append(pending)
            if state.activity == .none {
                state.activity = .draining
                request(drain)
            }
            if let goal = state.gatheringGoal, state.waiting.count >= goal {
                state.gatheringGoal = nil
                goalReached.signal()
            }
            return false
        }
        guard isRefused else { return }
        let outage = LedgerOutage(.unreachable, "\(pool.path) has been closed")
        pending.continuation.resume(returning: .failure(outage))
    }

    @Sendable private func drain(_ db: Database) {
        for _ in 0..<Self.maximumBatches {
            if state.withLock({ $0.isToPause(at: .now) }) { Thread.sleep(forTimeInterval: BusyWait.window) }
            guard var batch = firstBatch() else { return }
            let start = ContinuousClock.now
            let results = transactions.write(batch.map(\.write), db) {
                let more = latecomers(beside: batch.count)
                batch += more
                return more.map(\.write)
            }
            let end = ContinuousClock.now
            state.withLock { $0.note(results, since: start, end: end) }
            for (pending, result) in zip(batch, results) { pending.continuation.resume(returning: result) }
            gather(after: batch.count)
        }
        // Without this limit, a permanent load would keep the key store from the connection.
        let isLast = state.withLock { state in
            if !state.isClosed { request(drain) }
            return state.isClosed
        }
        if isLast { drain(db) }
    }

    /// Waits briefly after a transaction of several writes, until as many are waiting again. Busy processors then make
    /// fewer transactions and answer sooner.
    private func gather(after count: Int) {
        guard Self.gatheredWrites.contains(count) else { return }
        let isPause = state.withLock { state in
            guard state.waiting.count < count, !state.isClosed else { return false }
            state.gatheringGoal = count
            return true
        }
        guard isPause, goalReached.wait(timeout: .now() + Self.gatheringTime) == .timedOut else { return }
        let isReached = state.withLock { state in
            defer { state.gatheringGoal = nil }
            return state.gatheringGoal == nil
        }
        // Takes the signal that came after the time.
        if isReached { goalReached.wait() }
    }

    /// The writes that a transaction begins with. Nil if none is waiting; the next write must then request the
    /// connection.
    private func firstBatch() -> [Pending]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.activity = .none
                return nil
            }
            return state.take(atMost: Self.batchLimit)
        }
    }

    /// The writes that join a transaction with `count` writes.
    private func latecomers(beside count: Int) -> [Pending] {
        state.withLock { state in
            let more = state.take(atMost: Self.batchLimit - count)
            state.joined += more.count
            return more
        }
    }
}
