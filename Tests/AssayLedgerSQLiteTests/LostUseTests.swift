import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

/// An older ledger that is written into the file of an open one would accept evidence again that was used since.
@Suite("Lost uses", .timeLimit(.minutes(20)))
struct LostUseTests {
    enum Use: CaseIterable {
        case challenge, digest, key, counter, skippedCounter

        var effect: LedgerEffect {
            switch self {
            case .challenge: LostUseTests.consume(LostUseTests.challenge(1))
            case .digest: Fixture.remember(1, madeAt: Fixture.now, lasting: 300, at: Fixture.now)
            case .key: Fixture.enrol(7)
            case .counter: Fixture.advance(0, 5)
            case .skippedCounter: LostUseTests.advanceInWindow(7)
            }
        }
    }

    private static func challenge(_ seed: UInt32) -> IssuedChallenge {
        IssuedChallenge(
            value: Fixture.identifier(seed).value, app: "shop-ios",
            purpose: ChallengePurpose(EvidenceKind("app-attest.assertion")), issuedAt: Fixture.now,
            expiresAt: Fixture.now + 300)
    }

    private static func consume(_ challenge: IssuedChallenge) -> LedgerEffect {
        LedgerEffect(
            Fixture.check,
            .consumeChallenge(value: challenge.value, app: challenge.app, purpose: challenge.purpose))
    }

    private static func advanceInWindow(_ counter: UInt32) -> LedgerEffect {
        let key = Fixture.identifier(1)
        return LedgerEffect(
            Fixture.check,
            .advanceCounter(CounterAdvance(key: key, app: "shop-ios", counter: counter, rule: .window(8))))
    }

    /// A ledger to which each use is new, after a look at its rows, and a backup of it.
    private static func ledger(in folder: TemporaryFolder) async throws -> SQLiteLedger {
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 3)
        try await ledger.issue(challenge(1), at: Fixture.now)
        try #require(try await ledger.commit([advanceInWindow(9)], at: Fixture.now).isApplied)
        try await ledger.proveWritable(at: Fixture.now)
        try write("ledger.sqlite", into: "backup.sqlite", in: folder)
        return ledger
    }

    /// Writes one ledger into the file of another, as `.backup` and `.restore` of the program `sqlite3` do.
    private static func write(_ source: String, into target: String, in folder: TemporaryFolder) throws {
        let script = "import sqlite3; sqlite3.connect('\(source)').backup(sqlite3.connect('\(target)'))"
        try IdentityTests.shell(folder, "python3 -c \"\(script)\"")
    }

    private static func isApplied(_ effect: LedgerEffect, _ ledger: SQLiteLedger) async throws -> Bool {
        try await ledger.commit([effect], at: Fixture.now).isApplied
    }

    @Test("An older ledger that lacks a use is an outage for a proof and for the evidence", arguments: Use.allCases)
    func lost(_ use: Use) async throws {
        let folder = try TemporaryFolder()
        let ledger = try await Self.ledger(in: folder)
        #expect(try await Self.isApplied(use.effect, ledger))
        #expect(try await !Self.isApplied(use.effect, ledger))
        try Self.write("backup.sqlite", into: "ledger.sqlite", in: folder)
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == .wrongLedger)
        #expect(try await outage { _ = try await Self.isApplied(use.effect, ledger) } == .wrongLedger)
        #expect(try await outage { _ = try await ledger.counter(0) } == .wrongLedger)
        try? await ledger.close()
        let restored = try SQLiteLedger.open(path: folder.path())
        #expect(try await Self.isApplied(use.effect, restored), "the older ledger lacks it")
        try await restored.close()
    }

    @Test("Without a proof, commits find it within a second, look-ups some time; later uses do not hide it")
    func interval() async throws {
        for isCommit in [true, false] {
            let folder = try TemporaryFolder()
            let ledger = try await Self.ledger(in: folder)
            #expect(try await ledger.isAdvanced(0, 5))
            try Self.write("backup.sqlite", into: "ledger.sqlite", in: folder)
            let restore = ContinuousClock.now
            var last = restore
            var code: OutageCode?
            var counter: UInt32 = 0
            while code == nil {
                last = .now
                counter += 1
                code = try await outage {
                    _ = isCommit ? try await ledger.isAdvanced(2, counter) : try await ledger.counter(0) == nil
                }
                // The last commit that began more than a second later was still accepted. Look-ups that take long see an earlier state.
                try #require(
                    code != nil || !isCommit || last - restore < .seconds(1), "accepted \(last - restore) later")
            }
            #expect(code == .wrongLedger)
            #expect(try await outage { _ = try await ledger.isAdvanced(0, 5) } == .wrongLedger)
            try? await ledger.close()
        }
    }

    @Test("The use of a later challenge does not hide that a counter was lost")
    func laterChallenge() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await Self.ledger(in: folder)
        #expect(try await ledger.isAdvanced(0, 5))
        try await ledger.issue(Self.challenge(2), at: Fixture.now)
        #expect(try await Self.isApplied(Self.consume(Self.challenge(2)), ledger))
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == nil)
        try Self.write("backup.sqlite", into: "ledger.sqlite", in: folder)
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == .wrongLedger)
        try? await ledger.close()
    }

    @Test("Purged uses are not lost, also after the clock was ahead")
    func purged() async throws {
        let folder = try TemporaryFolder()
        let clock = MachineClock(Fixture.now)
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        try await ledger.issue(Self.challenge(1), at: clock.now)
        for use in [Use.challenge, .digest] { #expect(try await Self.isApplied(use.effect, ledger)) }
        clock.now += 7200
        #expect(try await ledger.purge(at: clock.now) == 2)
        for time in [clock.now, Fixture.now] {
            clock.now = time
            #expect(try await outage { try await ledger.proveWritable(at: clock.now) } == nil)
        }
        #expect(try await outage { _ = try await Self.isApplied(Use.digest.effect, ledger) } == .forgotten)
        let outcome = try await ledger.commit([Use.challenge.effect], at: Fixture.now)
        #expect(outcome.decisions == [.challengeUnknown])
        try await ledger.close()
    }

    @Test("Blocks, moved and retired keys, a quarantine and the uses of another process lose no use")
    func administration() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await Self.ledger(in: folder)
        let key = Fixture.key(0)
        #expect(try await ledger.isAdvanced(0, 5))
        #expect(try await Self.isApplied(Use.challenge.effect, ledger))
        func expectSound(_ change: String) async throws {
            let code = try await outage { try await ledger.proveWritable(at: Fixture.now) }
            #expect(code == nil, "\(change)")
        }
        let other = try StressProcess()
        #expect(try other.ask("open \(folder.path()) 5000") == "ok")
        #expect(try other.ask("advance 0 6 1") == "applied 1")
        try await expectSound("another process")
        try await ledger.block(
            LedgerBlock(subject: key.identifier.subject, reason: "test", since: Fixture.now, until: nil))
        try await ledger.move(key.identifier, to: "alice", by: "ops", at: Fixture.now)
        try await expectSound("a block and a move")
        let newer = EnrolledKey(
            identifier: Fixture.identifier(7), app: key.app, publicKey: Fixture.key(7).publicKey, counter: 0,
            enrolledAt: Fixture.now, properties: [:], account: "alice")
        let rules = EnrolmentRules(limit: AccountKeyLimit(maximum: 1, excess: .retireOldest))
        #expect(try await Self.isApplied(LedgerEffect(Fixture.check, .enrol(newer, rules)), ledger))
        #expect(try await ledger.enrolledKey(key.identifier)?.retiredAt != nil)
        try await ledger.quarantine(until: Fixture.now + 60, by: "ops", at: Fixture.now)
        try await expectSound("a retired key and a quarantine")
        try await ledger.close()
    }

    @Test("A damaged row of the last use is an outage for its own key only")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await Self.ledger(in: folder)
        #expect(try await ledger.isAdvanced(0, 5))
        let name = "x'\(String(repeating: "00", count: 32))'"
        try ledger.executeOnWriter("PRAGMA ignore_check_constraints = 1")
        try ledger.executeOnWriter("UPDATE enrolledKey SET counter = -1 WHERE identifier = \(name)")
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == nil)
        #expect(try await ledger.isAdvanced(2, 1))
        #expect(try await outage { _ = try await ledger.isAdvanced(0, 6) } == .corrupt)
        try await ledger.close()
    }
}
