package import AssayCore
import Dispatch
package import Foundation
import GRDB
import Synchronization

/// Group commit: writes that arrive while a transaction is being made durable share the next one.
///
/// The writes of a batch are decided one after the other, in one immediate transaction, and answered when it is durable.
/// Writes that arrive before the transaction ends join it. A lone write starts at once; if the disk is fast, on the
/// caller's thread, because a change of threads takes as long as such a disk.
package final class GroupWriter: Sendable {
    /// The most writes of a transaction. It bounds how long the first write waits for the others.
    package static let batchLimit = 256
    /// How many transactions run before the key store of this process gets the connection.
    private static let maximumBatches = 4
    /// How long transactions may follow each other without a pause. Then the file is left free for a moment, so that a
    /// process that polls for the lock can get it.
    private static let maximumHold = Duration.milliseconds(250)
    /// The longest last transaction for which a lone write runs on the caller's thread, which it blocks.
    private static let loneLimit = Duration.milliseconds(1)

    /// A transaction of so many writes is followed by a pause. Fewer come from few clients, which would wait for nothing; with more,
    /// a transaction is cheap for each.
    private static let gatheredWrites = 5...24
    /// The pause: so many steps of so many seconds.
    private static let (gatheringSteps, gatheringStep) = (5, 0.0001)

    private struct Pending: Sendable {
        let write: TimedWrite
        let continuation: CheckedContinuation<Result<LedgerAnswer, LedgerOutage>, Never>
    }

    private enum Activity {
        case none
        /// A lone write runs on its caller's thread.
        case alone
        /// The waiting writes are being made durable, or are about to be.
        case draining
    }

    private struct State {
        var waiting: [Pending] = []
        var activity = Activity.none
        var isClosed = false
        /// How many users of the connection other than this writer are not done.
        var connectionUsers = 0
        /// Those that asked during a lone write, which must not wait for them.
        var lateUsers: [@Sendable (Database) -> Void] = []
        /// How long the last durable transaction took, and nil before the first.
        var lastTook: Duration?
        /// Signalled when the present lone write is done and the writes that arrived meanwhile are handed over. Set by
        /// closing.
        var loneWriteEnd: DispatchSemaphore?
        var loneTransactions = 0
        /// Whether the last transaction had several writes, or left writes waiting.
        var isShared = false
        /// Since when transactions have followed each other without a pause.
        var busySince: ContinuousClock.Instant?
        /// When the last transaction ended.
        var lastEnd: ContinuousClock.Instant?
        /// How many writes have joined a transaction that had begun.
        var joined = 0

        /// Notes how a transaction went.
        mutating func note(
            _ results: [Result<LedgerAnswer, LedgerOutage>], since start: ContinuousClock.Instant,
            end: ContinuousClock.Instant
        ) {
            let took = end - start
            lastEnd = end
            // A transaction without a change does not wait for the disk.
            let isDurable = results.contains { if case .success(let answer) = $0 { answer.isChange } else { false } }
            if isDurable || took >= GroupWriter.loneLimit { lastTook = took }
            isShared = results.count + waiting.count > 1
        }

        /// Whether the file should be left free before the next transaction.
        mutating func isToPause(at now: ContinuousClock.Instant) -> Bool {
            guard let busySince, let lastEnd, now - lastEnd < .seconds(BusyWait.window) else {
                busySince = now
                return false
            }
            guard now - busySince >= GroupWriter.maximumHold else { return false }
            self.busySince = nil
            return !isClosed
        }

        /// Removes writes from the waiting ones.
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

    /// - Parameter busyWait: the busy handler of the pool's writing connection.
    init(pool: DatabasePool, busyWait: BusyWait, purging: LedgerPurging) {
        self.pool = pool
        self.busyWait = busyWait
        transactions = LedgerTransactions(path: pool.path, purging: purging)
    }

    /// How many transactions have been begun.
    package var transactionCount: Int { transactions.count }
    /// How many of them were lone writes on their caller's thread.
    package var loneTransactionCount: Int { state.withLock { $0.loneTransactions } }
    /// How many writes have joined a transaction that had begun.
    package var joinedCount: Int { state.withLock { $0.joined } }

    /// Makes a write, and returns when its transaction is durable. Cancellation is ignored: the write may be applied, and the
    /// caller must get the outcome.
    package func submit(_ write: LedgerWrite, at now: Date) async throws(LedgerOutage) -> LedgerAnswer {
        let write = TimedWrite(write, at: now)
        let attempt = writeAlone(write)
        if case .done(let result) = attempt { return try result.get() }
        return try await withCheckedContinuation { continuation in
            let pending = Pending(write: write, continuation: continuation)
            if case .inTheWay = attempt { handOver(pending) } else { enqueue(pending) }
        }.get()
    }

    /// Passes the writing connection to `guest`, outside a transaction, on the connection's queue.
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

    /// Asks for the connection. Called under the lock: after the last request the file may be closed at any time.
    private func request(_ visit: @escaping @Sendable (Database) -> Void) {
        pool.asyncWriteWithoutTransaction(visit)
    }

    /// Refuses later writes. Returns when the connection has been requested for all waiting ones.
    func refuseFurtherWrites() {
        let loneWriteEnd: DispatchSemaphore? = state.withLock { state in
            state.isClosed = true
            if state.activity == .alone { state.loneWriteEnd = state.loneWriteEnd ?? DispatchSemaphore(value: 0) }
            return state.loneWriteEnd
        }
        guard let loneWriteEnd else { return }
        loneWriteEnd.wait()
        // For another caller that closes at the same time.
        loneWriteEnd.signal()
    }

    private enum LoneAttempt {
        /// There are other writers, or the disk is slow.
        case none
        /// Another process holds the file, for which this thread does not wait. No other write of this process runs before
        /// this one is handed over.
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

    /// Puts a lone write that found the file locked before all writes that have arrived meanwhile.
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
        // Under a permanent load the key store of this process would otherwise never get the connection.
        let isLast = state.withLock { state in
            if !state.isClosed { request(drain) }
            return state.isClosed
        }
        if isLast { drain(db) }
    }

    /// Waits a little after a transaction of several writes, until as many are waiting again: processors that are busy with requests
    /// then make fewer transactions, and answer sooner.
    private func gather(after count: Int) {
        guard Self.gatheredWrites.contains(count) else { return }
        for _ in 0..<Self.gatheringSteps where state.withLock({ $0.waiting.count < count && !$0.isClosed }) {
            Thread.sleep(forTimeInterval: Self.gatheringStep)
        }
    }

    /// The writes that a transaction begins with. Nil if none waits; the next write must ask for the connection then.
    private func firstBatch() -> [Pending]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.activity = .none
                return nil
            }
            return state.take(atMost: Self.batchLimit)
        }
    }

    /// The writes that join a transaction that has `count` writes.
    private func latecomers(beside count: Int) -> [Pending] {
        state.withLock { state in
            let more = state.take(atMost: Self.batchLimit - count)
            state.joined += more.count
            return more
        }
    }
}
