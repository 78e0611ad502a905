package import AssayCore
import Foundation

/// A write to the tables.
package enum LedgerWrite: Sendable {
    case issue(IssuedChallenge)
    case commit([LedgerEffect])
    case block(LedgerBlock)
    case allow(LedgerAllowance)
    case removeStanding(LedgerSubject)
    case purge
}

/// The result of a write.
package enum LedgerAnswer: Sendable {
    /// Whether anything was changed.
    case changed(Bool)
    /// The block or allowance that was removed, if there was one.
    case removed(LedgerStanding?)
    /// How many entries were purged.
    case purged(Int)
    /// The decisions of a commit.
    case decided(CommitOutcome)

    /// Whether the write has changed anything but purge entries.
    var isChange: Bool {
        switch self {
        case .changed(let changed): changed
        case .removed(let standing): standing != nil
        case .purged: false
        case .decided(let outcome): outcome.isApplied && !outcome.decisions.isEmpty
        }
    }
}

/// A write with the time of its decision. A class, so that queues copy a reference and not the large enum.
final class TimedWrite: Sendable {
    let write: LedgerWrite
    let now: Date

    init(_ write: LedgerWrite, at now: Date) {
        self.write = write
        self.now = now
    }
}
