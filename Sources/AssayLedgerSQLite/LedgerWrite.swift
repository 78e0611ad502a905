package import AssayCore
import Foundation

/// A write to the tables.
package enum LedgerWrite: Sendable {
    case issue(IssuedChallenge)
    case commit([LedgerEffect])
    case set(LedgerStanding)
    case removeStanding(LedgerSubject, by: String?)
    case move(KeyIdentifier, to: String?, by: String?)
    /// With the hash of its token.
    case addOperator(LedgerOperator, [UInt8])
    case revokeOperator(String, by: String?)
    case store([UInt8], named: String, replacing: Int64)
    case purge
}

/// The result of a write.
package enum LedgerAnswer: Sendable {
    /// Whether anything was changed.
    case changed(Bool)
    /// The block or allowance that was removed, if there was one.
    case removed(LedgerStanding?)
    /// The key that was moved, as it was, and whether that changed anything; nil if there is none.
    case moved(EnrolledKey?, isChange: Bool)
    /// Why an operator was not added; nil if it was.
    case addedOperator(OperatorRefusal?)
    /// The operator that was revoked, as it was, if there was one.
    case revokedOperator(LedgerOperator?)
    /// How many entries were purged.
    case purged(Int)
    /// The decisions of a commit.
    case decided(CommitOutcome)

    /// Whether the write has changed anything but purge entries.
    var isChange: Bool {
        switch self {
        case .changed(let changed): changed
        case .removed(let standing): standing != nil
        case .moved(_, let isChange): isChange
        case .addedOperator(let refusal): refusal == nil
        case .revokedOperator(let previous): previous != nil
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
