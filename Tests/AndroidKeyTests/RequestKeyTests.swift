import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Keys that a ledger has, and that may not sign a request.
struct AndroidKeyRequestKeyTests {
    /// A ledger with one key.
    private struct KeyLedger: Ledger {
        let key: EnrolledKey?
        let durability: LedgerDurability
        var block: LedgerBlock?
        var refusal: LedgerRefusal?

        func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {}
        func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? { key }
        func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] {
            block.map { [.blocked($0)] } ?? []
        }
        func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
            CommitOutcome(decisions: effects.enumerated().map { $0.offset == 0 ? refusal : nil })
        }
    }

    private static let info = Result { try AndroidAttestedKey(.p256, seed: "android-key tests", label: "keys") }

    private static let facts = [
        "packageName": Fixtures.package, "securityLevel": "strongBox", "verifiedBootState": "verified",
        "deviceLocked": "true",
    ]

    private static func enrolled(
        _ publicKey: [UInt8]? = nil, app: String = "shop", account: String? = nil, retiredAt: Date? = nil,
        properties: [String: String] = facts
    ) throws -> EnrolledKey {
        let key = try info.get()
        return EnrolledKey(
            identifier: .androidKey(key.keyID), app: app, publicKey: publicKey ?? key.publicKey, counter: 0,
            enrolledAt: Fixtures.time, properties: properties, account: account, retiredAt: retiredAt)
    }

    private static func outcome(
        _ ledger: some Ledger, supplied: [UInt8]? = nil, account: String? = nil,
        _ requests: RequestRules = RequestRules(),
        binding: AndroidKeyConfiguration.AccountBinding = .match
    ) async throws -> String {
        let configuration = try AndroidKeyConfiguration(
            packages: [Fixtures.package], certificateDigests: [Fixtures.digest], challenge: .caller, statusList: .none
        ) {
            $0.account = binding
            $0.requests = requests
        }
        var draft = AndroidKeyRequestTests.Draft()
        draft.nonce = "bm9uY2U"
        let verdict = try await Fixtures.verifier(configuration, ledger: ledger).verifyAndroidKeyRequest(
            draft.signed(by: info.get()), suppliedKey: supplied, account: account, at: Fixtures.time)
        guard let failed = verdict.checks.first(where: { $0.status == .failed }) else { return "accept" }
        return "\(failed.check.name.replacing("android-key.request.", with: "")) \(failed.finding?.code ?? "")"
    }

    @Test(
        "A key that the ledger has counts only as what it is",
        .produces(
            "android-key.request.key", "key-not-enrolled", "key-retired", "key-of-another-app", "key-differs",
            "key-unusable", "key-unsupported"))
    func keys() async throws {
        let key = try Self.info.get()
        let none = KeyLedger(key: nil, durability: .durable)
        #expect(try await Self.outcome(none, supplied: key.publicKey) == "key key-not-enrolled")
        func with(_ enrolled: EnrolledKey, supplied: [UInt8]? = nil) async throws -> String {
            try await Self.outcome(KeyLedger(key: enrolled, durability: .durable), supplied: supplied)
        }
        #expect(try await with(Self.enrolled()) == "accept")
        #expect(try await with(Self.enrolled(retiredAt: Fixtures.time)) == "key key-retired")
        #expect(try await with(Self.enrolled(app: "other")) == "key key-of-another-app")
        let other = try AndroidAttestedKey(.p256, seed: "android-key tests", label: "other")
        #expect(try await with(Self.enrolled(), supplied: other.publicKey) == "key key-differs")
        #expect(try await with(Self.enrolled([0x30, 0x00])) == "key key-unusable")
        // SEQUENCE { SEQUENCE { id-ml-dsa-44 }, BIT STRING } (RFC 9881).
        let mlDSA: [UInt8] = [
            0x30, 0x10, 0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11, 0x03, 0x01, 0x00,
        ]
        #expect(try await with(Self.enrolled(mlDSA)) == "key key-unsupported")
        let p384 = try AndroidAttestedKey(key: AndroidTestKey(.p384, seed: "android-key tests", label: "p384"))
        #expect(try await with(Self.enrolled(p384.publicKey)) == "key key-cannot-sign")
    }

    @Test(
        "A fact that the ledger lacks does not pass under a rule for it",
        arguments: [
            ("packageName", "package-not-allowed"), ("securityLevel", "security-level-not-allowed"),
            ("verifiedBootState", "boot-state-not-allowed"), ("deviceLocked", "boot-state-not-allowed"),
        ])
    func missingFacts(name: String, code: String) async throws {
        let key = try Self.enrolled(properties: Self.facts.filter { $0.key != name })
        #expect(try await Self.outcome(KeyLedger(key: key, durability: .durable)) == "key-state \(code)")
        // Neither does a check that this version does not know.
        let later = try Self.enrolled(
            properties: Self.facts.merging(["unproven": "android-key.attestation.new"]) { $1 })
        #expect(
            try await Self.outcome(KeyLedger(key: later, durability: .durable)) == "key-state attestation-tolerated")
    }

    /// What changes between the look-up of a key and the commit, and the outcome.
    @Test(
        "A change of the key after its look-up counts in the commit",
        arguments: [
            (Change.none, "accept"), (.block, "key blocked"), (.retirement, "key key-retired"),
            (.move, "account key-of-another-account"), (.moveUnderNoAccountRule, "accept"),
            (.moveUnderAllowance, "accept"),
        ])
    func races(change: Change, expected: String) async throws {
        let base = MemoryLedger()
        let key = try Self.enrolled(account: "ada")
        _ = try await base.commit([LedgerEffect(CheckID("test.enrolment"), .enrol(key))], at: Fixtures.time)
        if change == .moveUnderAllowance {
            let (ada, checks) = (LedgerSubject(.account, "ada"), [CheckID("android-key.request.account")])
            try await base.allow(
                LedgerAllowance(subject: ada, checks: checks, reason: "test", since: Fixtures.time, until: nil))
        }
        let ledger = ChangingLedger(base: base, key: key, change: change)
        let before = try await base.summary(at: Fixtures.time)
        #expect(
            try await Self.outcome(
                ledger, account: "ada", binding: change == .moveUnderNoAccountRule ? .none : .match) == expected)
        let remembered = try await base.summary(at: Fixtures.time).digests - before.digests
        #expect(remembered == (expected == "accept" ? 1 : 0))
    }

    enum Change: Sendable {
        case none, block, retirement, move, moveUnderNoAccountRule, moveUnderAllowance

        func make(in ledger: MemoryLedger, _ key: EnrolledKey) async throws(LedgerOutage) {
            switch self {
            case .none: break
            case .block:
                try await ledger.block(
                    LedgerBlock(subject: key.identifier.subject, reason: "stolen", since: Fixtures.time, until: nil))
            case .retirement:
                let newer = EnrolledKey(
                    identifier: .androidKey([UInt8](repeating: 1, count: 32)), app: key.app, publicKey: [1], counter: 0,
                    enrolledAt: Fixtures.time + 1, properties: [:], account: key.account)
                let rules = EnrolmentRules(limit: AccountKeyLimit(maximum: 1, excess: .retireOldest))
                _ = try await ledger.commit(
                    [LedgerEffect(CheckID("test.enrolment"), .enrol(newer, rules))], at: Fixtures.time)
            case .move, .moveUnderNoAccountRule, .moveUnderAllowance:
                try await ledger.move(key.identifier, to: "eve", by: nil, at: Fixtures.time)
            }
        }
    }

    /// A ledger that changes before a commit.
    private struct ChangingLedger: Ledger {
        let base: MemoryLedger
        let key: EnrolledKey
        let change: Change

        var durability: LedgerDurability { .durable }
        func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
            try await base.issue(challenge, at: now)
        }
        func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
            try await base.enrolledKey(identifier)
        }
        func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] {
            try await base.standings(of: subjects, at: now)
        }
        func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
            try await change.make(in: base, key)
            return try await base.commit(effects, at: now)
        }
    }

    @Test(
        "Accounts and challenges that the ledger refuses",
        .produces("android-key.request.account", "account-blocked", "key-without-account"),
        .produces("android-key.request.challenge", "challenge-expired", "challenge-mismatch"))
    func accounts() async throws {
        let block = LedgerBlock(
            subject: LedgerSubject(.account, "ada"), reason: "test", since: Fixtures.time, until: nil)
        let blocked = KeyLedger(key: try Self.enrolled(account: "ada"), durability: .durable, block: block)
        #expect(try await Self.outcome(blocked, account: "ada") == "account account-blocked")
        let without = KeyLedger(key: try Self.enrolled(), durability: .durable)
        #expect(try await Self.outcome(without, account: "ada", binding: .required) == "account key-without-account")
        let refusals: [(LedgerRefusal, String)] = [
            (.challengeExpired(Fixtures.time), "challenge challenge-expired"),
            (
                .challengeMismatch(app: "other", purpose: ChallengePurpose(.androidKeyRequest)),
                "challenge challenge-mismatch"
            ),
        ]
        for (refusal, expected) in refusals {
            let ledger = KeyLedger(key: try Self.enrolled(), durability: .durable, refusal: refusal)
            #expect(try await Self.outcome(ledger, RequestRules(nonce: .ledger)) == expected)
        }
    }
}
