public import AssayCore

/// An operation of a ledger, whose fault a ``FaultyLedger`` plans.
@nonexhaustive
public enum LedgerOperation: String, Sendable, CaseIterable {
    /// ``Ledger/issue(_:at:)``
    case issue
    /// ``Ledger/enrolledKey(_:)``
    case enrolledKey
    /// ``Ledger/standings(of:at:)``
    case standings
    /// ``Ledger/commit(_:at:)``
    case commit
    /// ``LedgerAdministration/block(_:)``
    case block
    /// ``LedgerAdministration/allow(_:)``
    case allow
    /// ``LedgerAdministration/removeStanding(of:only:by:at:)``
    case removeStanding
    /// ``LedgerAdministration/standings()``
    case allStandings
    /// ``LedgerAdministration/keys(of:)``
    case keys
    /// ``LedgerAdministration/move(_:to:by:at:)``
    case move
    /// ``LedgerAdministration/addOperator(_:tokenHash:)``
    case addOperator
    /// ``LedgerAdministration/revokeOperator(named:withDescendants:by:at:)``
    case revokeOperator
    /// ``LedgerAdministration/operators()``
    case operators
    /// ``LedgerAdministration/liveOperator(tokenHash:at:)``
    case liveOperator
    /// ``LedgerDocuments/document(named:)``
    case document
    /// ``LedgerDocuments/store(_:named:replacing:at:)`` and ``LedgerAdministration/store(_:named:replacing:recording:at:)``
    case storeDocument
    /// ``LedgerTasks/task(_:in:)``
    case task
    /// ``LedgerTasks/putTask(_:in:dueAt:bytes:replacing:at:)``
    case putTask
    /// ``LedgerTasks/removeTask(_:in:replacing:at:)``
    case removeTask
    /// ``LedgerTasks/leaseTasks(in:to:until:atMost:at:)``
    case leaseTasks
    /// ``LedgerTasks/leaseTask(_:in:to:until:at:)``
    case leaseTask
    /// ``LedgerTasks/tasks(in:after:atMost:)``
    case tasks
    /// ``LedgerAdministration/record(_:)``
    case record
    /// ``LedgerAdministration/audit(_:)`` and ``LedgerAdministration/replayAudit(_:)``
    case audit
    /// ``LedgerAdministration/purge(at:)``
    case purge
    /// ``LedgerAdministration/export(_:)``
    case export
    /// ``LedgerAdministration/summary(at:)``
    case summary
    /// ``LedgerAdministration/check(_:)``
    case check
    /// ``LedgerAdministration/settingProblems()``
    case settingProblems
    /// ``LedgerAdministration/proveWritable(at:)``
    case proveWritable
    /// ``LedgerAdministration/quarantine(until:by:at:)``
    case quarantine
    /// ``LedgerAdministration/quarantineEnd()``
    case quarantineEnd

    /// One operation of the history.
    package struct Step: Sendable, Equatable {
        package let operation: LedgerOperation
        /// The number among operations of its kind, from 1.
        package let number: Int
        /// The fault; nil for none.
        package let fault: LedgerFault?
    }
}

/// The fault of an operation of a ``FaultyLedger``.
public enum LedgerFault: Sendable, Equatable {
    /// The operation fails without effect.
    case outage(LedgerOutage = .planned)
    /// The operation takes effect, but the caller gets an outage.
    case answerLost(LedgerOutage = .planned)
    /// The operation succeeds after a delay.
    case delay(Duration)
}

extension LedgerOutage {
    /// The default outage of a ``FaultyLedger``.
    public static let planned = LedgerOutage(.unreachable, "no answer, as planned")
}
