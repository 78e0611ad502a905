import AssayCore
import GRDB
import Synchronization

/// Makes writes durable, those of a batch in one immediate transaction of the connection that is handed in.
final class LedgerTransactions: Sendable {
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
    ///
    /// - Parameter joining: asked for more writes of the same transaction whenever those so far are made, until it has
    ///   none; their answers come after those of `first`.
    func write(
        _ first: [TimedWrite], _ db: Database, joining: () -> [TimedWrite] = { [] }
    ) -> [Result<LedgerAnswer, LedgerOutage>] {
        var batch = first
        do {
            return try transact(&batch, db, joining)
        } catch {
            let outage = LedgerOutage(error, path: path)
            // What only one of them may be to blame for, such as a damaged row, must not hit the others.
            if batch.count > 1, [.internalError, .corrupt].contains(outage.code) {
                return batch.flatMap { write([$0], db) }
            }
            return batch.map { _ in .failure(outage) }
        }
    }

    /// - Parameter batch: what is written; holds all that joined it, also when this throws.
    private func transact(
        _ batch: inout [TimedWrite], _ db: Database, _ joining: () -> [TimedWrite]
    ) throws -> [Result<LedgerAnswer, LedgerOutage>] {
        begun.add(1, ordering: .relaxed)
        var answers: [Result<LedgerAnswer, LedgerOutage>] = []
        answers.reserveCapacity(batch.count)
        let tables = LedgerTables(db)
        try tables.inTransaction {
            var changed = false
            while answers.count < batch.count {
                for write in batch[answers.count...] {
                    do {
                        let answer = try perform(write, tables)
                        answers.append(.success(answer))
                        changed = changed || answer.isChange
                    } catch let outage as LedgerOutage where outage.code == .forgotten {
                        // Nothing of it has been applied: all of its effects are decided before the first one is.
                        answers.append(.failure(outage))
                    }
                }
                batch += joining()
            }
            // A refusal changes nothing. The limit exceeds what a batch can add, so that purging keeps up.
            if changed, let now = batch.lazy.map(\.now).min(), let horizon = forgetting.horizon(at: now) {
                try tables.purge(expiredBy: horizon, atMost: 16 + 2 * batch.count)
            }
        }
        return answers
    }

    private func perform(_ write: TimedWrite, _ tables: LedgerTables) throws -> LedgerAnswer {
        switch write.write {
        case .issue(let challenge): return .changed(try tables.insert(challenge))
        case .commit(let effects): return .decided(try tables.commit(effects, at: write.now))
        case .block(let block):
            try tables.put(block)
            return .changed(true)
        case .allow(let allowance):
            try tables.put(allowance)
            return .changed(true)
        case .endStanding(let subject): return .ended(try tables.removeStanding(of: subject))
        }
    }
}
