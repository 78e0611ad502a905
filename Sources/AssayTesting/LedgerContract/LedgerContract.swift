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
/// refused commit changes nothing. A later version may add cases that a ledger fails, even if it passed before.
public enum LedgerContract {
    /// One rule for every ledger.
    public typealias Case = ContractCase<any Ledger>
    /// One rule for ledgers with the operations for operators.
    public typealias AdministrationCase = ContractCase<any LedgerAdministration>

    /// The rules of ``Ledger``.
    public static let cases: [Case] =
        challengeCases + keyCases + refreshCases + counterCases + windowCases + useCases + limitCases + commitCases
        + digestCases + forgettingCases + raceCases

    /// The further rules of ``LedgerAdministration``.
    public static let administrationCases: [AdministrationCase] =
        blockCases + allowanceCases + accountCases + operatorCases + auditCases + documentCases + taskCases
        + purgingCases + quarantineCases + exportCases
}
