import AssayCore
import CoreMetrics
import GRDB
import Synchronization

/// Makes writes durable: each batch in one immediate transaction of a connection.
final class LedgerTransactions: Sendable {
    private let purging: LedgerPurging
    private let busyWait: BusyWait
    private let watch: LedgerWatch
    private let begun = Atomic<Int>(0)
    private let duration = CoreMetrics.Timer(label: MetricName.ledgerCommit.rawValue)
    private let batchSize = Recorder(label: MetricName.ledgerBatch.rawValue)

    init(purging: LedgerPurging, busyWait: BusyWait, watch: LedgerWatch) {
        (self.purging, self.busyWait, self.watch) = (purging, busyWait, watch)
    }

    var count: Int { begun.load(ordering: .relaxed) }

    /// Decides writes in order, and returns an answer for each when all are durable.
    ///
    /// - Parameter joining: returns more writes for the same transaction. It is called again after these are made,
    ///   until it returns none. Their answers follow those of `first`.
    func write(
        _ first: [TimedWrite], _ db: Database, joining: () -> [TimedWrite] = { [] }
    ) -> [Result<LedgerAnswer, LedgerOutage>] {
        var batch = first
        do {
            return try transact(&batch, db, joining)
        } catch {
            let outage = watch.cause(error)
            watch.failure.note(outage)
            // A single write, such as one that finds a damaged row, may have caused this: repeat each write in a
            // transaction of its own.
            if batch.count > 1, [.internalError, .corrupt].contains(outage.code) {
                return batch.flatMap { write([$0], db) }
            }
            return batch.map { _ in .failure(outage) }
        }
    }

    /// - Parameter batch: the writes, to which joined writes are appended, also when this throws.
    private func transact(
        _ batch: inout [TimedWrite], _ db: Database, _ joining: () -> [TimedWrite]
    ) throws -> [Result<LedgerAnswer, LedgerOutage>] {
        begun.add(1, ordering: .relaxed)
        var answers: [Result<LedgerAnswer, LedgerOutage>] = []
        answers.reserveCapacity(batch.count)
        let start = LedgerWatch.now
        if watch.isDue(at: start) { try watch.requireFiles() }
        let tables = LedgerTables(db)
        try tables.inTransaction {
            // Again, because BEGIN may have waited for another process.
            if busyWait.takeLongWait() { watch.expire() }
            if watch.isDue(at: start) { try watch.check(at: start, tables, isLatest: true) }
            let quarantineEnd = watch.quarantineEnd
            var changed = false
            while answers.count < batch.count {
                for write in batch[answers.count...] {
                    do {
                        if write.now < quarantineEnd, case .commit(let effects) = write.write {
                            try LedgerRules.requireOutsideQuarantine(effects, until: quarantineEnd, at: write.now)
                        }
                        let answer = try perform(write, tables)
                        answers.append(.success(answer))
                        changed = changed || answer.isChange
                    } catch let outage as LedgerOutage where [.forgotten, .quarantine].contains(outage.code) {
                        // No effect of this write is applied: all are decided before the first is applied.
                        answers.append(.failure(outage))
                    }
                }
                batch += joining()
            }
            // The limit exceeds the number of entries that a batch can add, so purging keeps up.
            if changed, let now = batch.lazy.map(\.now).min(), let horizon = purging.horizon(at: now) {
                try tables.purge(expiredBy: horizon, atMost: 16 + 2 * batch.count)
            }
        }
        watch.note(batch, answers)
        duration.recordNanoseconds(Int64(LedgerWatch.now &- start))
        batchSize.record(batch.count)
        return answers
    }

    private func perform(_ write: TimedWrite, _ tables: LedgerTables) throws -> LedgerAnswer {
        var tables = tables
        return switch write.write {
        case .issue(let challenge): .changed(try tables.insert(challenge))
        case .commit(let effects): .decided(try LedgerRules.commit(effects, on: &tables, at: write.now))
        case .change(let change): .changed(try change(&tables))
        }
    }
}
