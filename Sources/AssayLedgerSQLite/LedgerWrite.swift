package import AssayCore
package import Foundation

/// A write to the tables.
package enum LedgerWrite: Sendable {
    case issue(IssuedChallenge)
    case commit([LedgerEffect])
    case block(LedgerBlock)
    case allow(LedgerAllowance)
    case removeStanding(LedgerSubject, only: LedgerStanding.Kind?, by: String?)
    case move(KeyIdentifier, to: String?, by: String?)
    /// With the hash of its token.
    case addOperator(LedgerOperator, [UInt8])
    case revokeOperator(String, withDescendants: Bool, by: String?)
    case store([UInt8], named: String, replacing: Int64, recording: [LedgerChange])
    /// With the expected revision.
    case putTask(LedgerTask)
    case removeTask([UInt8], in: String, replacing: Int64)
    case leaseTasks(in: String, to: String, until: Date, atMost: Int)
    case leaseTask([UInt8], in: String, to: String, until: Date)
    /// An entry of the audit trail alone.
    case record(LedgerChange)
    case quarantine(until: Date, by: String?)
    /// A write that changes nothing.
    case prove
    case purge
}

/// The result of a write.
package enum LedgerAnswer: Sendable {
    case changed(Bool)
    /// The block in force that prevented an allowance; nil if the allowance was stored.
    case allowed(LedgerBlock?)
    /// The removed block or allowance; nil for none.
    case removed(LedgerStanding?)
    /// The moved key in its former state, and whether the move changed it; nil if there is no such key.
    case moved(EnrolledKey?, isChange: Bool)
    /// The reason why an operator was not added; nil if it was added.
    case addedOperator(OperatorRefusal?)
    /// The revoked operators in their former state.
    case revokedOperators([LedgerOperator])
    case leased([LedgerTask])
    /// The number of purged entries.
    case purged(Int)
    /// The decisions of a commit.
    case decided(CommitOutcome)

    /// Whether the write changed anything besides purging.
    var isChange: Bool {
        switch self {
        case .changed(let changed): changed
        case .allowed(let block): block == nil
        case .removed(let standing): standing != nil
        case .moved(_, let isChange): isChange
        case .addedOperator(let refusal): refusal == nil
        case .revokedOperators(let previous): !previous.isEmpty
        case .leased(let tasks): !tasks.isEmpty
        case .purged: false
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
