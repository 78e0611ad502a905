import AssayCore
import CoreMetrics
import Dispatch
import Synchronization

/// What a ledger has done since it was opened, for metrics.
public struct PostgreSQLLedgerCounts: Sendable, Equatable {
    /// Transactions of writes that were begun.
    public internal(set) var transactions = 0
    /// Writes in them. Divided by the transactions: the writes that share one.
    public internal(set) var writes = 0
    /// Connections on which a writer has begun: two, and one more for each that was lost.
    public internal(set) var registrations = 0
    /// Transactions that were repeated, because another server was faster.
    public internal(set) var races = 0
    /// Answers of COMMIT that were lost.
    public internal(set) var lostAnswers = 0
    /// Lost answers and cancelled waits for a standby after which nothing is known.
    public internal(set) var undetermined = 0
    /// Entries that were purged.
    public internal(set) var purged = 0
}

/// Counts for several threads.
final class LedgerCounters: Sendable {
    private let counts = Mutex(PostgreSQLLedgerCounts())
    private let duration = CoreMetrics.Timer(label: MetricName.ledgerCommit.rawValue)
    private let batchSize = Recorder(label: MetricName.ledgerBatch.rawValue)

    var current: PostgreSQLLedgerCounts { counts.withLock { $0 } }

    func count(_ field: any WritableKeyPath<PostgreSQLLedgerCounts, Int> & Sendable, _ number: Int = 1) {
        counts.withLock { $0[keyPath: field] += number }
    }

    /// Records a transaction that has ended, for swift-metrics.
    func record(writes: Int, since start: DispatchTime) {
        duration.recordNanoseconds(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
        batchSize.record(writes)
    }
}
