import AssayCore
import CoreMetrics
import Dispatch
import Synchronization

/// Counters since opening; also exported as metrics.
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
    typealias Field = any WritableKeyPath<PostgreSQLLedgerCounts, Int> & Sendable
    /// The tables whose rows are a metric.
    private static let tables = ["challenge", "enrolled_key", "used_digest"]

    private let counts = Mutex(PostgreSQLLedgerCounts())
    private let duration = CoreMetrics.Timer(label: MetricName.ledgerCommit.rawValue)
    private let batchSize = Recorder(label: MetricName.ledgerBatch.rawValue)
    private let metrics: [(field: Field, counter: Counter)]
    private let rows: [(table: String, live: Meter, dead: Meter)]
    private let lastDurableWrite = Mutex<ContinuousClock.Instant?>(nil)

    init(isDurabilityWaived: Bool) {
        let names: [(Field, MetricName)] = [
            (\.registrations, .ledgerConnections), (\.races, .ledgerRaces), (\.lostAnswers, .ledgerLostAnswers),
            (\.undetermined, .ledgerUndetermined), (\.purged, .ledgerPurged),
        ]
        metrics = names.map { field, name in
            let counter = Counter(label: name.rawValue)
            // An alert sees an increase only of a series that was there before.
            counter.increment(by: 0)
            return (field, counter)
        }
        rows = Self.tables.map { table in
            func meter(_ name: MetricName) -> Meter { Meter(label: name.rawValue, dimensions: [("table", table)]) }
            return (table, meter(.ledgerRows), meter(.ledgerDeadRows))
        }
        Meter(label: MetricName.ledgerWaived.rawValue).set(isDurabilityWaived ? 1 : 0)
    }

    var current: PostgreSQLLedgerCounts { counts.withLock { $0 } }

    func count(_ field: Field, _ number: Int = 1) {
        counts.withLock { $0[keyPath: field] += number }
        metrics.first { $0.field == field }?.counter.increment(by: number)
    }

    /// Counts a transaction that begins.
    func begin(writes: Int) {
        counts.withLock {
            $0.transactions += 1
            $0.writes += writes
        }
    }

    func noteDurableWrite() { lastDurableWrite.withLock { $0 = .now } }

    /// Whether a write has become durable within the last time.
    func hasWritten(within time: Duration) -> Bool {
        lastDurableWrite.withLock { $0.map { ContinuousClock.now - $0 < time } ?? false }
    }

    /// Records a transaction that has ended, for swift-metrics.
    func record(writes: Int, since start: DispatchTime) {
        duration.recordNanoseconds(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
        batchSize.record(writes)
    }

    /// Records how many live and dead rows a table has.
    func record(live: Int64, dead: Int64, of table: String) {
        guard let meters = rows.first(where: { $0.table == table }) else { return }
        meters.live.set(live)
        meters.dead.set(dead)
    }
}
