public import AssayCore

/// The contract of ``Ledger`` and ``LedgerAdministration``: cases for any implementation and any test framework.
///
/// ```swift
/// for contractCase in LedgerContract.cases {
///     try await contractCase.run { MyLedger(inNewDatabase: true) }
/// }
/// ```
///
/// A ledger that passes is safe for verdicts: of racing commits that exclude each other, exactly one succeeds, and a
/// refused commit changes nothing.
public enum LedgerContract {
    /// One rule of the contract.
    public typealias Case = ContractCase<any LedgerAdministration>

    /// All rules. A later version may add cases that a ledger fails, even if it passed before.
    public static let cases: [Case] =
        challengeCases + keyCases + refreshCases + counterCases + windowCases + useCases + commitCases + blockCases
        + allowanceCases + accountCases + operatorCases + auditCases + documentCases + taskCases + digestCases
        + purgingCases + quarantineCases + exportCases + raceCases
}
