package import AssayCore
import Foundation

/// A write to the tables.
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

    /// Whether anything is in the file that was not there before.
    var isChange: Bool {
        switch self {
        case .changed(let changed): changed
        case .ended(let ended): ended != nil
        case .decided(let outcome): outcome.isApplied && !outcome.decisions.isEmpty
        }
    }
}

/// A write with the time that it is decided at. A class: its many words are not copied from one queue to the next.
final class TimedWrite: Sendable {
    let write: LedgerWrite
    let now: Date

    init(_ write: LedgerWrite, at now: Date) {
        self.write = write
        self.now = now
    }
}
