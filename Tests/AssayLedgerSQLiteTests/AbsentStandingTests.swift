import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

/// `isWithoutStandings`: without a query, and never true after a block.
@Suite("A ledger knows that nothing is blocked", .timeLimit(.minutes(10)))
struct AbsentStandingTests {
    /// Waits until the ledger says that it has no standings. After a slow look-up it says that only after a fast one.
    private static func untilKnown(_ ledger: SQLiteLedger) async throws {
        try await waitUntil("no standings", every: .zero) {
            if ledger.isWithoutStandings { return true }
            let standings = try await ledger.standings(of: [LedgerSubject(.device, "d")], at: Fixture.now)
            #expect(standings.isEmpty)
            return false
        }
    }

    @Test("While no process writes, one look-up at each connection is enough; after a commit there is another one")
    func queries() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        // The first look-up maps the index of the write-ahead log.
        for _ in 0..<2 { try await Self.untilKnown(ledger) }
        let first = ledger.countOfQueriesForAnyStanding
        for _ in 0..<1000 { _ = ledger.isWithoutStandings }
        // A test may change its thread, and with it the connection.
        #expect(ledger.countOfQueriesForAnyStanding <= first + 8)
        let before = ledger.countOfQueriesForAnyStanding
        _ = try await ledger.commit([Fixture.advance(0, 1)], at: Fixture.now)
        try await Self.untilKnown(ledger)
        #expect(ledger.countOfQueriesForAnyStanding > before)
        try await ledger.close()
    }

    @Test(
        "A block or an allowance of another process is known once that process has its answer",
        arguments: ["block", "allow"])
    func otherProcess(command: String) async throws {
        let other = try StressProcess()
        for round in 0..<100 {
            let folder = try TemporaryFolder()
            let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(20))
            try #require(try other.ask("open \(folder.path()) 20000") == "ok")
            // Commits and a log that begins again, between which the ledger is asked.
            for counter in UInt32(1)...3 {
                try await Self.untilKnown(ledger)
                try #require(try other.ask("advance 0 \(counter) 1") == "applied 1")
                if counter == 2 { try ledger.executeOnWriter("PRAGMA wal_checkpoint(TRUNCATE)") }
            }
            for _ in 0..<2 { try await Self.untilKnown(ledger) }
            try #require(try other.ask("\(command) d\(round)") == "ok")
            try #require(!ledger.isWithoutStandings, "round \(round)")
            #expect(
                try await ledger.standings(of: [LedgerSubject(.device, "d\(round)")], at: Fixture.now).count == 1)
            try await ledger.close()
        }
    }

    @Test("A block counts for every task that asks after it, while others ask and commit")
    func tasks() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 4, busyTimeout: .seconds(20))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in UInt32(0)..<4 {
                group.addTask {
                    for counter in UInt32(1)...200 {
                        _ = try await ledger.isAdvanced(seed, counter)
                        try await Self.untilKnown(ledger)
                    }
                }
            }
            try await group.waitForAll()
        }
        let block = LedgerBlock(
            subject: LedgerSubject(.device, "d"), reason: "test", since: Fixture.now, until: Fixture.now - 1)
        try await ledger.block(block)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { ledger.isWithoutStandings } }
            for await isWithout in group { #expect(!isWithout) }
        }
        try await ledger.close()
    }

    @Test("Asking while the ledger is being closed, and after it, is no error")
    func closing() async throws {
        for _ in 0..<50 {
            let folder = try TemporaryFolder()
            let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
            let asking = Task.detached { while !Task.isCancelled { _ = ledger.isWithoutStandings } }
            for _ in 0..<100 { _ = ledger.isWithoutStandings }
            try await ledger.close()
            asking.cancel()
            await asking.value
            #expect(!ledger.isWithoutStandings)
        }
    }

    @Test("Commits of a ledger that has found no block find the first one that another one sets")
    func commits() async throws {
        let folder = try TemporaryFolder()
        let device = LedgerSubject(.device, "d")
        let confirmation = LedgerEffect(CheckID("test.device"), .confirmUnblocked(device))
        let ledgers = [
            try await SQLiteLedger.prepared(folder.path(), keys: 2, busyTimeout: .seconds(20)),
            try SQLiteLedger.open(path: folder.path(), busyTimeout: .seconds(20)),
        ]
        for (counter, ledger) in zip(UInt32(1)..., ledgers) {
            #expect(try await ledger.commit([confirmation, Fixture.advance(0, counter)], at: Fixture.now).isApplied)
        }
        try await ledgers[1].block(
            LedgerBlock(subject: Fixture.identifier(0).subject, reason: "test", since: Fixture.now, until: nil))
        for ledger in ledgers { #expect(try await !ledger.commit([Fixture.advance(0, 9)], at: Fixture.now).isApplied) }
        #expect(try await ledgers[0].commit([confirmation, Fixture.advance(1, 1)], at: Fixture.now).isApplied)
        try await ledgers[0].block(LedgerBlock(subject: device, reason: "test", since: Fixture.now, until: nil))
        for ledger in ledgers {
            #expect(try await !ledger.commit([Fixture.advance(1, 2), confirmation], at: Fixture.now).isApplied)
        }
        #expect(try await ledgers[0].enrolledKey(Fixture.identifier(1))?.counter == 1)
        for ledger in ledgers { try await ledger.close() }
    }
}
