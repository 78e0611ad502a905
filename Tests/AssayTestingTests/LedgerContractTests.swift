import AssayCore
import AssayTesting
import Foundation
import Testing

@Suite("The contract of ledgers")
struct LedgerContractTests {
    @Test("The memory ledger keeps the contract, and so does one that never purges", arguments: LedgerContract.cases)
    func memory(_ contractCase: LedgerContract.Case) async throws {
        try await contractCase.run { purgingLedger() }
        try await contractCase.run { MemoryLedger(purging: .never) }
    }

    @Test("Its operations for operators keep theirs", arguments: LedgerContract.administrationCases)
    func administration(_ contractCase: LedgerContract.AdministrationCase) async throws {
        try await contractCase.run { purgingLedger() }
    }

    @Test("A faulty ledger without a fault keeps the contract, also over a ledger without operations for operators")
    func faultless() async throws {
        for contractCase in LedgerContract.cases {
            try await contractCase.run { FaultyLedger(purgingLedger()) }
            try await contractCase.run {
                let ledger = FaultyLedger(PlainLedger(purgingLedger()))
                #expect(!(ledger as any Ledger is any LedgerAdministration))
                return ledger
            }
        }
        for contractCase in LedgerContract.administrationCases {
            try await contractCase.run { FaultyLedger(purgingLedger()) }
        }
    }

    @Test("The names of the rules are unique")
    func names() {
        let names = LedgerContract.cases.map(\.name) + LedgerContract.administrationCases.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test("A ledger that applies every effect breaks all rules but those that refuse and store nothing")
    func gullible() async throws {
        #expect(
            try await kept(LedgerContract.cases) { PlainLedger(purgingLedger(), defect: .appliesAll) } == [
                "keys of two engines do not meet",
                "a commit without effects is applied, and one that confirms subjects without a block",
            ])
    }

    @Test("A ledger that stores nothing breaks all rules for operators but those that store nothing")
    func forgetful() async throws {
        #expect(
            try await kept(LedgerContract.administrationCases) { BrokenLedger(.storesNothing) } == [
                "names that the audit trail has for authors without a token are refused",
                "a task without a proper key or queue, or with too many bytes, is not stored",
                "a proof of writability changes nothing",
            ])
    }

    @Test(
        "Each defect breaks the rule against it",
        arguments: [
            (.appliesPartly, "a refusal changes nothing"),
            (.appliesPartly, "effects are decided against the state before the commit, one an entry"),
            (.ignoresTime, "a challenge can be consumed until just before it expires, and not from then on"),
            (.forgetsDigests, "a digest that may have been purged is not used again when the clock steps back"),
            (.forgetsDigests, "a digest that may have been purged is not used again when its window is lengthened"),
            (.losesUpdates, "of racing commits of one counter exactly one is applied"),
            (.losesUpdates, "of racing consumers of one challenge exactly one is applied"),
            (.losesUpdates, "of racing uses of one digest exactly one is applied"),
            (.losesUpdates, "of racing enrolments of one key exactly one is applied"),
        ] as [(PlainLedger.Defect, String)])
    func defects(_ defect: PlainLedger.Defect, _ rule: String) async throws {
        let contractCase = try #require(LedgerContract.cases.first { $0.name == rule })
        try await contractCase.run { PlainLedger(purgingLedger()) }
        let violation = await #expect(throws: ContractViolation.self) {
            try await contractCase.run { PlainLedger(purgingLedger(), defect: defect) }
        }
        #expect(violation?.rule == rule)
    }

    @Test("Only a race finds lost updates")
    func lostUpdates() async throws {
        let contractCase = try #require(LedgerContract.cases.first { $0.name == "a counter only increases" })
        try await contractCase.run { PlainLedger(purgingLedger(), defect: .losesUpdates) }
    }

    @Test(
        "Each defect of the operations for operators breaks the rule against it",
        arguments: [
            (.purgesNothing, purgeRule), (.claimsToPurge, purgeRule), (.purgesEarly, purgeRule),
            (.purgesTooMuch, purgeRule), (.purgesStandings, purgeRule),
            (.exportsPartly, "an export is complete, and in the order of its sections"),
            (.chainsNothing, chainRule), (.chainsOtherTexts, chainRule), (.losesAuditEntries, chainRule),
            (.recordsNothing, "each change by hand is noted once, in order, and nothing else is"),
            (.removesOtherKinds, "removing a block leaves an allowance, and the other way round"),
            (.replacesBlocks, "an allowance does not replace a block in force"),
            (.deniesStandings, "a ledger that claims to have no standings has none"),
            (.ignoresConfirmations, blockRule),
            (.keepsOperators, "a revoked operator is found no more, at any time"),
            (.storesApart, "a document and its entries of the audit trail are stored together, or neither is"),
            (.ignoresRevisions, "of writers that replace one revision, exactly one succeeds"),
            (.leasesTwice, "of callers that lease at once, exactly one gets each task"),
            (.judgesInQuarantine, "in quarantine, only evidence with a new challenge is judged, until the end"),
        ] as [(BrokenLedger.Defect, String)])
    func administrationDefects(_ defect: BrokenLedger.Defect, _ rule: String) async throws {
        let contractCase = try #require(LedgerContract.administrationCases.first { $0.name == rule })
        try await contractCase.run { BrokenLedger(nil) }
        let violation = await #expect(throws: ContractViolation.self) {
            try await contractCase.run { BrokenLedger(defect) }
        }
        #expect(violation?.rule == rule)
    }

    private static let purgeRule = "a purge deletes what ended an hour ago and nothing else, and returns the number"
    private static let chainRule = "the entries of a durable ledger's audit trail are chained by their hashes"
    private static let blockRule =
        "a commit is refused whose subject was blocked meanwhile, and an allowance or an expired block is no block"

    /// The rules that a ledger does not break.
    private func kept<Subject>(
        _ cases: [ContractCase<Subject>], make: @Sendable () -> Subject
    ) async throws -> [String] {
        var kept: [String] = []
        for contractCase in cases {
            do {
                try await contractCase.run { make() }
                kept.append(contractCase.name)
            } catch let violation as ContractViolation {
                #expect(violation.rule == contractCase.name)
            } catch is LedgerOutage {
            }
        }
        return kept
    }
}

/// Each purges only by the times of writes, independent of the machine's clock.
func purgingLedger() -> MemoryLedger { MemoryLedger(purging: .byClock { .distantFuture }) }
