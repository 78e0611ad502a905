import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Storage of the SQLite ledger")
struct StorageTests {
    @Test("The writer is durable before it answers")
    func pragmas() async throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            let ledger = try SQLiteLedger.open(path: folder.path())
            #expect(try ledger.writerPragma("synchronous") == "2", "FULL")
            #expect(try ledger.writerPragma("journal_mode") == "wal")
            #expect(try ledger.writerPragma("foreign_keys") == "1")
            #expect(try ledger.writerPragma("application_id") == "\(0x4153_594C)")
            #expect(try ledger.writerPragma("user_version") == "1")
            try await ledger.close()
        }
    }

    @Test("A new ledger and SQLite's files beside it have mode 0600")
    func permissions() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions]
            #expect((mode as? NSNumber)?.intValue == 0o600, "\(name)")
        }
        try await ledger.close()
    }

    @Test("A link to a ledger is followed")
    func link() async throws {
        let folder = try TemporaryFolder()
        try await SQLiteLedger.prepared(folder.path(), keys: 1).close()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path())
        #expect(try await SQLiteLedger.open(path: folder.path("link")).counter(0) == 0)
    }

    @Test("Concurrent commits share transactions")
    func groupCommit() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 0, busyTimeout: .seconds(100))
        // While another process holds the lock, all writes wait behind the first one.
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        try #require(try other.ask("hold") == "held")
        let before = ledger.writer.transactionCount
        try await withThrowingTaskGroup(of: Bool.self) { group in
            let (begun, begins) = AsyncStream.makeStream(of: Void.self)
            for seed in UInt32(0)..<256 {
                group.addTask {
                    begins.yield()
                    return try await ledger.commit([Fixture.enrol(seed)], at: Fixture.now).isApplied
                }
            }
            for try await _ in begun.prefix(256) {}
            try await Task.sleep(for: .milliseconds(200))
            try #require(try other.ask("release") == "released")
            for try await isApplied in group { #expect(isApplied) }
        }
        #expect(ledger.writer.transactionCount - before <= 8)
        try await expectComplete(ledger, keys: 256)
    }

    @Test("A write that cannot be stored does not affect the others in its transaction")
    func poison() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 0)
        // SQLite limits the length of a value to 1,000,000,000 bytes (https://www.sqlite.org/limits.html). A trigger
        // that refuses is cheaper to test.
        try ledger.executeOnWriter(
            """
            CREATE TEMP TRIGGER poison BEFORE INSERT ON main.enrolledKey WHEN new.app = 'poison'
            BEGIN SELECT RAISE(ABORT, 'poison'); END
            """)
        let key = Fixture.key(1000)
        let poison = EnrolledKey(
            identifier: key.identifier, app: "poison", publicKey: key.publicKey, counter: 0, enrolledAt: key.enrolledAt,
            properties: [:])
        let codes = try await withThrowingTaskGroup(of: OutageCode?.self) { group in
            for seed in UInt32(0)..<64 {
                let effect = seed == 32 ? LedgerEffect(Fixture.check, .enrol(poison)) : Fixture.enrol(seed)
                group.addTask { try await outage { _ = try await ledger.commit([effect], at: Fixture.now) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.compactMap { $0 } == [.internalError])
        #expect(try await ledger.summary(at: Fixture.now).keys == 63)
    }

    @Test("Purging removes only entries past the horizon, a bounded number at a time")
    func purging() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        // A purge does not go beyond the machine's clock, so the time must be in the past.
        let now = Date(timeIntervalSince1970: 1_577_836_800)
        func challenge(_ seed: UInt32, at now: Date) -> IssuedChallenge {
            IssuedChallenge(
                value: Fixture.identifier(seed).value, app: "shop-ios",
                purpose: ChallengePurpose(EvidenceKind("app-attest.assertion")), issuedAt: now, expiresAt: now + 60)
        }
        for seed in UInt32(0)..<100 { try await ledger.issue(challenge(seed, at: now), at: now) }
        func count() throws -> Int { try ledger.texts("SELECT hex(value) FROM challenge").count }
        try await ledger.issue(challenge(100, at: now), at: now + 3659)
        #expect(try count() == 101)
        let late = now + 3660
        #expect(try await !ledger.isAdvanced(0, 1), "a refusal changes nothing")
        #expect(try count() == 101)
        try await ledger.issue(challenge(101, at: late), at: late)
        #expect((80...90).contains(try count()))
        for seed in UInt32(102)..<120 { try await ledger.issue(challenge(seed, at: late), at: late) }
        #expect(try count() == 19)
    }

    @Test("A commit with a future time purges no entry that is still needed")
    func trialInTheFuture() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let now = Date()
        func use(_ seed: UInt32, at now: Date) -> LedgerEffect {
            let use = UsedDigest(
                digest: Fixture.identifier(seed).value, app: "shop-ios", kind: EvidenceKind("approov.message"),
                madeAt: now, usedAt: now, until: now + 300)
            return LedgerEffect(Fixture.check, .rememberDigest(use))
        }
        #expect(try await ledger.commit([use(1, at: now)], at: now).isApplied)
        let later = now + 1_000_000
        #expect(try await ledger.commit([use(2, at: later)], at: later).isApplied)
        #expect(try await !ledger.commit([use(1, at: now)], at: now + 1).isApplied)
    }

    @Test("A block by another process takes effect at once")
    func standingsOfAnotherProcess() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 0)
        let device = LedgerSubject(.device, "d1")
        #expect(try await ledger.standings(of: [device], at: Fixture.now) == [])
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        for _ in 0..<5 {
            try #require(try other.ask("allow d1") == "ok")
            #expect(!ledger.isWithoutStandings)
            let allowance = LedgerAllowance(
                subject: device, checks: [CheckID("approov.token.annotations")], reason: "stress", since: Fixture.now,
                until: nil)
            #expect(try await ledger.standings(of: [device], at: Fixture.now) == [.allowed(allowance)])
            try #require(try other.ask("block d1") == "ok")
            let block = LedgerBlock(subject: device, reason: "stress", since: Fixture.now, until: nil)
            #expect(try await ledger.standings(of: [device], at: Fixture.now) == [.blocked(block)])
        }
    }

    @Test("Standings are found by their key without a table scan")
    func standingsPlan() throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let plan = try ledger.standingsPlan(subjects: 3)
        #expect(plan.contains { $0.hasPrefix("SEARCH block USING PRIMARY KEY (kind=? AND name=?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN block") }, "\(plan)")
    }

    @Test("An export is a snapshot, and writers do not wait for it")
    func export() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 50)
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        var keys = 0
        try await ledger.export { entry in
            if keys == 0 { try #require(try other.ask("enrol 99") == "ok") }
            keys += 1
        }
        #expect(keys == 50)
        #expect(try await ledger.summary(at: Fixture.now).keys == 51)
    }
}
