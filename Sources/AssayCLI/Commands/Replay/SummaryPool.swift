import AssayReplay
import Synchronization

/// Summaries for as many threads as there are: each takes one, adds to it and gives it back. In which of them a record is
/// counted makes no difference once they are merged.
final class SummaryPool: Sendable {
    private let summaries = Mutex<[ReplaySummary]>([])

    /// Adds records.
    func add(_ records: [ReplayedRecord]) {
        var summary = summaries.withLock { $0.popLast() } ?? ReplaySummary()
        for index in records.indices { summary.add(records[index]) }
        let changed = summary
        summaries.withLock { $0.append(changed) }
    }

    /// All of them as one.
    var merged: ReplaySummary {
        summaries.withLock { summaries in
            summaries.reduce(into: ReplaySummary()) { $0.merge($1) }
        }
    }
}
