public import AssayCore

/// The contract of ``Ledger`` and ``LedgerAdministration``, as cases that run against any implementation, in any test
/// framework.
///
/// ```swift
/// for contractCase in LedgerContract.cases {
///     try await contractCase.run { MyLedger(inNewDatabase: true) }
/// }
/// ```
///
/// Verdicts may rest on a ledger that passes. In particular, of racing commits exactly one gets what only one can have, and
/// a refusal changes nothing.
public enum LedgerContract {
    /// One rule of the contract.
    public typealias Case = ContractCase<any LedgerAdministration>

    /// All rules. A later version may add cases, which a ledger that passed may fail.
    public static let cases: [Case] =
        challengeCases + keyCases + counterCases + commitCases + blockCases + allowanceCases + digestCases
        + purgingCases + exportCases + raceCases
}
