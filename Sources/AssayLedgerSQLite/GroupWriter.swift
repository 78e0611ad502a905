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
/// it, in two groups that take turns for ever, at half the rate.
package final class GroupWriter: Sendable {
    /// How many writes share a transaction at most, which bounds how long the first of them waits for the others.
    package static let batchLimit = 256
    /// How many transactions are made before others of this process come to write.
    private static let turn = 4
    /// How long company is waited for after a transaction, as a share of the time that it took, and at most: a little
    /// beside what a write takes anyway, even when nobody comes back.
    private static let patience = (share: 0.25, limit: Duration.milliseconds(5))
    /// How long the last transaction may have taken for a lone write to be made on the thread that asks for it, which is
    /// kept from other work meanwhile.
    private static let loneLimit = Duration.milliseconds(1)

    private struct Pending: Sendable {
        let write: PendingWrite
        let continuation: CheckedContinuation<Result<LedgerAnswer, LedgerOutage>, Never>
    }

    private struct State {
        var waiting: [Pending] = []
        /// Whether somebody makes what is waiting durable, or is about to.
        var isDraining = false
        var isClosed = false
        /// Who else of this process has asked for the connection and is not done.
        var guests = 0
        /// How long the last transaction took, and nil before the first.
        var lastTook: Duration?
        /// Signalled when the lone write that is under way, if there is one, is done and nothing that came meanwhile is
        /// left behind. Set by whoever closes.
        var loneWriteEnd: DispatchSemaphore?
        var isWritingAlone = false
        /// How many writes may come together, seen from the last transaction, and until when they are waited for.
        var company: (size: Int, until: ContinuousClock.Instant)?
        /// Whether a drain waits until so many are there.
        var isAwaitingCompany = false
        var loneTransactions = 0

        /// Sets until when so many writes are waited for after a transaction. A lone writer is no company.
        mutating func expectCompany(
            _ count: Int, since start: ContinuousClock.Instant, end: ContinuousClock.Instant
        ) {
            let size = min(count, GroupWriter.batchLimit)
            let patience = min((end - start) * GroupWriter.patience.share, GroupWriter.patience.limit)
            company = size > 1 ? (size, end + patience) : nil
        }

        /// Whether whoever waits for company is to be woken up, once.
        mutating func endsWait() -> Bool {
            guard isAwaitingCompany, isClosed || waiting.count >= company?.size ?? 0 else { return false }
            isAwaitingCompany = false
            return true
        }
    }

    private let pool: DatabasePool
    private let transaction: LedgerTransaction
    private let busyWait: BusyWait
    private let state = Mutex(State())
    /// Wakes up the drain that waits for company.
    private let arrival = DispatchSemaphore(value: 0)

    /// - Parameter busyWait: what waits for other processes on behalf of the pool's writing connection.
    init(pool: DatabasePool, busyWait: BusyWait, forgetting: LedgerForgetting) {
        self.pool = pool
        self.busyWait = busyWait
        transaction = LedgerTransaction(path: pool.path, forgetting: forgetting)
    }

    /// How many transactions have been begun.
    package var transactions: Int { transaction.count }
    /// How many of them were of a lone write, on the thread that asked for it.
    package var loneTransactions: Int { state.withLock { $0.loneTransactions } }

    /// Hands a write in, and returns once its transaction is durable. Cancellation is ignored: a write that has been
    /// handed in may be applied, and whoever did so must learn it.
    package func submit(_ write: LedgerWrite, at now: Date) async throws(LedgerOutage) -> LedgerAnswer {
        let write = PendingWrite(write, at: now)
        if let result = writeAlone(write) { return try result.get() }
        return try await withCheckedContinuation { continuation in
            enqueue(Pending(write: write, continuation: continuation))
        }.get()
    }

    /// Hands the writing connection to somebody else of this process, outside a transaction, on its thread.
    func lend(to guest: @escaping @Sendable (Database) -> Void) {
        state.withLock { $0.guests += 1 }
        pool.asyncWriteWithoutTransaction { db in
            guest(db)
            self.state.withLock { $0.guests -= 1 }
        }
    }

    /// Lets what is waiting be written, and nothing more. Returns when the connection has been asked for all of it.
    func refuseFurtherWrites() {
        let (endsWait, loneWriteEnd): (Bool, DispatchSemaphore?) = state.withLock { state in
            state.isClosed = true
            if state.isWritingAlone { state.loneWriteEnd = state.loneWriteEnd ?? DispatchSemaphore(value: 0) }
            return (state.endsWait(), state.loneWriteEnd)
        }
        if endsWait { arrival.signal() }
        guard let loneWriteEnd else { return }
        loneWriteEnd.wait()
        // For whoever closes at the same time.
        loneWriteEnd.signal()
    }

    /// Makes a write on this thread if nobody else writes and the disk is fast. Returns nil when it has to be handed over:
    /// also when another process holds the file, for which this thread does not wait.
    private func writeAlone(_ write: PendingWrite) -> Result<LedgerAnswer, LedgerOutage>? {
        let isAlone = state.withLock { state in
            guard !state.isClosed, !state.isDraining, state.guests == 0, let lastTook = state.lastTook,
                lastTook < Self.loneLimit
            else { return false }
            (state.isDraining, state.isWritingAlone) = (true, true)
            return true
        }
        guard isAlone else { return nil }
        let start = ContinuousClock.now
        let result = pool.writeWithoutTransaction { db in
            busyWait.withoutPatience { transaction.write([write], db)[0] }
        }
        let end = ContinuousClock.now
        let (hasCompany, closing) = state.withLock { state in
            state.lastTook = end - start
            state.isWritingAlone = false
            state.loneTransactions += 1
            state.isDraining = !state.waiting.isEmpty
            // Whoever came meanwhile and this one, who may come back at once.
            if state.isDraining { state.expectCompany(state.waiting.count + 1, since: start, end: end) }
            return (state.isDraining, state.loneWriteEnd)
        }
        if hasCompany { pool.asyncWriteWithoutTransaction { db in self.drain(db) } }
        closing?.signal()
        if case .failure(let outage) = result, outage.code == .locked { return nil }
        return result
    }

    private func enqueue(_ pending: Pending) {
        enum Next { case nothing, drain, wake, refuse }
        let next: Next = state.withLock { state in
            if state.isClosed { return .refuse }
            state.waiting.append(pending)
            defer { state.isDraining = true }
            if state.endsWait() { return .wake }
            return state.isDraining ? .nothing : .drain
        }
        switch next {
        case .nothing: break
        case .drain: pool.asyncWriteWithoutTransaction { db in self.drain(db) }
        case .wake: arrival.signal()
        case .refuse:
            let outage = LedgerOutage(.unreachable, "\(pool.path) has been closed")
            pending.continuation.resume(returning: .failure(outage))
        }
    }

    private func drain(_ db: Database) {
        for _ in 0..<Self.turn {
            awaitCompany()
            guard let batch = nextBatch() else { return }
            let start = ContinuousClock.now
            let results = transaction.write(batch.map(\.write), db)
            let end = ContinuousClock.now
            state.withLock { state in
                state.lastTook = end - start
                // Whoever is answered now may come back at once, and whoever waits already is there.
                state.expectCompany(batch.count + state.waiting.count, since: start, end: end)
            }
            for (pending, result) in zip(batch, results) { pending.continuation.resume(returning: result) }
        }
        // Under a load without end nobody else of this process, such as its key store, would come to write. Decided
        // under the lock: once nothing more is taken, the file may be closed before a turn that is asked for now.
        let isLast = state.withLock { state in
            if !state.isClosed { pool.asyncWriteWithoutTransaction { db in self.drain(db) } }
            return state.isClosed
        }
        if isLast { drain(db) }
    }

    /// Waits until as many writes are there as may come together, but not beyond the time that was set for them.
    private func awaitCompany() {
        let end: ContinuousClock.Instant? = state.withLock { state in
            guard !state.isClosed, let company = state.company, company.size > state.waiting.count,
                company.until > .now
            else { return nil }
            state.isAwaitingCompany = true
            return company.until
        }
        guard let end else { return }
        let nanoseconds = Int((end - .now) / .nanoseconds(1))
        guard arrival.wait(timeout: .now() + .nanoseconds(max(0, nanoseconds))) == .timedOut else { return }
        let hasBeenWoken = state.withLock { state in
            defer { state.isAwaitingCompany = false }
            return !state.isAwaitingCompany
        }
        // The signal came after all, or is about to, and must not end the next wait.
        if hasBeenWoken { arrival.wait() }
    }

    private func nextBatch() -> [Pending]? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.batchLimit))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}
