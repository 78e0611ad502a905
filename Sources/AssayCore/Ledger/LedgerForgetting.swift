package import FoundationEssentials

/// When a ledger forgets what ended long ago.
package enum LedgerForgetting: Sendable {
    /// As it is written to, by the lower of two times: that of the write, and the machine's. A trial at a time to come must
    /// not forget what still protects today.
    case byClock(@Sendable () -> Date)
    /// Never: for records of any times in any order.
    case never

    /// The machine's time.
    package var clock: @Sendable () -> Date {
        switch self {
        case .byClock(let clock): clock
        case .never: { Date() }
        }
    }

    /// By when what has ended may be forgotten, and nil for nothing.
    ///
    /// - Parameter now: the time of the write, of several the lowest.
    package func horizon(at now: Date) -> Date? {
        switch self {
        case .byClock(let clock): min(now, clock()) - LedgerRules.retention
        case .never: nil
        }
    }
}
