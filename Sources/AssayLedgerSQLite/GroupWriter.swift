package import AssayCore
import Dispatch
package import Foundation
import GRDB
import Synchronization

/// A write that waits for its transaction.
package enum LedgerWrite: Sendable {
    case issue(Challenge)
    case commit([LedgerEffect])
    case block(Block)
    case allow(Allowance)
    case endStanding(LedgerSubject)
}

/// What came of a write.
package enum LedgerAnswer: Sendable {
    /// Whether there was anything to change.
    case changed(Bool)
    /// The block or allowance that was ended, if there was one.
    case ended(LedgerStanding?)
    /// The decisions of a commit.
    case decided(CommitOutcome)
}

/// Group commit: writes that arrive while a transaction is being made durable wait, and share the next one.
///
/// Each write of a batch is decided against what the earlier ones left, inside one immediate transaction, and nobody
/// is answered before that is durable. A lone write goes at once. Writers that have shared a transaction are given a
/// moment to come back and share the next one: otherwise the first of them would go alone and the others after it, in
/// two groups that take turns for ever, at half the rate.
package final class GroupWriter: Sendable {
    /// How many writes share a transaction at most, which bounds how long the first of them waits for the others.
    package static let batchLimit = 256
    /// How many transactions are made before others of this process come to write.
    private static let turn = 4
    /// How long company is waited for after a transaction, as a share of the time that it took, and at most: a little
    /// beside what a write takes anyway, even when nobody comes back.
    private static let patience = (share: 0.25, limit: Duration.milliseconds(5))

    private struct Pending: Sendable {
        let write: LedgerWrite
        let now: Date
        let continuation: CheckedContinuation<Result<LedgerAnswer, LedgerOutage>, Never>
    }

    private struct State {
        var waiting: [Pending] = []
        var isDraining = false
        var isClosed = false
        var transactions = 0
        /// How many writes may come together, seen from the last transaction, and until when they are waited for.
        var company: (size: Int, until: ContinuousClock.Instant)?
        /// Whether a drain waits until so many are there.
        var isAwaitingCompany = false

        /// Whether whoever waits for company is to be woken up, once.
        mutating func endsWait() -> Bool {
            guard isAwaitingCompany, isClosed || waiting.count >= company?.size ?? 0 else { return false }
            isAwaitingCompany = false
            return true
        }
    }

    private let pool: DatabasePool
    private let forgetting: LedgerForgetting
    private let state = Mutex(State())
    /// Wakes up the drain that waits for company.
    private let arrival = DispatchSemaphore(value: 0)

    init(pool: DatabasePool, forgetting: LedgerForgetting) {
        self.pool = pool
        self.forgetting = forgetting
    }

    /// How many transactions have been begun.
    package var transactions: Int { state.withLock { $0.transactions } }

    /// Hands a write in, and returns once its transaction is durable. Cancellation is ignored: a write that has been
    /// handed in may be applied, and whoever did so must learn it.
    package func submit(_ write: LedgerWrite, at now: Date) async throws(LedgerOutage) -> LedgerAnswer {
        try await withCheckedContinuation { continuation in
            enqueue(Pending(write: write, now: now, continuation: continuation))
        }.get()
    }

    /// Lets what is waiting be written, and nothing more.
    func refuseFurtherWrites() {
        let endsWait = state.withLock { state in
            state.isClosed = true
            return state.endsWait()
        }
        if endsWait { arrival.signal() }
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
            let results = write(batch, db)
            expectCompany(after: batch, since: start)
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

    /// Whoever is answered now may come back at once, and whoever waits already is there. A lone writer is no company.
    private func expectCompany(after batch: [Pending], since start: ContinuousClock.Instant) {
        let end = ContinuousClock.now
        let patience = min((end - start) * Self.patience.share, Self.patience.limit)
        state.withLock { state in
            let size = min(batch.count + state.waiting.count, Self.batchLimit)
            state.company = size > 1 ? (size, end + patience) : nil
        }
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

    private func write(_ batch: [Pending], _ db: Database) -> [Result<LedgerAnswer, LedgerOutage>] {
        do {
            return try transact(batch, db)
        } catch {
            let outage = LedgerOutage(error, path: pool.path)
            // What only one of them may be to blame for, such as a damaged row, must not hit the others.
            if batch.count > 1, [.internalError, .corrupt].contains(outage.code) {
                return batch.flatMap { write([$0], db) }
            }
            return batch.map { _ in .failure(outage) }
        }
    }

    private func transact(_ batch: [Pending], _ db: Database) throws -> [Result<LedgerAnswer, LedgerOutage>] {
        state.withLock { $0.transactions += 1 }
        var answers: [Result<LedgerAnswer, LedgerOutage>] = []
        try db.inTransaction(.immediate) {
            let tables = LedgerTables(db)
            var changed = false
            for pending in batch {
                do {
                    let (answer, hasChanged) = try perform(pending, tables)
                    answers.append(.success(answer))
                    changed = changed || hasChanged
                } catch let outage as LedgerOutage where outage.code == .forgotten {
                    // Nothing of it has been applied: all of its effects are decided before the first one is.
                    answers.append(.failure(outage))
                }
            }
            // A refusal changes nothing. The limit exceeds what a batch can add, so that purging keeps up.
            if changed, let now = batch.lazy.map(\.now).min(), let horizon = forgetting.horizon(at: now) {
                try tables.purge(expiredBy: horizon, atMost: 16 + 2 * batch.count)
            }
            return .commit
        }
        return answers
    }

    private func perform(_ pending: Pending, _ tables: LedgerTables) throws -> (LedgerAnswer, changed: Bool) {
        switch pending.write {
        case .issue(let challenge):
            let changed = try tables.insert(challenge)
            return (.changed(changed), changed)
        case .commit(let effects):
            let outcome = try tables.commit(effects, at: pending.now)
            return (.decided(outcome), outcome.isApplied && !effects.isEmpty)
        case .block(let block):
            try tables.put(block)
            return (.changed(true), true)
        case .allow(let allowance):
            try tables.put(allowance)
            return (.changed(true), true)
        case .endStanding(let subject):
            let ended = try tables.removeStanding(of: subject)
            return (.ended(ended), ended != nil)
        }
    }
}
