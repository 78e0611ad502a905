import AssayCore
import AssayLedgerSQLite
import AssayTesting
import Testing

@Suite("The contract of key storages in SQLite")
struct SQLiteKeyStoreContractTests {
    @Test("The storage of a SQLite ledger fulfils the contract", arguments: KeyStoreContract.cases)
    func sqlite(_ contractCase: KeyStoreContract.Case) async throws {
        let folder = try TemporaryFolder()
        try await contractCase.run { try SQLiteLedger.open(path: folder.path()) }
    }
}
