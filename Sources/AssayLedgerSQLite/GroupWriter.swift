package import AssayCore
import Dispatch
package import Foundation
import GRDB
import Synchronization

/// Group commit: writes that arrive while a transaction is being made durable wait, and share the next one.
///
/// Each write of a batch is decided against what the earlier ones left, inside one immediate transaction, and nobody
/// is answered before that is durable. A lone write goes at once, and where the disk is fast on the thread that asks for
/// it: to hand it to the writing thread and back takes as long as such a disk does. Writers that have shared a transaction
/// are given a moment to come back and share the next one: otherwise the first of them would go alone and the others after
/// it, in two groups that take turns for ever, at half the rate. The first of them are written while the others come, the
/// file being locked meanwhile, unless another process was in the way lately, which gets at it only between transactions.
package final class GroupWriter: Sendable {
    /// How many writes share a transaction at most, which bounds how long the first of them waits for the others.
    package static let batchLimit = 256
    /// How many transactions are made before others of this process come to write.
    private static let turn = 4
    /// How long company is waited for after a transaction, as a share of the time that it took, and at most: a little
    /// beside what a write takes anyway, even when nobody comes back.
    private static let patience = (share: 0.25, limit: Duration.milliseconds(5))
    /// A transaction is begun when one in so many of the company is there, which keeps it busy until the others are.
    private static let vanguard = 16
    /// How many transactions long another process is taken to write too, after it was in the way.
    private static let crowding = 64
    /// How long transactions may follow each other at once. Then the file is left free for a moment: who waits for it in
    /// another process might else never meet it free, and is not seen from here.
    private static let haste = Duration.milliseconds(250)
    /// How long the last transaction may have taken for a lone write to be made on the thread that asks for it, which is
    /// kept from other work meanwhile.
    private static let loneLimit = Duration.milliseconds(1)

    private struct Pending: Sendable {
        let write: TimedWrite
        let continuation: CheckedContinuation<Result<LedgerAnswer, LedgerOutage>, Never>
    }

    private enum Activity {
        case none
        /// A lone write is made on the thread that asked for it.
        case alone
        /// What is waiting is made durable, or is about to be.
        case draining
    }

    private struct State {
        var waiting: [Pending] = []
        var activity = Activity.none
        var isClosed = false
        /// How many others of this process have asked for the connection and are not done.
        var guests = 0
        /// Those that asked while a lone write was under way, which must not wait for them.
        var lateGuests: [@Sendable (Database) -> Void] = []
        /// How long the last transaction took that had to be made durable, and nil before the first.
        var lastTook: Duration?
        /// Signalled when the lone write that is under way, if there is one, is done and nothing that came meanwhile is
        /// left behind. Set by whoever closes.
        var loneWriteEnd: DispatchSemaphore?
        var loneTransactions = 0
        /// How many writes may come together, seen from the last transaction, and until when they are waited for.
        var company: (size: Int, until: ContinuousClock.Instant)?
        /// How many writes the drain waits for, while it does.
        var awaited: Int?
        /// For how many transactions more another process is taken to write too.
        var crowded = 0
        /// Since when the file has not been free for long.
        var busySince: ContinuousClock.Instant?
        /// When the last transaction ended.
        var lastEnd: ContinuousClock.Instant?
        /// How many writes have joined a transaction that had begun.
        var joined = 0

        /// Notes what a transaction says about the disk and about company.
        ///
        /// - Parameter idle: for how long of it company was waited for.
        mutating func note(
            _ results: [Result<LedgerAnswer, LedgerOutage>], since start: ContinuousClock.Instant,
            end: ContinuousClock.Instant, idle: Duration = .zero
        ) {
            let took = end - start - idle
            lastEnd = end
            // What changes nothing never waits for the disk.
            let isDurable = results.contains { if case .success(let answer) = $0 { answer.isChange } else { false } }
            if isDurable || took >= GroupWriter.loneLimit { lastTook = took }
            // Whoever is answered now may come back at once, and whoever waits already is there. A lone writer is no
            // company.
            let size = min(results.count + waiting.count, GroupWriter.batchLimit)
            let patience = min(took * GroupWriter.patience.share, GroupWriter.patience.limit)
            company = size > 1 ? (size, end + patience) : nil
        }

        /// Whether whoever waits for company is to be woken up, once.
        mutating func endsWait() -> Bool {
            guard let awaited, isClosed || waiting.count >= awaited else { return false }
            self.awaited = nil
            return true
        }

        /// Whether transactions have followed each other for so long that the file is to be left free before the next one.
        mutating func isToPause(at now: ContinuousClock.Instant) -> Bool {
            guard let busySince, let lastEnd, now - lastEnd < .seconds(BusyWait.window) else {
                busySince = now
                return false
            }
            guard now - busySince >= GroupWriter.haste else { return false }
            self.busySince = nil
            return !isClosed
        }

        /// How many writes are to be waited for, beside those of a transaction that is under way if there is one; nil
        /// when there is no reason to wait.
        func wanted(beside count: Int?) -> Int? {
            guard !isClosed, let company else { return nil }
            let wanted: Int
            if let count {
                // Nobody idles while others wait, of this process or of another one.
                guard crowded == 0, waiting.isEmpty else { return nil }
                wanted = company.size - count
            } else {
                wanted = crowded > 0 ? company.size : max(1, company.size / GroupWriter.vanguard)
            }
            return wanted > waiting.count ? wanted : nil
        }

        /// Takes so many writes out of those that wait, or as many as there are.
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
    /// Wakes up the drain that waits for company.
    private let arrival = DispatchSemaphore(value: 0)

    /// - Parameter busyWait: what waits for other processes on behalf of the pool's writing connection.
    init(pool: DatabasePool, busyWait: BusyWait, purging: LedgerPurging) {
        self.pool = pool
        self.busyWait = busyWait
        transactions = LedgerTransactions(path: pool.path, purging: purging)
    }

    /// How many transactions have been begun.
    package var transactionCount: Int { transactions.count }
    /// How many of them were of a lone write, on the thread that asked for it.
    package var loneTransactionCount: Int { state.withLock { $0.loneTransactions } }
    /// How many writes have joined a transaction that had begun.
    package var joinedCount: Int { state.withLock { $0.joined } }

    /// Hands a write in, and returns once its transaction is durable. Cancellation is ignored: a write that has been
    /// handed in may be applied, and whoever did so must learn it.
    package func submit(_ write: LedgerWrite, at now: Date) async throws(LedgerOutage) -> LedgerAnswer {
        let write = TimedWrite(write, at: now)
        let attempt = writeAlone(write)
        if case .done(let result) = attempt { return try result.get() }
        return try await withCheckedContinuation { continuation in
            let pending = Pending(write: write, continuation: continuation)
            if case .inTheWay = attempt { handOver(pending) } else { enqueue(pending) }
        }.get()
    }

    /// Hands the writing connection to somebody else of this process, outside a transaction, on its queue.
    func lend(to guest: @escaping @Sendable (Database) -> Void) {
        let visit: @Sendable (Database) -> Void = { db in
            guest(db)
            self.state.withLock { $0.guests -= 1 }
        }
        state.withLock { state in
            state.guests += 1
            if state.activity == .alone { state.lateGuests.append(visit) } else { request(visit) }
        }
    }

    /// Asks for the connection. Called under the lock: once nothing more is taken, the file may be closed at any time.
    private func request(_ visit: @escaping @Sendable (Database) -> Void) {
        pool.asyncWriteWithoutTransaction(visit)
    }

    /// Lets what is waiting be written, and nothing more. Returns when the connection has been asked for all of it.
    func refuseFurtherWrites() {
        let (endsWait, loneWriteEnd): (Bool, DispatchSemaphore?) = state.withLock { state in
            state.isClosed = true
            if state.activity == .alone { state.loneWriteEnd = state.loneWriteEnd ?? DispatchSemaphore(value: 0) }
            return (state.endsWait(), state.loneWriteEnd)
        }
        if endsWait { arrival.signal() }
        guard let loneWriteEnd else { return }
        loneWriteEnd.wait()
        // For whoever closes at the same time.
        loneWriteEnd.signal()
    }

    private enum LoneAttempt {
        /// There is company, or the disk is slow.
        case none
        /// Another process holds the file, for which this thread does not wait. Nobody else has written meanwhile, or will
        /// before the write is handed over.
        case inTheWay
        case done(Result<LedgerAnswer, LedgerOutage>)
    }

    /// Makes a write on this thread if nobody else writes, nobody did together with the last one, and the disk is fast.
    private func writeAlone(_ write: TimedWrite) -> LoneAttempt {
        let isAlone = state.withLock { state in
            guard !state.isClosed, state.activity == .none, state.guests == 0, state.company == nil,
                let lastTook = state.lastTook, lastTook < Self.loneLimit
            else { return false }
            state.activity = .alone
            state.loneTransactions += 1
            return true
        }
        guard isAlone else { return .none }
        let start = ContinuousClock.now
        let results = pool.writeWithoutTransaction { db in
            busyWait.withoutPatience { transactions.write([write], db) }
        }
        let end = ContinuousClock.now
        if case .failure(let outage) = results[0], outage.code == .locked { return .inTheWay }
        endLoneWrite { state in
            state.note(results, since: start, end: end)
            state.activity = state.waiting.isEmpty ? .none : .draining
        }
        return .done(results[0])
    }

    /// Has a lone write that another process was in the way of made before all that came meanwhile.
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
            for guest in state.lateGuests { request(guest) }
            state.lateGuests = []
            return state.loneWriteEnd
        }
        end?.signal()
    }

    private func enqueue(_ pending: Pending) {
        enum Next { case nothing, wake, refuse }
        let next: Next = state.withLock { state in
            if state.isClosed { return .refuse }
            state.waiting.append(pending)
            if state.endsWait() { return .wake }
            if state.activity == .none {
                state.activity = .draining
                request(drain)
            }
            return .nothing
        }
        switch next {
        case .nothing: break
        case .wake: arrival.signal()
        case .refuse:
            let outage = LedgerOutage(.unreachable, "\(pool.path) has been closed")
            pending.continuation.resume(returning: .failure(outage))
        }
    }

    @Sendable private func drain(_ db: Database) {
        for _ in 0..<Self.turn {
            if state.withLock({ $0.isToPause(at: .now) }) { Thread.sleep(forTimeInterval: BusyWait.window) }
            awaitCompany()
            guard var batch = firstBatch() else { return }
            let (start, collisions) = (ContinuousClock.now, busyWait.collisions)
            var idle = Duration.zero
            let results = transactions.write(batch.map(\.write), db) {
                idle += awaitCompany(beside: batch.count)
                let more = latecomers(beside: batch.count)
                batch += more
                return more.map(\.write)
            }
            let (end, isCrowded) = (ContinuousClock.now, busyWait.collisions > collisions)
            state.withLock { state in
                state.note(results, since: start, end: end, idle: idle)
                state.crowded = isCrowded ? Self.crowding : max(0, state.crowded - 1)
            }
            for (pending, result) in zip(batch, results) { pending.continuation.resume(returning: result) }
        }
        // Under a load without end nobody else of this process, such as its key store, would come to write.
        let isLast = state.withLock { state in
            if !state.isClosed { request(drain) }
            return state.isClosed
        }
        if isLast { drain(db) }
    }

    /// Waits for company to begin a transaction, or to join one that has `count` writes, but not beyond the time that
    /// was set. Returns how long.
    @discardableResult
    private func awaitCompany(beside count: Int? = nil) -> Duration {
        let end: ContinuousClock.Instant? = state.withLock { state in
            guard let wanted = state.wanted(beside: count), let until = state.company?.until, until > .now else {
                return nil
            }
            state.awaited = wanted
            return until
        }
        guard let end else { return .zero }
        let start = ContinuousClock.now
        let nanoseconds = Int((end - start) / .nanoseconds(1))
        if arrival.wait(timeout: .now() + .nanoseconds(max(0, nanoseconds))) == .timedOut {
            let hasBeenWoken = state.withLock { state in
                defer { state.awaited = nil }
                return state.awaited == nil
            }
            // The signal came after all, or is about to, and must not end the next wait.
            if hasBeenWoken { arrival.wait() }
        }
        return .now - start
    }

    /// What a transaction begins with; nil when nobody waits any more, and the next write has to ask for the
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

    /// What has come to join a transaction that has `count` writes.
    private func latecomers(beside count: Int) -> [Pending] {
        state.withLock { state in
            let more = state.take(atMost: Self.batchLimit - count)
            state.joined += more.count
            return more
        }
    }
}
