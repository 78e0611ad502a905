package import AssayCore
import Foundation
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

/// A write with the time that it is decided at. A class: its many words are not copied from one queue to the next.
final class PendingWrite: Sendable {
    let write: LedgerWrite
    let now: Date

    init(_ write: LedgerWrite, at now: Date) {
        self.write = write
        self.now = now
    }
}

/// Makes writes durable together, in one immediate transaction of the connection that is handed in.
final class LedgerTransaction: Sendable {
    private let path: String
    private let forgetting: LedgerForgetting
    private let begun = Atomic<Int>(0)

    init(path: String, forgetting: LedgerForgetting) {
        self.path = path
        self.forgetting = forgetting
    }

    /// How many have been begun.
    var count: Int { begun.load(ordering: .relaxed) }

    /// Decides writes, each against what the earlier ones left, and returns an answer for each when all are durable.
    func write(_ batch: [PendingWrite], _ db: Database) -> [Result<LedgerAnswer, LedgerOutage>] {
        do {
            return try transact(batch, db)
        } catch {
            let outage = LedgerOutage(error, path: path)
            // What only one of them may be to blame for, such as a damaged row, must not hit the others.
            if batch.count > 1, [.internalError, .corrupt].contains(outage.code) {
                return batch.flatMap { write([$0], db) }
            }
            return batch.map { _ in .failure(outage) }
        }
    }

    private func transact(_ batch: [PendingWrite], _ db: Database) throws -> [Result<LedgerAnswer, LedgerOutage>] {
        begun.add(1, ordering: .relaxed)
        var answers: [Result<LedgerAnswer, LedgerOutage>] = []
        answers.reserveCapacity(batch.count)
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

    private func perform(_ pending: PendingWrite, _ tables: LedgerTables) throws -> (LedgerAnswer, changed: Bool) {
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
