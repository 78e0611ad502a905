import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Several processes use one ledger", .serialized)
struct RaceTests {
    @Test("If 64 tasks in two processes present one counter, exactly one is accepted, in each of 1000 rounds")
    func oneCounter() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(20))
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 20000") == "ok")
        var wins = (here: 0, there: 0)
        for counter in UInt32(1)...1000 {
            try other.send("advance 0 \(counter) 32")
            // Give the other process a head start in some rounds; otherwise this one would nearly always win.
            if counter.isMultiple(of: 2) { usleep(300) }
            let here = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 { group.addTask { try await ledger.isAdvanced(0, counter) } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            let answer = try other.readLine()
            let there = try #require(Int(answer.dropFirst("applied ".count)), "the other process answered \(answer)")
            try #require(here + there == 1, "at counter \(counter) accepted \(here) times here and \(there) there")
            wins.here += here
            wins.there += there
        }
        #expect(try await ledger.counter(0) == 1000)
        #expect(wins.here > 0 && wins.there > 0, "no race: \(wins)")
    }

    @Test(
        "If two ledgers on one file add one operator name, one succeeds; a revocation by one applies to the other")
    func operators() async throws {
        let folder = try TemporaryFolder()
        let ledgers = try (0..<2).map { _ in
            try SQLiteLedger.open(path: folder.path(), busyTimeout: .seconds(20))
        }
        for round in UInt8(0)..<50 {
            let new = LedgerOperator(
                name: "operator \(round)", role: .admin, addedAt: Fixture.now, addedBy: "ops", until: Fixture.now + 60)
            let hashes = (UInt8(0)..<2).map { [UInt8](repeating: 2 * round + $0, count: 32) }
            let added = try await withThrowingTaskGroup(of: Int?.self) { group in
                for (index, ledger) in ledgers.enumerated() {
                    group.addTask { try await ledger.addOperator(new, tokenHash: hashes[index]) == nil ? index : nil }
                }
                return try await group.reduce(into: [Int]()) { if let index = $1 { $0.append(index) } }
            }
            try #require(added.count == 1, "round \(round)")
            let hash = hashes[added[0]]
            for ledger in ledgers { #expect(try await ledger.liveOperator(tokenHash: hash, at: Fixture.now) == new) }
            let revoker = Int(round) % 2
            #expect(try await ledgers[revoker].revokeOperator(named: new.name, by: "eve", at: Fixture.now) == new)
            #expect(try await ledgers[1 - revoker].liveOperator(tokenHash: hash, at: Fixture.now) == nil)
            #expect(try await ledgers[1 - revoker].revokeOperator(named: new.name, by: "ops", at: Fixture.now) == nil)
        }
        #expect(try await ledgers[0].check(Verifier.problem(withKey:)) == [])
    }

    @Test("A missing product is reported with the searched folder")
    func missingProduct() throws {
        let error = #expect(throws: BuiltProducts.Missing.self) { try BuiltProducts.url("no-such-program") }
        #expect(try #require(error?.description).contains("no-such-program"))
    }

    @Test("Two processes that open a new file at once both succeed")
    func opening() async throws {
        let folder = try TemporaryFolder()
        let other = try StressProcess()
        for round in 0..<100 {
            let path = folder.path("\(round).sqlite")
            try other.send("open \(path) 5000")
            let ledgers = try await withThrowingTaskGroup(of: SQLiteLedger.self) { group in
                for _ in 0..<2 { group.addTask { try SQLiteLedger.open(path: path) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try #require(try other.readLine() == "ok")
            try #require(try other.ask("enrol 0") == "ok")
            for ledger in ledgers { try #require(try await ledger.counter(0) == 0) }
        }
    }

    @Test("After kill -9 during a stream of commits no acknowledged commit is lost, and no counter decreases")
    func kill() async throws {
        let folder = try TemporaryFolder()
        let keys = 4
        var stored = [UInt32](repeating: 0, count: keys)
        for round in 0..<50 {
            let process = try StressProcess()
            try #require(try process.ask("open \(folder.path()) 5000") == "ok")
            var lines = [try process.ask("stream \(keys)")]
            // Count commits instead of time: a slow disk makes few in a fixed time.
            for _ in 0..<Int.random(in: 0...30) { lines.append(try process.readLine()) }
            usleep(.random(in: 0...30_000))
            process.kill()
            lines += try process.remainingLines()

            var acknowledged = stored
            for line in lines {
                let words = line.split(separator: " ")
                try #require(words.count == 3 && words[0] == "ack", "unexpected answer \(line)")
                let (seed, counter) = (try #require(Int(words[1])), try #require(UInt32(words[2])))
                try #require(counter == acknowledged[seed] + 1)
                acknowledged[seed] = counter
            }
            let ledger = try SQLiteLedger.open(path: folder.path())
            for seed in 0..<keys {
                let found = try await ledger.counter(UInt32(seed)) ?? 0
                // The last commit may be durable although its answer was lost.
                try #require(
                    (acknowledged[seed]...acknowledged[seed] + 1).contains(found),
                    "round \(round): acknowledged \(acknowledged[seed]), stored \(found)")
                stored[seed] = found
            }
            try #require(try await ledger.check(Verifier.problem(withKey:)) == [])
            try await ledger.close()
        }
        #expect(stored.allSatisfy { $0 > 50 })
    }
}
