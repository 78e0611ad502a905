import AssayCore
import AssayTestSupport
import Foundation
import Testing

/// The decisions of the ledger, and their texts.
@Suite("Vocabulary of the ledger")
struct LedgerVocabularyTests {
    @Test(
        "A counter advances to a greater value, or by exactly one, and never wraps around",
        arguments: [
            (0, 0, false, false), (0, 1, true, true), (0, 2, true, false), (5, 4, false, false), (5, 5, false, false),
            (5, 6, true, true), (.max - 1, .max, true, true), (.max, .max, false, false), (.max, 0, false, false),
            (0, .max, true, false),
        ] as [(UInt32, UInt32, Bool, Bool)])
    func counters(stored: UInt32, presented: UInt32, increasing: Bool, successor: Bool) {
        func isAllowed(_ rule: CounterAdvance.Rule) -> Bool {
            CounterAdvance(
                key: KeyIdentifier(engine: "e", value: [1]), app: "a", counter: presented, rule: rule
            ).isAllowed(from: CounterState(greatest: stored))
        }
        #expect(isAllowed(.increasing) == increasing)
        #expect(isAllowed(.successor) == successor)
    }

    @Test("Skipped counters are bits below the greatest one, limited to the largest window")
    func skippedCounters() {
        let state = CounterState(greatest: 20, skipped: [0b0000_0101, 0, 0])
        #expect(state.skipped == [0b0000_0101] && state.description == "20, and 2 smaller ones skipped")
        #expect(CounterState(greatest: 7).description == "7")
        let full = CounterState(greatest: .max, skipped: [UInt8](repeating: 255, count: 4096))
        #expect(full.skipped.count == CounterState.maximumWindow / 8)
    }

    @Test("A window of any size agrees with a set of used counters", arguments: [1, 2, 7, 8, 9, 63, 64, 65, 1024])
    func windows(size: Int) {
        var state = CounterState(greatest: 0)
        var used: Set<UInt32> = [0]
        var generator = SeededGenerator(seed: UInt64(size))
        for _ in 0..<2000 {
            let reach = UInt32(2 * size + 4)
            let low = state.greatest > reach ? state.greatest - reach : 0
            let counter = UInt32.random(in: low...state.greatest + reach / 2, using: &generator)
            let advance = CounterAdvance(
                key: KeyIdentifier(engine: "e", value: [1]), app: "a", counter: counter, rule: .window(size))
            let isNear = counter > state.greatest || state.greatest - counter <= UInt32(size)
            let refusal = LedgerRules.refusal(
                advancing: advance, stored: ("a", state, nil), block: nil, at: Fixtures.time)
            #expect((refusal == nil) == (isNear && !used.contains(counter)), "seed \(size), counter \(counter)")
            guard refusal == nil else { continue }
            used.insert(counter)
            state = LedgerRules.counters(after: advance, from: state)
            #expect(state.greatest == used.max())
        }
        #expect(used.count > 100)
    }

    @Test("A block is in force until its end; without an end, for ever")
    func blocks() {
        let subject = LedgerSubject(.device, "d1")
        let block = LedgerBlock(
            subject: subject, reason: "fraud", since: Fixtures.time, until: Fixtures.time.addingTimeInterval(60))
        #expect(block.isInForce(at: Fixtures.time.addingTimeInterval(59.999)))
        #expect(!block.isInForce(at: Fixtures.time.addingTimeInterval(60)))
        #expect(
            block.sentence
                == "the device has been blocked since 2026-04-21T18:13:12Z until 2026-04-21T18:14:12Z: fraud")
        let endless = LedgerBlock(subject: subject, reason: "fraud", since: Fixtures.time, until: nil)
        #expect(endless.isInForce(at: .distantFuture))
        #expect(endless.sentence == "the device has been blocked since 2026-04-21T18:13:12Z: fraud")
        #expect(subject.description == "device d1")
    }

    @Test("An allowance is in force until its end; without an end, for ever")
    func allowances() {
        let subject = LedgerSubject(.device, "d1")
        let end = Fixtures.time.addingTimeInterval(60)
        let allowance = LedgerAllowance(
            subject: subject, checks: [CheckID("approov.token.annotations")], reason: "pen test", since: Fixtures.time,
            until: end)
        #expect(allowance.isInForce(at: end.addingTimeInterval(-0.001)) && !allowance.isInForce(at: end))
        #expect(
            allowance.sentence
                == "the device has been allowed since 2026-04-21T18:13:12Z until 2026-04-21T18:14:12Z: pen test")
        let endless = LedgerAllowance(
            subject: subject, checks: [CheckID("approov.token.annotations")], reason: "pen test", since: Fixtures.time,
            until: nil)
        #expect(endless.isInForce(at: .distantFuture))
        #expect(endless.sentence == "the device has been allowed since 2026-04-21T18:13:12Z: pen test")
    }

    @Test("A standing returns the fields of its block or allowance")
    func standings() {
        let subject = LedgerSubject(.issuer, "server-token")
        let end = Fixtures.time.addingTimeInterval(60)
        let block = LedgerBlock(subject: subject, reason: "leaked", since: Fixtures.time, until: end)
        let allowance = LedgerAllowance(
            subject: subject, checks: [CheckID("approov.token.annotations")], reason: "test", since: Fixtures.time,
            until: end)
        for standing in [LedgerStanding.blocked(block), .allowed(allowance)] {
            #expect(standing.subject == subject && standing.until == end)
            #expect(standing.isInForce(at: Fixtures.time) && !standing.isInForce(at: end))
        }
        #expect(LedgerStanding.blocked(block).block == block && LedgerStanding.blocked(block).allowance == nil)
        #expect(
            LedgerStanding.allowed(allowance).allowance == allowance && LedgerStanding.allowed(allowance).block == nil)
        #expect(LedgerStanding.blocked(block).sentence == block.sentence)
        #expect(LedgerStanding.allowed(allowance).sentence == allowance.sentence)
    }

    @Test("Subjects are compared by kind and by the bytes of their names")
    func subjects() {
        let names = ["caf\u{E9}", "cafe\u{301}", "cafe", ""]
        #expect(names[0] == names[1], "to Swift they are the same")
        let subjects = LedgerSubject.Kind.allCases.flatMap { kind in names.map { LedgerSubject(kind, $0) } }
        #expect(Set(subjects).count == subjects.count && subjects.count == 16)
        for subject in subjects {
            #expect(
                Set(subjects).contains(LedgerSubject(subject.kind, String(decoding: subject.name.utf8, as: UTF8.self))))
        }
    }

    @Test("MemoryLedger's flag for standings follows every change")
    func withoutStandings() async throws {
        let ledger = MemoryLedger()
        let subject = LedgerSubject(.device, "d1")
        #expect(ledger.isWithoutStandings)
        try await ledger.allow(
            LedgerAllowance(
                subject: subject, checks: [CheckID("approov.token.annotations")], reason: "test", since: Fixtures.time,
                until: nil))
        #expect(!ledger.isWithoutStandings)
        try await ledger.block(LedgerBlock(subject: subject, reason: "abuse", since: Fixtures.time, until: nil))
        #expect(!ledger.isWithoutStandings)
        try await ledger.removeStanding(of: subject, by: "ops", at: Date(timeIntervalSince1970: 1_776_795_192))
        #expect(ledger.isWithoutStandings)
    }

    @Test(
        "Every refusal has its own code and a detailed sentence",
        // Two requests that race for the ledger get these: the key's check looks the key up before the commit.
        .produces("app-attest.assertion.counter", "key-of-another-app", "key-unknown"),
        .produces("app-attest.assertion.challenge", "challenge-consumed", "challenge-expired", "challenge-mismatch"),
        arguments: [
            (.challengeUnknown, "challenge-unknown", "issued no such challenge"),
            (
                .challengeMismatch(app: "other", purpose: ChallengePurpose(EvidenceKind("k"))), "challenge-mismatch",
                "app other and purpose k"
            ),
            (.challengeExpired(Fixtures.time), "challenge-expired", "at 2026-04-21T18:13:12Z"),
            (.challengeConsumed(Fixtures.time), "challenge-consumed", "at 2026-04-21T18:13:12Z"),
            (.keyEnrolled(Fixtures.time), "key-enrolled", "at 2026-04-21T18:13:12Z"),
            (.keyUnknown, "key-unknown", "no such key"),
            (.keyOfAnotherApp("other"), "key-of-another-app", "app other"),
            (
                .counterNotIncreasing(presented: 3, stored: 4), "counter-not-increasing",
                "counter 3 is not greater than the stored 4"
            ),
            (
                .counterNotSuccessor(presented: 6, stored: 4), "counter-not-successor",
                "counter 6 is not the successor of the stored 4"
            ),
            (
                .counterBehindWindow(presented: 1, stored: 9, window: 4), "counter-behind-window",
                "counter 1 is more than 4 behind the greatest, 9"
            ),
            (.counterUsed(presented: 6, stored: 9), "counter-used", "counter 6 was accepted before"),
            (.keyPropertyDiffers("appId"), "key-property-differs", "another appId"),
            (.digestUsed(Fixtures.time), "digest-used", "at 2026-04-21T18:13:12Z"),
            (
                .blocked(
                    LedgerBlock(subject: LedgerSubject(.key, "k"), reason: "stolen", since: Fixtures.time, until: nil)),
                "blocked", "blocked since 2026-04-21T18:13:12Z: stolen"
            ),
        ] as [(LedgerRefusal, String, String)])
    func refusals(refusal: LedgerRefusal, code: String, words: String) {
        #expect(refusal.code == code)
        #expect(refusal.detail.contains(words))
    }

    @Test("Each role has the rights that it needs, and only an administrator has all")
    func roles() {
        let rights: [OperatorRole: Set<OperatorRight>] = [
            .caller: [.verify], .pipeline: [.admit], .viewer: [.read], .operator: [.read, .change, .admit],
            .admin: [.verify, .read, .change, .admit, .administer],
        ]
        for role in OperatorRole.allCases { #expect(role.rights == rights[role], "\(role)") }
        #expect(OperatorRole.allCases.map(\.rawValue) == ["caller", "pipeline", "viewer", "operator", "admin"])
    }

    @Test("An operator is live until its end; a revoked operator is never live")
    func operators() {
        let end = Fixtures.time.addingTimeInterval(60)
        let alice = LedgerOperator(
            name: "alice", role: .viewer, addedAt: Fixtures.time, addedBy: "ops", until: end)
        #expect(alice.state(at: .distantPast) == .live && alice.state(at: end.addingTimeInterval(-0.001)) == .live)
        #expect(alice.state(at: end) == .ended)
        let revoked = alice.revoked(by: "eve", at: end)
        for time in [.distantPast, Fixtures.time, end] as [Date] { #expect(revoked.state(at: time) == .revoked) }
        #expect(revoked.revokedAt == end && revoked.revokedBy == "eve" && revoked.until == end)
        #expect(LedgerRules.revocable(among: [revoked]) == nil)
        let later = LedgerOperator(
            name: "alice", role: .admin, addedAt: Fixtures.time, addedBy: nil, until: end.addingTimeInterval(1))
        #expect(LedgerRules.revocable(among: [revoked, later, alice]) == later)
    }

    @Test("A token does not outlive the token of the operator who adds it")
    func creator() {
        func admin(until seconds: Double) -> LedgerOperator {
            LedgerOperator(
                name: "a", role: .admin, addedAt: Fixtures.time, addedBy: nil,
                until: Fixtures.time.addingTimeInterval(seconds))
        }
        #expect(LedgerRules.refusal(adding: admin(until: 60), creator: admin(until: 60)) == nil)
        #expect(
            LedgerRules.refusal(adding: admin(until: 61), creator: admin(until: 60))?.description
                == "the token would outlive that of the operator who adds it, which ends at 2026-04-21T18:14:12Z; name an "
                + "end until then")
    }

    @Test(
        "Descendants are those that an operator of the name added while it had a token, and not another one of their name"
    )
    func descendants() {
        func added(
            _ name: String, by author: String?, at start: Double, until end: Double = 1_000_000, isRevoked: Bool = false
        ) -> LedgerOperator {
            let new = LedgerOperator(
                name: name, role: .admin, addedAt: Fixtures.time.addingTimeInterval(start), addedBy: author,
                until: Fixtures.time.addingTimeInterval(end))
            return isRevoked ? new.revoked(by: nil, at: Fixtures.time.addingTimeInterval(end)) : new
        }
        func names(_ all: [LedgerOperator], at now: Double = 200_000) -> [String] {
            LedgerRules.descendants(ofOperator: "boss", among: all, at: Fixtures.time.addingTimeInterval(now))
        }
        let boss = added("boss", by: "root", at: 0)
        #expect(
            names([boss, added("kid", by: "boss", at: 1), added("grandkid", by: "kid", at: 2)]) == ["kid", "grandkid"])
        // A circle of names ends.
        #expect(names([boss, added("kid", by: "boss", at: 1), added("boss", by: "kid", at: 2)]) == ["kid"])
        // Revoked before: it is no name to revoke, but what it added is.
        #expect(
            names([
                boss, added("kid", by: "boss", at: 1, until: 9, isRevoked: true), added("grandkid", by: "kid", at: 2),
            ]) == ["grandkid"])
        // The name was used again by somebody else.
        #expect(names([boss, added("kid", by: "boss", at: 1, until: 9), added("kid", by: "eve", at: 99)]) == [])
        // Added before the operator was there, or after its token had ended: an hour of difference between clocks is allowed.
        #expect(names([boss, added("kid", by: "boss", at: -3601)]) == [])
        #expect(names([boss, added("kid", by: "boss", at: -3599)]) == ["kid"])
        let ended = added("boss", by: "root", at: 0, until: 10)
        #expect(names([ended, added("kid", by: "boss", at: 3611)]) == [])
        #expect(names([ended, added("kid", by: "boss", at: 3609)]) == ["kid"])
        #expect(names([]) == [] && names([added("kid", by: "boss", at: 1)]) == [])
    }

    @Test(
        "The name of an operator is short, and cannot look like another one",
        arguments: [
            ("a", true), ("Eve of shop-1 <eve@example.com>", true), ("\u{00E9}", true),
            (String(repeating: "x", count: 255), true), (String(repeating: "x", count: 256), false), ("", false),
            (" a", false), ("a ", false), ("a\u{00A0}", false), ("a\nb", false), ("a\u{0}", false),
            ("a\u{200B}b", false),
            ("a\u{202E}b", false), ("a\u{2028}b", false), ("root", false), ("ROOT", false), ("unix-socket", false),
            ("(not named)", false), ("user 0", false), ("rooted", true), ("user x", true),
        ])
    func operatorNames(name: String, isAllowed: Bool) {
        #expect((LedgerRules.objection(toOperatorName: name) == nil) == isAllowed)
    }

    @Test("An outcome is applied if no effect was refused")
    func outcomes() {
        #expect(CommitOutcome(decisions: [nil, nil]).isApplied)
        #expect(!CommitOutcome(decisions: [nil, .keyUnknown]).isApplied)
    }
}

extension CounterAdvance {
    fileprivate func isAllowed(from stored: CounterState) -> Bool {
        LedgerRules.refusal(advancing: self, stored: (app, stored, nil), block: nil, at: Fixtures.time) == nil
    }
}
