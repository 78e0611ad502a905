import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

/// The clock steps forwards and back, and used evidence never becomes fresh.
@Suite("Steps of the clock", .timeLimit(.minutes(20)))
struct ClockStepTests {
    private static let year = 365.0 * 86_400
    private static let now = Date(timeIntervalSince1970: 1_776_795_192)

    private func remember(_ seed: UInt32, madeAt: Date, at now: Date) -> LedgerEffect {
        Fixture.remember(seed, madeAt: madeAt, lasting: 61, at: now)
    }

    @Test("Digests purged while the clock was ahead are not accepted after it is set back")
    func ahead() async throws {
        let folder = try TemporaryFolder()
        let clock = MachineClock(Self.now)
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        let use = remember(1, madeAt: Self.now, at: Self.now)
        #expect(try await ledger.commit([use], at: Self.now).isApplied)
        clock.now = Self.now + Self.year
        #expect(try await ledger.commit([Fixture.enrol(1)], at: clock.now).isApplied)
        #expect(try await ledger.summary(at: Self.now).digests == 0)

        clock.now = Self.now + 30
        #expect(try await outage { _ = try await ledger.commit([use], at: clock.now) } == .forgotten)
        #expect(try await ledger.summary(at: Self.now).digests == 0, "an outage changes nothing")
        // The purge record is on disk, for every process.
        try await ledger.close()
        let reopened = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        let error = await #expect(throws: LedgerOutage.self) { try await reopened.commit([use], at: clock.now) }
        #expect(error?.message.contains("app shop-ios that were made up to 2026-04-21T18:14:00Z") == true)
        // The rest still works: keys, counters, and evidence newer than anything purged.
        #expect(try await reopened.isAdvanced(1, 1))
        clock.now = Self.now + 50
        let younger = remember(2, madeAt: clock.now, at: clock.now)
        #expect(try await reopened.commit([younger], at: clock.now).isApplied)
        #expect(try await reopened.commit([younger], at: clock.now).decisions == [.digestUsed(clock.now)])
    }

    @Test("A use that cannot be decided does not affect the others in its transaction")
    func company() async throws {
        let folder = try TemporaryFolder()
        let clock = MachineClock(Self.now)
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        let use = remember(1, madeAt: Self.now, at: Self.now)
        #expect(try await ledger.commit([use], at: Self.now).isApplied)
        clock.now = Self.now + Self.year
        #expect(try await ledger.commit([Fixture.enrol(1)], at: clock.now).isApplied)
        clock.now = Self.now
        let codes = try await withThrowingTaskGroup(of: OutageCode?.self) { group in
            for seed in UInt32(0)..<64 {
                let effect = seed == 32 ? use : Fixture.enrol(100 + seed)
                group.addTask {
                    try await outage { try #require(try await ledger.commit([effect], at: clock.now).isApplied) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.compactMap { $0 } == [.forgotten])
        #expect(try await ledger.summary(at: Self.now).keys == 64)
    }

    @Test(
        "Digests of any time in any order are used at most once; where the ledger has purged, they are an outage")
    func outOfOrder() async throws {
        let folder = try TemporaryFolder()
        let early = remember(1, madeAt: Self.now, at: Self.now)
        let late = remember(2, madeAt: Self.now + 100_000, at: Self.now + 100_000)
        func run(_ name: String, _ purging: LedgerPurging) async throws -> SQLiteLedger {
            let ledger = try SQLiteLedger.open(path: folder.path(name), purging: purging)
            #expect(try await ledger.commit([early], at: Self.now).isApplied)
            #expect(try await ledger.commit([late], at: Self.now + 100_000).isApplied)
            return ledger
        }
        let keeping = try await run("keeping", .never)
        #expect(try await keeping.commit([early], at: Self.now + 1).decisions == [.digestUsed(Self.now)])
        let forgetting = try await run("forgetting", .byClock { Self.now + Self.year })
        #expect(try await outage { _ = try await forgetting.commit([early], at: Self.now + 1) } == .forgotten)
    }

    @Test("With clock steps of hours and years, before 1970 and up to the last date, everything is used at most once")
    func anySteps() async throws {
        let offsets: [Double] = [
            0, 1, -1, 3599, 3601, -3601, 7200, 86_400, -86_400, Self.year, -Self.year, -60 * Self.year,
        ]
        let edges = [
            Date(timeIntervalSince1970: 0), .distantPast, .distantFuture, Date(timeIntervalSince1970: 253_402_300_799),
            Date(timeIntervalSince1970: 1e15), Date(timeIntervalSince1970: -1e15),
        ]
        for seed in UInt64(1)...3 {
            let folder = try TemporaryFolder(onFastDisk: TemporaryFolder.hasFastDisk)
            let clock = MachineClock(Self.now)
            let ledgers: [any Ledger] = [
                try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now }), MemoryLedger(),
            ]
            for ledger in ledgers {
                var random = SeededGenerator(seed: seed)
                var accepted: Set<String> = []
                var counter: UInt32 = 0
                _ = try await ledger.commit([Fixture.enrol(0)], at: Self.now)
                func once(_ name: String, _ effect: LedgerEffect) async {
                    do {
                        guard try await ledger.commit([effect], at: clock.now).isApplied else { return }
                        #expect(accepted.insert(name).inserted, "\(name) was accepted twice, seed \(seed)")
                    } catch {
                        #expect(error.code == .forgotten, "\(error)")
                    }
                }
                for step in UInt32(0)..<120 {
                    clock.now =
                        Int.random(in: 0..<4, using: &random) == 0
                        ? edges.randomElement(using: &random) ?? Self.now
                        : Self.now + Double(step) + (offsets.randomElement(using: &random) ?? 0)
                    // Windows are those of the tokens, independent of the clock.
                    let token = UInt32.random(in: 0..<40, using: &random)
                    await once(
                        "digest \(token)", remember(token, madeAt: Self.now + Double(token) * 900, at: clock.now))
                    let number = UInt32.random(in: 0..<40, using: &random)
                    let challenge = IssuedChallenge(
                        value: Fixture.identifier(500 + number).value, app: "shop-ios",
                        purpose: ChallengePurpose(EvidenceKind("app-attest.assertion")), issuedAt: clock.now,
                        expiresAt: clock.now + 300)
                    // Values are random, so none is issued twice.
                    if accepted.insert("issued \(number)").inserted { try await ledger.issue(challenge, at: clock.now) }
                    await once(
                        "challenge \(number)",
                        LedgerEffect(
                            Fixture.check,
                            .consumeChallenge(value: challenge.value, app: challenge.app, purpose: challenge.purpose)))
                    await once("key \(number)", Fixture.enrol(1000 + number))
                    let presented = UInt32.random(in: 0..<200, using: &random)
                    if try await ledger.commit([Fixture.advance(0, presented)], at: clock.now).isApplied {
                        #expect(presented > counter, "the counter went back, seed \(seed)")
                        counter = presented
                    }
                    #expect(try await ledger.enrolledKey(Fixture.identifier(0))?.counter == counter)
                    try await fill(ledger, with: step, at: clock.now)
                }
                #expect(accepted.count > 60)
            }
        }
    }

    /// Traffic that makes a ledger purge.
    private func fill(_ ledger: any Ledger, with step: UInt32, at now: Date) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt32(0)..<60 {
                let use = remember(10_000 + step * 60 + number, madeAt: now, at: now)
                group.addTask {
                    do {
                        _ = try await ledger.commit([use], at: now)
                    } catch let outage as LedgerOutage {
                        guard outage.code == .forgotten else { throw outage }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A block is in force by the clock, also after the clock is set back")
    func blocks() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let subject = LedgerSubject(.device, "d1")
        try await ledger.block(LedgerBlock(subject: subject, reason: "fraud", since: Self.now, until: Self.now + 60))
        for (seconds, isBlocked) in [
            (0, true), (59, true), (60, false), (Self.year, false), (30, true), (-Self.year, true),
        ]
            as [(Double, Bool)]
        {
            _ = try await ledger.commit([Fixture.enrol(UInt32(seconds.magnitude))], at: Self.now + seconds)
            #expect(try await ledger.blocks(on: [subject], at: Self.now + seconds).isEmpty == !isBlocked, "\(seconds)")
        }
    }
}
