import AssayCore
import Foundation

/// A write to the tables.
enum LedgerWrite: Sendable {
    case issue(IssuedChallenge)
    case commit([LedgerEffect])
    /// Another change, and whether it changed anything besides purging. It may be made again, in a transaction of its own.
    case change(@Sendable (inout LedgerTables) throws -> Bool)
}

/// The result of a write.
enum LedgerAnswer: Sendable {
    /// Whether the write changed anything besides purging.
    case changed(Bool)
    /// The decisions of a commit.
    case decided(CommitOutcome)

    /// Whether the write changed anything besides purging.
    var isChange: Bool {
        switch self {
        case .changed(let changed): changed
        case .decided(let outcome): outcome.isApplied && !outcome.decisions.isEmpty
        }
    }
}

/// A write and the time of its decision. A class, so that queues copy a reference instead of the large enum.
final class TimedWrite: Sendable {
    let write: LedgerWrite
    let now: Date

    init(_ write: LedgerWrite, at now: Date) {
        self.write = write
        self.now = now
    }
}
