import AssayCore
import AssayLedgerPostgreSQL
import AssayTesting
import Foundation
import Testing

@Suite("The contracts on PostgreSQL", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct ContractTests {
    @Test("The PostgreSQL ledger keeps the contract", arguments: LedgerContract.cases)
    func ledger(_ contractCase: LedgerContract.Case) async throws {
        try await withNewLedgers { opened in try await contractCase.run { try await opened.new() } }
    }

    @Test("Its operations for operators keep theirs", arguments: LedgerContract.administrationCases)
    func administration(_ contractCase: LedgerContract.AdministrationCase) async throws {
        try await withNewLedgers { opened in try await contractCase.run { try await opened.new() } }
    }

    @Test("The storage of sealed keys keeps the contract", arguments: KeyStoreContract.cases)
    func keys(_ contractCase: KeyStoreContract.Case) async throws {
        try await withNewLedgers { opened in try await contractCase.run { try await opened.new() } }
    }

    private func withNewLedgers(_ body: (OpenedLedgers) async throws -> Void) async throws {
        let opened = OpenedLedgers()
        do {
            try await body(opened)
        } catch {
            await opened.close()
            throw error
        }
        await opened.close()
    }
}

/// The ledgers of a case, which are closed at its end.
actor OpenedLedgers {
    private var ledgers: [PostgreSQLLedger] = []

    /// A ledger in a new schema, which forgets by the times of writes alone.
    func new() async throws -> PostgreSQLLedger {
        let url = try await TestCluster.shared().newLedger()
        let ledger = try await PostgreSQLLedger.open(url, purging: .byClock { .distantFuture })
        ledgers.append(ledger)
        return ledger
    }

    func close() async {
        for ledger in ledgers { try? await ledger.close() }
    }
}
