import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
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

    /// Keys are hashed eight bytes at a time, and those of more than 64 bytes are shortened. Each has its own counter, and skipped
    /// ones that are sent after empty ones.
    @Test("One commit takes keys of every length, and repeats none")
    func lengths() async throws {
        try await withNewLedgers { opened in
            let ledger = try await opened.new()
            let names = (0...80).map { KeyIdentifier(engine: "test", value: [UInt8](repeating: 7, count: $0 + 1)) }
            func effects(to counter: UInt32) -> [LedgerEffect] {
                names.enumerated().map { number, name in
                    LedgerEffect(
                        CheckID("test.counter"),
                        .advanceCounter(
                            CounterAdvance(
                                key: name, app: Sample.app, counter: counter + UInt32(number),
                                rule: number % 2 == 0 ? .increasing : .window(64))))
                }
            }
            let enrolled = names.map { name in
                let key = EnrolledKey(
                    identifier: name, app: Sample.app, publicKey: [4], counter: 0, enrolledAt: Sample.now,
                    properties: [:])
                return LedgerEffect(CheckID("test.enrolment"), .enrol(key))
            }
            #expect(try await ledger.commit(enrolled, at: Sample.now).decisions.count == 81)
            let applied = try await ledger.commit(effects(to: 10), at: Sample.now)
            #expect(applied.isApplied && applied.decisions.count == 81)
            for (number, name) in names.enumerated() {
                let counters = try await ledger.enrolledKey(name)?.counters
                #expect(counters?.greatest == 10 + UInt32(number))
                #expect(counters?.skipped.isEmpty == (number % 2 == 0))
            }
            // One step that is used up refuses all; the other decisions say that nothing is wrong with theirs.
            let mixed = Array(effects(to: 20).dropLast()) + [try #require(effects(to: 10).last)]
            let refused = try await ledger.commit(mixed, at: Sample.now)
            #expect(!refused.isApplied && refused.decisions.count == 81)
            #expect(refused.decisions.dropLast().allSatisfy { $0 == nil } && refused.decisions.last != .some(nil))
            #expect(try await ledger.enrolledKey(names[0])?.counter == 10)
        }
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
