/// A block that a check did not find when it looked its subject up. An operator may set it before the evidence is accepted: while the
/// body of its request arrives, or while a service of the platform answers.
package struct StandingConfirmation: Sendable {
    /// The check that looked.
    package let check: CheckID
    /// The subject that must not be blocked.
    package let subject: LedgerSubject
    /// The code of the check for a block.
    package let code: CheckCode

    /// What the ledger compares.
    var effect: LedgerEffect { LedgerEffect(check, .confirmUnblocked(subject)) }

    /// The result of the check under the ledger's decision; nil if the subject is not blocked.
    func failure(_ refusal: LedgerRefusal?) -> CheckResult? {
        switch refusal {
        case nil: nil
        case .blocked(let block)?: .failed(check, CheckFailure(code, block).finding)
        case .some(let other): .failed(check, other)
        }
    }
}
