import Assay
import AssayCore
import AssayReplay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The presumptions of a replay, and their limits.
@Suite("Ledgers of replays")
struct ReplayLedgerTests {
    private static let time = ReplayCorpus.time

    private static func lines(challenges: [String]) throws -> [String] {
        try challenges.enumerated().map { index, challenge in
            try ReplayCorpus.assertion(
                "r", of: "key-\(index)", counter: 1, clientData: challenge, supplied: 0)
        }
    }

    @Test("A presumed challenge is accepted once, for the app and purpose of its first use")
    func presumed() async throws {
        let policies = try ReplayPolicies(ReplayCorpus.policy(challenge: "ledger", clientData: "raw"))
        var lines = try Self.lines(challenges: ["one", "two", "one"])
        lines.append(try ReplayCorpus.attestation("a", of: "key-9", challenge: "two"))
        let outcome = try await ReplayCorpus.replay(lines, policies)
        let failed = ["app-attest.assertion.challenge", "app-attest.attestation.challenge"]
        #expect(outcome.words == ["accept", "accept"] + failed)
        #expect(outcome.lines.contains("\"challenge-consumed\"") && outcome.lines.contains("\"challenge-mismatch\""))
        #expect(outcome.statistics.presumptions.challenges == 2)
    }

    @Test("Without presumptions no challenge counts as issued")
    func none() async throws {
        var options = ReplayOptions()
        options.challenges = .none
        let policies = try ReplayPolicies(ReplayCorpus.policy(challenge: "ledger", clientData: "raw"))
        let outcome = try await ReplayCorpus.replay(Self.lines(challenges: ["one"]), policies, options)
        #expect(outcome.words == ["app-attest.assertion.challenge"])
        #expect(outcome.lines.contains("\"challenge-unknown\""))
        #expect(outcome.statistics.presumptions == ReplayPresumptions())
    }

    @Test("Keys of the base ledger count, and their counters start with the corpus", arguments: [1, 3])
    func base(jobs: Int) async throws {
        let base = MemoryLedger()
        let policy = try ReplayCorpus.policy()
        let attestation = try ReplayCorpus.attestation("a", of: "based")
        let live = Verifier(policy: policy, ledger: base)
        for line in [attestation, try ReplayCorpus.assertion("today", of: "based", counter: 900)] {
            let record = try RecordFile.readLine(Array(line.utf8)[...]).get()
            #expect(try await live.verify(record, at: Self.time).outcome == .accept)
        }
        var options = ReplayOptions()
        options.baseLedger = base
        let lines = try [5, 6, 6, 9].map { try ReplayCorpus.assertion("c", of: "based", counter: $0) }
        let outcome = try await ReplayCorpus.replay(lines, ReplayPolicies(policy), options, jobs: jobs, batchSize: 1)
        #expect(outcome.words == ["accept", "accept", "app-attest.assertion.counter", "accept"])
        #expect(outcome.statistics.presumptions.counters == 1)
        let stored = try await base.enrolledKey(KeyIdentifier.appAttest(ReplayCorpus.key("based").keyID))
        #expect(stored?.counter == 900)
    }

    @Test("An attestation counts as the one that enrolled its key in the base ledger, a later one does not")
    func enrolment() async throws {
        let base = MemoryLedger()
        let policy = try ReplayCorpus.policy()
        let attestation = try ReplayCorpus.attestation("a", of: "enrolled")
        let record = try RecordFile.readLine(Array(attestation.utf8)[...]).get()
        _ = try await Verifier(policy: policy, ledger: base).verify(record, at: Self.time)
        var options = ReplayOptions()
        options.baseLedger = base
        let later = try ReplayCorpus.attestation("b", of: "enrolled", at: 60)
        let first = try await ReplayCorpus.replay([attestation], ReplayPolicies(policy), options)
        #expect(first.words == ["accept"])
        #expect(first.statistics.presumptions.enrolments == 1)
        let second = try await ReplayCorpus.replay([later], ReplayPolicies(policy), options)
        #expect(second.words == ["app-attest.attestation.enrolment"])
    }

    @Test("A refreshed key of the base ledger takes its counter from the corpus", arguments: [1, 3])
    func refresh(jobs: Int) async throws {
        let base = MemoryLedger()
        let policy = try ReplayCorpus.policy(extra: "reattestation: refresh")
        let live = Verifier(policy: policy, ledger: base)
        for line in [
            try ReplayCorpus.attestation("a", of: "lost"),
            try ReplayCorpus.assertion("today", of: "lost", counter: 900),
        ] {
            let record = try RecordFile.readLine(Array(line.utf8)[...]).get()
            #expect(try await live.verify(record, at: Self.time).outcome == .accept)
        }
        var options = ReplayOptions()
        options.baseLedger = base
        let lines =
            try [ReplayCorpus.attestation("again", of: "lost", at: 60)]
            + [5, 6, 6].map { try ReplayCorpus.assertion("c", of: "lost", counter: $0, at: 61) }
            + [
                ReplayCorpus.attestation("again", of: "lost", at: 62),
                ReplayCorpus.assertion("d", of: "lost", counter: 7, at: 63),
            ]
        let outcome = try await ReplayCorpus.replay(lines, ReplayPolicies(policy), options, jobs: jobs, batchSize: 1)
        #expect(
            outcome.words == ["accept", "accept", "accept", "app-attest.assertion.counter", "accept", "accept"])
        #expect(outcome.lines.contains("key-refreshed"))
    }

    @Test("With a durable base ledger, a key supplied with the evidence does not count, as in verification")
    func suppliedKeys() async throws {
        let line = try ReplayCorpus.assertion("s", of: "stranger", counter: 1, supplied: 0)
        let policies = try ReplayPolicies(ReplayCorpus.policy())
        for (base, words) in [
            (nil, "accept"), (MemoryLedger(), "accept"),
            (FaultyLedger(durability: .durable), "app-attest.assertion.key"),
        ] as [((any Ledger)?, String)] {
            var options = ReplayOptions()
            options.baseLedger = base
            let outcome = try await ReplayCorpus.replay([line], policies, options)
            #expect(outcome.words == [words])
            #expect(outcome.statistics.presumptions.suppliedKeys == (words == "accept" ? 1 : 0))
        }
    }

    @Test("Keys of two engines are different keys, even with the same identifier bytes")
    func engines() async throws {
        let ledger = ReplayLedger(challenges: .none)
        let (value, now) = ([UInt8](repeating: 7, count: 32), Date(timeIntervalSince1970: 1_776_795_192))
        for engine in ["one", "other"] {
            let key = EnrolledKey(
                identifier: KeyIdentifier(engine: engine, value: value), app: "app", publicKey: Array(engine.utf8),
                counter: 0, enrolledAt: now, properties: [:])
            let outcome = try await ledger.commit([LedgerEffect(CheckID("engine.enrolment"), .enrol(key))], at: now)
            #expect(outcome.isApplied)
            #expect(try await ledger.enrolledKey(key.identifier)?.publicKey == key.publicKey)
        }
    }

    @Test("Under a window, counters below the first replayed one of a base ledger key are accepted once")
    func window() async throws {
        let now = Date(timeIntervalSince1970: 1_776_795_192)
        let identifier = KeyIdentifier(engine: "one", value: [7])
        let base = MemoryLedger()
        let key = EnrolledKey(
            identifier: identifier, app: "app", publicKey: [4], counter: 90, enrolledAt: now - 60, properties: [:])
        let check = CheckID("engine.counter")
        _ = try await base.commit([LedgerEffect(check, .enrol(key))], at: now)
        let ledger = ReplayLedger(challenges: .none, base: base)
        for (counter, isApplied) in [(20, true), (17, true), (17, false), (15, false), (19, true), (20, false)]
            as [(UInt32, Bool)]
        {
            let advance = CounterAdvance(key: identifier, app: "app", counter: counter, rule: .window(4))
            let outcome = try await ledger.commit([LedgerEffect(check, .advanceCounter(advance))], at: now)
            #expect(outcome.isApplied == isApplied, "counter \(counter)")
        }
    }

    @Test("An attestation is not taken for later than its own enrolment, whose time the base ledger has more exactly")
    func ownEnrolment() async throws {
        let (check, now) = (CheckID("engine.enrolment"), Self.time)
        for (seconds, isApplied) in [(-60, false), (-0.0004, true), (0, true), (60, true)] as [(Double, Bool)] {
            let key = EnrolledKey(
                identifier: KeyIdentifier(engine: "one", value: [7]), app: "app", publicKey: [4], counter: 0,
                enrolledAt: now + seconds, properties: [:])
            let base = MemoryLedger()
            #expect(try await base.commit([LedgerEffect(check, .enrol(key))], at: now).isApplied)
            let ledger = ReplayLedger(challenges: .none, base: base)
            let outcome = try await ledger.commit([LedgerEffect(check, .enrol(key))], at: now)
            #expect(outcome.isApplied == isApplied, "\(seconds)")
        }
    }

    @Test("A key is used as the replay or its base ledger has it: enrolled, its account's, in use and not blocked")
    func uses() async throws {
        let (check, now) = (CheckID("engine.key"), Self.time)
        func key(_ value: UInt8, at seconds: Double) -> EnrolledKey {
            EnrolledKey(
                identifier: KeyIdentifier(engine: "one", value: [value]), app: "app", publicKey: [4, value], counter: 0,
                enrolledAt: now + seconds, properties: [:], account: "ada")
        }
        func code(_ ledger: ReplayLedger, _ value: UInt8, account: String? = nil) async throws -> String? {
            let use = KeyUse(key: key(value, at: 0).identifier, app: "app", account: account)
            return try await ledger.commit([LedgerEffect(check, .useKey(use))], at: now).decisions.first??.code
        }
        let base = MemoryLedger()
        for value: UInt8 in [1, 2] {
            _ = try await base.commit([LedgerEffect(check, .enrol(key(value, at: -60)))], at: now)
        }
        try await base.block(
            LedgerBlock(subject: key(2, at: 0).identifier.subject, reason: "abuse", since: now, until: nil))
        let layered = ReplayLedger(challenges: .none, base: base)
        #expect(try await code(layered, 1) == nil)
        #expect(try await code(layered, 1, account: "eve") == "key-of-another-account")
        #expect(try await code(layered, 2) == "blocked")
        #expect(try await code(layered, 3) == "key-unknown")
        let alone = ReplayLedger(challenges: .none)
        let limit = EnrolmentRules(limit: AccountKeyLimit(maximum: 1, excess: .retireOldest))
        for value: UInt8 in [1, 2] {
            #expect(try await code(alone, value) == "key-unknown")
            let enrolment = LedgerEffect(check, .enrol(key(value, at: Double(value)), limit))
            #expect(try await alone.commit([enrolment], at: now).isApplied)
            #expect(try await code(alone, value, account: "ada") == nil)
        }
        #expect(try await code(alone, 1) == "key-retired")
    }

    @Test("A block of the base ledger applies while it is in force")
    func blocks() async throws {
        let base = MemoryLedger()
        let identifier = KeyIdentifier.appAttest(ReplayCorpus.key("blocked").keyID)
        try await base.block(
            LedgerBlock(subject: identifier.subject, reason: "abuse", since: Self.time, until: Self.time + 30))
        var options = ReplayOptions()
        options.baseLedger = base
        let lines = try [(1, 10.0), (2, 40.0)].map { counter, seconds in
            try ReplayCorpus.assertion("b", of: "blocked", counter: counter, at: seconds, supplied: 0)
        }
        let outcome = try await ReplayCorpus.replay(lines, ReplayPolicies(ReplayCorpus.policy()), options)
        #expect(outcome.words == ["app-attest.assertion.key-state", "accept"])
    }

    @Test("A replay uses each standing of its base ledger as first read")
    func standings() async throws {
        let base = MemoryLedger()
        let devices = ["d1", "d2", "d3"].map { LedgerSubject(.device, $0) }
        let allowance = LedgerAllowance(
            subject: devices[0], checks: [CheckID("approov.token.annotations")], reason: "test", since: Self.time,
            until: Self.time + 30)
        let block = LedgerBlock(subject: devices[1], reason: "abuse", since: Self.time, until: nil)
        try await base.allow(allowance)
        try await base.block(block)
        let ledger = ReplayLedger(challenges: .none, base: base)
        #expect(!ledger.isWithoutStandings)
        let now = try await ledger.standings(of: devices, at: Self.time + 29)
        #expect(now == [.allowed(allowance), .blocked(block)])
        try await base.removeStanding(of: devices[1], by: "ops", at: Date(timeIntervalSince1970: 1_776_795_192))
        try await base.block(LedgerBlock(subject: devices[2], reason: "abuse", since: Self.time, until: nil))
        #expect(try await ledger.standings(of: devices, at: Self.time + 30) == [.blocked(block)])
        let alone = ReplayLedger(challenges: .none)
        #expect(alone.isWithoutStandings)
        #expect(try await alone.standings(of: devices, at: Self.time) == [])
    }

    @Test("Each file has its own ledger on request")
    func perFile() async throws {
        let temporary = try TestFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.url
        let line = try ReplayCorpus.assertion("a", of: "files", counter: 1, supplied: 0)
        for name in ["a.json", "b.json"] { try Data(line.utf8).write(to: folder.appendingPathComponent(name)) }
        let policies = try ReplayPolicies(ReplayCorpus.policy())
        let shared = try await ReplayCorpus.replay(paths: [folder.path], policies)
        #expect(shared.words == ["accept", "app-attest.assertion.counter"])
        var options = ReplayOptions()
        options.isLedgerPerFile = true
        let own = try await ReplayCorpus.replay(paths: [folder.path], policies, options)
        #expect(own.words == ["accept", "accept"])
        #expect(own.statistics.presumptions.suppliedKeys == 2)
    }
}
