import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Testing

@Suite("Several servers on one ledger", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct RaceTests {
    @Test("64 writers in 4 processes: each counter of one key has exactly one winner")
    func hotKey() async throws {
        let url = try await TestCluster.shared().newLedger()
        try await PostgreSQLLedger.with(url) { ledger in
            let key = EnrolledKey(
                identifier: KeyIdentifier(engine: "test", value: [1]), app: "shop", publicKey: [4], counter: 0,
                enrolledAt: Sample.now, properties: [:])
            _ = try await ledger.commit([LedgerEffect(CheckID("test.enrolment"), .enrol(key))], at: Sample.now)
        }
        let counters = 250
        let program = try BuiltProducts.url("PostgreSQLStress")
        let processes = try (0..<4).map { _ in try LineProcess(program, ["race", url, "16", "\(counters)"]) }
        for process in processes { #expect(try process.readLine() == "ready") }
        for process in processes { try process.send("go") }
        let won = try processes.flatMap { try $0.readLine().split(separator: " ").compactMap { UInt32($0) } }
        for process in processes { #expect(try process.end() == 0) }
        #expect(won.sorted() == Array(1...UInt32(counters)))
    }

    @Test("Batches that cross on the same keys do not deadlock, and none is lost")
    func crossing() async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger()
        let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'"
        let before = try cluster.sql(deadlocks)
        let (keys, rounds, seed) = (40, 30, UInt64(7))
        let ledgers = [try await PostgreSQLLedger.open(url), try await PostgreSQLLedger.open(url)]
        _ = try await ledgers[0].commit((0..<keys).map(Sample.enrol), at: Sample.now)
        let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
            for writer in 0..<16 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed + UInt64(writer))
                    var applied = [Int](repeating: 0, count: keys)
                    for round in 1...rounds {
                        let chosen = (0..<keys).shuffled(using: &generator).prefix(12)
                        // Unique counters, so that a step is refused only because a greater one was faster.
                        let counter = UInt32(round * 16 + writer)
                        let effects = chosen.map { Sample.advance($0, to: counter) }
                        guard try await ledgers[writer % 2].commit(effects, at: Sample.now).isApplied else { continue }
                        for key in chosen { applied[key] = max(applied[key], Int(counter)) }
                    }
                    return applied
                }
            }
            return try await group.reduce(into: [Int](repeating: 0, count: keys)) { total, part in
                for key in 0..<keys { total[key] = max(total[key], part[key]) }
            }
        }
        for key in 0..<keys { #expect(try await ledgers[1].counter(key) == UInt32(applied[key]), "seed \(seed)") }
        for ledger in ledgers { try await ledger.close() }
        #expect(try cluster.sql(deadlocks) == before)
    }

    @Test("Two servers that enrol for one account never exceed its limit")
    func accounts() async throws {
        let url = try await TestCluster.shared().newLedger()
        let ledgers = [try await PostgreSQLLedger.open(url), try await PostgreSQLLedger.open(url)]
        let rules = EnrolmentRules(limit: AccountKeyLimit(maximum: 3, excess: .refuse))
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let key = Sample.key(number)
                    let owned = EnrolledKey(
                        identifier: key.identifier, app: key.app, publicKey: key.publicKey, counter: 0,
                        enrolledAt: Sample.now, properties: [:], account: "alice")
                    let effect = LedgerEffect(CheckID("test.enrolment"), .enrol(owned, rules))
                    return try await ledgers[number % 2].commit([effect], at: Sample.now).isApplied
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 3)
        #expect(try await ledgers[0].keys(of: "alice").count == 3)
        for ledger in ledgers { try await ledger.close() }
    }

    @Test("A server that has found no block finds the first one that another server sets, and decides a batch by it")
    func firstBlock() async throws {
        let url = try await TestCluster.shared().newLedger()
        let ledgers = [try await PostgreSQLLedger.open(url), try await PostgreSQLLedger.open(url)]
        let device = LedgerSubject(.device, "d")
        let confirmation = LedgerEffect(CheckID("test.device"), .confirmUnblocked(device))
        _ = try await ledgers[0].commit((0..<8).map(Sample.enrol), at: Sample.now)
        for ledger in ledgers { #expect(try await ledger.commit([confirmation], at: Sample.now).isApplied) }
        try await ledgers[1].block(
            LedgerBlock(subject: Sample.identifier(3).subject, reason: "test", since: Sample.now, until: nil))
        let applied: [Int] = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<8 {
                group.addTask {
                    let effects = [Sample.advance(number, to: 1), confirmation]
                    return (number, try await ledgers[0].commit(effects, at: Sample.now).isApplied)
                }
            }
            return try await group.reduce(into: []) { if $1.1 { $0.append($1.0) } }
        }
        #expect(applied.sorted() == [0, 1, 2, 4, 5, 6, 7])
        try await ledgers[0].block(LedgerBlock(subject: device, reason: "test", since: Sample.now, until: nil))
        // The other server had found nothing either.
        let outcome = try await ledgers[1].commit([Sample.advance(0, to: 2), confirmation], at: Sample.now)
        #expect(outcome.decisions[0] == nil)
        guard case .blocked(let block) = outcome.decisions[1] else {
            Issue.record("\(outcome.decisions)")
            return
        }
        #expect(block.subject == device)
        #expect(try await ledgers[1].counter(0) == 1)
        for ledger in ledgers { try await ledger.close() }
    }

    @Test("A batch reads the rows of names that are long, empty, equal or without a row")
    func names() async throws {
        let url = try await TestCluster.shared().newLedger()
        let names =
            [[], [0], [UInt8](repeating: 7, count: 59), [UInt8](repeating: 7, count: 60)]
            + (0..<40).map { [UInt8](repeating: 9, count: 300) + [UInt8($0)] }
        try await PostgreSQLLedger.with(url) { ledger in
            let uses = names.map { name in
                LedgerEffect(
                    CheckID("test.digest"),
                    .rememberDigest(
                        UsedDigest(
                            digest: name, app: "shop", kind: EvidenceKind("test"), madeAt: Sample.now,
                            usedAt: Sample.now,
                            until: Sample.now + 600)))
            }
            let keys = names.map { name in
                EnrolledKey(
                    identifier: KeyIdentifier(engine: "test", value: name), app: "shop", publicKey: [4], counter: 0,
                    enrolledAt: Sample.now, properties: [:])
            }
            func steps(_ counter: UInt32) -> [LedgerEffect] {
                keys.map {
                    let advance = CounterAdvance(
                        key: $0.identifier, app: "shop", counter: counter, rule: .window(16))
                    return LedgerEffect(CheckID("test.counter"), .advanceCounter(advance))
                }
            }
            let enrolments = keys.map { LedgerEffect(CheckID("test.enrolment"), .enrol($0)) }
            #expect(try await !ledger.commit(steps(1), at: Sample.now).isApplied)
            #expect(try await ledger.commit(enrolments + uses, at: Sample.now).isApplied)
            #expect(try await ledger.commit(steps(5), at: Sample.now).isApplied)
            #expect(try await ledger.commit(steps(3), at: Sample.now).isApplied)
            let replayed = try await ledger.commit(steps(3) + uses, at: Sample.now)
            #expect(replayed.decisions.allSatisfy { $0 != nil })
            for key in keys { #expect(try await ledger.enrolledKey(key.identifier)?.counter == 5) }
        }
    }
}
