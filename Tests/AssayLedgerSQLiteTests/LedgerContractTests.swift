import AssayCore
import AssayLedgerSQLite
import AssayTesting
import Foundation
import Testing

@Suite("The contract of ledgers")
struct LedgerContractTests {
    @Test("The memory ledger keeps the contract", arguments: LedgerContract.cases)
    func memory(_ contractCase: LedgerContract.Case) async throws {
        // Each forgets by the time of the writes alone, whatever the machine's clock says.
        try await contractCase.run { MemoryLedger(purging: .byClock { .distantFuture }) }
    }

    @Test("The SQLite ledger keeps the contract", arguments: LedgerContract.cases)
    func sqlite(_ contractCase: LedgerContract.Case) async throws {
        let folder = try TemporaryFolder()
        try await contractCase.run {
            try SQLiteLedger.open(path: folder.path(), purging: .byClock { .distantFuture })
        }
    }

    @Test("A ledger that forgets nothing keeps the contract", arguments: LedgerContract.cases)
    func remembering(_ contractCase: LedgerContract.Case) async throws {
        try await contractCase.run { MemoryLedger(purging: .never) }
    }

    @Test("A faulty ledger without a fault keeps the contract", arguments: LedgerContract.cases)
    func faultless(_ contractCase: LedgerContract.Case) async throws {
        try await contractCase.run {
            FaultyLedger(MemoryLedger(purging: .byClock { .distantFuture })) { _, _ in nil }
        }
    }

    /// The contract must find a ledger that breaks it; otherwise it would prove nothing.
    @Test("The contract finds a ledger that applies every effect")
    func brokenLedger() async throws {
        var broken: [String] = []
        for contractCase in LedgerContract.cases {
            do {
                try await contractCase.run { GullibleLedger() }
            } catch let violation as ContractViolation {
                #expect(violation.rule == contractCase.name)
                broken.append(contractCase.name)
            } catch {
                broken.append(contractCase.name)
            }
        }
        // All but three rules are about refusing or keeping something.
        #expect(broken.count >= LedgerContract.cases.count - 3, "found only \(broken)")
        #expect(Set(LedgerContract.cases.map(\.name)).count == LedgerContract.cases.count)
    }
}

/// Accepts everything and keeps nothing.
private struct GullibleLedger: LedgerAdministration {
    var durability: LedgerDurability { .durable }
    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {}
    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? { nil }
    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] { [] }
    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        CommitOutcome(decisions: effects.map { _ in nil })
    }
    func block(_ block: LedgerBlock) async throws(LedgerOutage) {}
    func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) {}
    func removeStanding(
        of subject: LedgerSubject, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? { nil }
    func standings() async throws(LedgerOutage) -> [LedgerStanding] { [] }
    func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey] { [] }
    func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey? { nil }
    func addOperator(_ new: LedgerOperator, tokenHash: [UInt8]) async throws(LedgerOutage) -> OperatorRefusal? { nil }
    func revokeOperator(
        named name: String, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerOperator? { nil }
    func operators() async throws(LedgerOutage) -> [LedgerOperator] { [] }
    func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? { nil }
    func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? { nil }
    func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool { true }
    func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws {}
    func purge(at now: Date) async throws(LedgerOutage) -> Int { 0 }
    func check(
        _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws(LedgerOutage) -> [String] { [] }
    func export(_ body: (LedgerEntry) throws -> Void) async throws {}
    func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        LedgerSummary(
            openChallenges: 0, consumedChallenges: 0, keys: 0, digests: 0, blocks: 0, allowances: 0, operators: 0,
            documents: 0)
    }
}
