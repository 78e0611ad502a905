import Assay
import AssayCore
import AssayLedgerSQLite
import Foundation
import Testing

/// Purged evidence is never fresh again, even if the policy's window is lengthened.
@Suite("Forgotten digests", .timeLimit(.minutes(20)))
struct ForgettingTests {
    private static let now = Fixture.now
    private static let day = 86_400.0

    /// A ledger that has purged digest 1, which was made at ``now`` with a window of five minutes, two hours later.
    private static func ledger(_ folder: TemporaryFolder, _ clock: MachineClock) async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        let use = Fixture.remember(1, madeAt: now, lasting: 300, at: now + 1)
        try #require(try await ledger.commit([use], at: now + 1).isApplied)
        clock.now = now + 7200
        try #require(try await ledger.commit([Fixture.enrol(1)], at: clock.now).isApplied)
        try #require(try await ledger.summary(at: now).digests == 0)
        return ledger
    }

    @Test("After a window grew, evidence older than the purge horizon is an outage; younger evidence is judged")
    func longerWindow() async throws {
        let folder = try TemporaryFolder()
        let clock = MachineClock(Self.now)
        let ledger = try await Self.ledger(folder, clock)
        let again = Fixture.remember(1, madeAt: Self.now, lasting: Self.day, at: clock.now)
        let error = await #expect(throws: LedgerOutage.self) { try await ledger.commit([again], at: clock.now) }
        #expect(error?.code == .forgotten)
        let message = try #require(error?.message)
        for part in [
            "made at 2026-04-21T18:13:12Z", "app shop-ios that were made up to 2026-04-21T18:14:00Z",
            "of kind approov.message", "window was lengthened",
        ] {
            #expect(message.contains(part), "\(message)")
        }
        // Also with others in its transaction, and for unused evidence, because the ledger cannot know.
        let unused = Fixture.remember(2, madeAt: Self.now - 1, lasting: Self.day, at: clock.now)
        let company = Fixture.enrol(7)
        #expect(try await outage { _ = try await ledger.commit([company, unused], at: clock.now) } == .forgotten)
        #expect(try await ledger.counter(7) == nil)
        for (seed, age) in [(3, 3600), (4, 7000), (5, 0)] as [(UInt32, Double)] {
            let use = Fixture.remember(seed, madeAt: clock.now - age, lasting: Self.day, at: clock.now)
            #expect(try await ledger.commit([use], at: clock.now).isApplied, "made \(age) s ago")
            #expect(try await ledger.commit([use], at: clock.now).decisions == [.digestUsed(clock.now)])
        }
    }

    @Test("An app with a short window does not lock out one whose window is long")
    func apps() async throws {
        let folder = try TemporaryFolder()
        let clock = MachineClock(Self.now)
        let ledger = try await Self.ledger(folder, clock)
        let use = Fixture.remember(2, app: "shop-web", madeAt: Self.now - 3600, lasting: Self.day, at: clock.now)
        #expect(try await ledger.commit([use], at: clock.now).isApplied)
    }

    @Test("With a constant window, no evidence is `forgotten`, and used digests are refused")
    func steady() async throws {
        let folder = try TemporaryFolder()
        let clock = MachineClock(Self.now)
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        for step in UInt32(0)..<300 {
            clock.now = Self.now + Double(step) * 60
            // The last moment of the window and the first.
            for (seed, age) in [(step, 300.0), (1000 + step, 0)] {
                let use = Fixture.remember(seed, madeAt: clock.now - age, lasting: 301, at: clock.now)
                #expect(try await ledger.commit([use], at: clock.now).isApplied, "step \(step)")
                #expect(try await ledger.commit([use], at: clock.now).decisions == [.digestUsed(clock.now)])
            }
        }
        #expect(try ledger.texts("SELECT madeAt FROM forgottenUse").count == 1)
        #expect(try ledger.texts("SELECT digest FROM usedDigest").count < 200)
    }

    @Test("A ledger without its purge records is damaged")
    func missingTrigger() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        try ledger.executeOnWriter("DROP TRIGGER usedDigestIsForgotten")
        #expect(try await ledger.check(Verifier.problem(withKey:)) == ["the trigger usedDigestIsForgotten is missing"])
    }
}
