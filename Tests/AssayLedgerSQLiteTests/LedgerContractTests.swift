import AssayCore
import AssayLedgerSQLite
import AssayTesting
import Foundation
import Testing

@Suite("The contract of ledgers, over SQLite")
struct LedgerContractTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Purges only by the times of writes, independent of the machine's clock.
    private func open() throws -> SQLiteLedger {
        try SQLiteLedger.open(path: folder.path(), purging: .byClock { .distantFuture })
    }

    @Test("The SQLite ledger keeps the contract", arguments: LedgerContract.cases)
    func verification(_ contractCase: LedgerContract.Case) async throws {
        try await contractCase.run { try open() }
    }

    @Test("Its operations for operators keep theirs", arguments: LedgerContract.administrationCases)
    func administration(_ contractCase: LedgerContract.AdministrationCase) async throws {
        try await contractCase.run { try open() }
    }
}
