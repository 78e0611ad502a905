import AssayCore
import AssayLedgerSQLite
import AssayTesting
import Foundation
import Testing

@Suite("The contract of ledgers")
struct LedgerContractTests {
    @Test("The memory ledger fulfils the contract", arguments: LedgerContract.cases)
    func memory(_ contractCase: LedgerContract.Case) async throws {
        // Each purges only by the times of writes, independent of the machine's clock.
        try await contractCase.run { MemoryLedger(purging: .byClock { .distantFuture }) }
    }

    @Test("The SQLite ledger fulfils the contract", arguments: LedgerContract.cases)
    func sqlite(_ contractCase: LedgerContract.Case) async throws {
        let folder = try TemporaryFolder()
        try await contractCase.run {
            try SQLiteLedger.open(path: folder.path(), purging: .byClock { .distantFuture })
        }
    }

    @Test("A ledger that never purges fulfils the contract", arguments: LedgerContract.cases)
    func remembering(_ contractCase: LedgerContract.Case) async throws {
        try await contractCase.run { MemoryLedger(purging: .never) }
    }

    @Test("A faulty ledger without a fault fulfils the contract", arguments: LedgerContract.cases)
    func faultless(_ contractCase: LedgerContract.Case) async throws {
        try await contractCase.run {
            FaultyLedger(MemoryLedger(purging: .byClock { .distantFuture })) { _, _ in nil }
        }
    }

    /// The contract must detect a ledger that violates it.
    @Test("The contract detects a ledger that applies every effect")
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
        // All but four rules concern refusing or storing.
        #expect(broken.count >= LedgerContract.cases.count - 4, "found only \(broken)")
        #expect(Set(LedgerContract.cases.map(\.name)).count == LedgerContract.cases.count)
    }
}

/// Accepts everything and stores nothing.
private struct GullibleLedger: LedgerAdministration {
    var durability: LedgerDurability { .durable }
    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {}
    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? { nil }
    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] { [] }
    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        CommitOutcome(decisions: effects.map { _ in nil })
    }
    func block(_ block: LedgerBlock) async throws(LedgerOutage) {}
    func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock? { nil }
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
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] { [] }
    func replayAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws -> [String] { [] }
    func operators() async throws(LedgerOutage) -> [LedgerOperator] { [] }
    func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? { nil }
    func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? { nil }
    func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool { true }
    func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? { nil }
    func putTask(
        _ key: [UInt8], in queue: String, dueAt: Date, bytes: [UInt8], replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool { true }
    func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool { true }
    func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] { [] }
    func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? { nil }
    func record(_ change: LedgerChange) async throws(LedgerOutage) {}
    func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] { [] }
    func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws {}
    func purge(at now: Date) async throws(LedgerOutage) -> Int { 0 }
    func check(
        _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws(LedgerOutage) -> [String] { [] }
    func quarantine(until end: Date, by operatorName: String?, at now: Date) async throws(LedgerOutage) {}
    func quarantineEnd() async throws(LedgerOutage) -> Date? { nil }
    func export(_ body: (LedgerEntry) throws -> Void) async throws {}
    func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        LedgerSummary(
            openChallenges: 0, consumedChallenges: 0, keys: 0, digests: 0, blocks: 0, allowances: 0, operators: 0,
            documents: 0, tasks: 0)
    }
}
