package import AssayCore
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
/// is answered before that is durable. There is never a wait for company: a lone write goes at once.
package final class GroupWriter: Sendable {
    /// How many writes share a transaction at most, which bounds how long the first of them waits for the others.
    package static let batchLimit = 256
    /// How many transactions are made before others of this process come to write.
    private static let turn = 4

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
    }

    private let pool: DatabasePool
    private let forgetting: LedgerForgetting
    private let state = Mutex(State())

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
        state.withLock { $0.isClosed = true }
    }

    private func enqueue(_ pending: Pending) {
        enum Next { case nothing, drain, refuse }
        let next: Next = state.withLock { state in
            if state.isClosed { return .refuse }
            state.waiting.append(pending)
            defer { state.isDraining = true }
            return state.isDraining ? .nothing : .drain
        }
        switch next {
        case .nothing: break
        case .drain: pool.asyncWriteWithoutTransaction { db in self.drain(db) }
        case .refuse:
            let outage = LedgerOutage(.unreachable, "\(pool.path) has been closed")
            pending.continuation.resume(returning: .failure(outage))
        }
    }

    private func drain(_ db: Database) {
        for _ in 0..<Self.turn {
            guard let batch = nextBatch() else { return }
            for (pending, result) in zip(batch, write(batch, db)) {
                pending.continuation.resume(returning: result)
            }
        }
        // Under a load without end nobody else of this process, such as its key store, would come to write. Decided
        // under the lock: once nothing more is taken, the file may be closed before a turn that is asked for now.
        let isLast = state.withLock { state in
            if !state.isClosed { pool.asyncWriteWithoutTransaction { db in self.drain(db) } }
            return state.isClosed
        }
        if isLast { drain(db) }
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
            return try transact(batch, db).map { .success($0) }
        } catch {
            let outage = LedgerOutage(error, path: pool.path)
            // What only one of them may be to blame for, such as a damaged row, must not hit the others.
            if batch.count > 1, [.internalError, .corrupt, .clock].contains(outage.code) {
                return batch.flatMap { write([$0], db) }
            }
            return batch.map { _ in .failure(outage) }
        }
    }

    private func transact(_ batch: [Pending], _ db: Database) throws -> [LedgerAnswer] {
        state.withLock { $0.transactions += 1 }
        var answers: [LedgerAnswer] = []
        try db.inTransaction(.immediate) {
            let tables = LedgerTables(db)
            var changed = false
            for pending in batch {
                let (answer, hasChanged) = try perform(pending, tables)
                answers.append(answer)
                changed = changed || hasChanged
            }
            // A refusal changes nothing. The limit exceeds what a batch can add, so that purging keeps up. And it never
            // runs ahead of the clock: a trial at a time to come must not forget what still protects today.
            if changed, case .byClock(let clock) = forgetting, let now = (batch.map(\.now) + [clock()]).min() {
                try tables.purge(expiredBy: now - LedgerRules.retention, atMost: 16 + 2 * batch.count)
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
