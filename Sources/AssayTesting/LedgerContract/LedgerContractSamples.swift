import AssayCore
import FoundationEssentials

/// The sample values of the contract's cases.
enum Sample {
    static let app = "shop-ios"
    static let engine = "app-attest"
    static let kind = EvidenceKind("app-attest.assertion")
    static let purpose = ChallengePurpose(kind)
    static let check = CheckID("app-attest.assertion.counter")
    static let now = Date(timeIntervalSince1970: 1_776_795_192)

    /// A time some seconds after `now`.
    static func later(_ seconds: Double) -> Date { now + seconds }

    static func bytes(_ seed: UInt8, count: Int = 32) -> [UInt8] { [UInt8](repeating: seed, count: count) }

    static func identifier(_ seed: UInt8 = 1) -> KeyIdentifier { KeyIdentifier(engine: engine, value: bytes(seed)) }

    static func key(
        _ seed: UInt8 = 1, app: String = app, counter: UInt32 = 0, enrolledAt: Date = now,
        properties: [String: String] = ["appID": "1234567890.com.example.shop", "note": "\"quoted\" \u{1F511} \n"],
        account: String? = nil
    ) -> EnrolledKey {
        EnrolledKey(
            identifier: identifier(seed), app: app, publicKey: [4] + bytes(seed, count: 64), counter: counter,
            enrolledAt: enrolledAt, properties: properties, account: account)
    }

    static func challenge(
        _ seed: UInt8 = 1, app: String = app, expiresIn seconds: Double = 300
    ) -> IssuedChallenge {
        IssuedChallenge(value: bytes(seed), app: app, purpose: purpose, issuedAt: now, expiresAt: later(seconds))
    }

    static func digest(
        _ seed: UInt8 = 1, app: String = app, kind: EvidenceKind = kind, madeAt: Date = now, usedAt: Date = now,
        lasting seconds: Double = 300
    ) -> UsedDigest {
        UsedDigest(
            digest: bytes(seed), app: app, kind: kind, madeAt: madeAt, usedAt: usedAt, until: madeAt + seconds)
    }

    static func block(_ subject: LedgerSubject, until: Date? = nil) -> LedgerBlock {
        LedgerBlock(subject: subject, reason: "stolen device", since: now, until: until, setBy: "ops")
    }

    static func allowance(_ subject: LedgerSubject, since: Date = now, until: Date? = nil) -> LedgerAllowance {
        LedgerAllowance(
            subject: subject, checks: [check, CheckID("approov.token.annotations")], reason: "penetration test",
            since: since, until: until, setBy: "ops")
    }

    static func `operator`(
        _ name: String, role: OperatorRole = .caller, addedAt: Date = now, lasting seconds: Double = 3600
    ) -> LedgerOperator {
        LedgerOperator(name: name, role: role, addedAt: addedAt, addedBy: "ops", until: addedAt + seconds)
    }

    static func advance(
        _ counter: UInt32, seed: UInt8 = 1, app: String = app, rule: CounterAdvance.Rule = .increasing,
        supplied: EnrolledKey? = nil
    ) -> LedgerEffect {
        LedgerEffect(
            check,
            .advanceCounter(
                CounterAdvance(key: identifier(seed), app: app, counter: counter, rule: rule, supplied: supplied)))
    }

    static func enrol(_ key: EnrolledKey) -> LedgerEffect { LedgerEffect(check, .enrol(key)) }

    static func refresh(_ key: EnrolledKey) -> LedgerEffect {
        LedgerEffect(check, .enrol(key, EnrolmentRules(refreshKeeping: ["appID"])))
    }

    static func consume(_ seed: UInt8 = 1, app: String = app, purpose: ChallengePurpose = purpose) -> LedgerEffect {
        LedgerEffect(check, .consumeChallenge(value: bytes(seed), app: app, purpose: purpose))
    }

    static func use(_ seed: UInt8 = 1, app: String = app, account: String? = nil) -> LedgerEffect {
        LedgerEffect(check, .useKey(KeyUse(key: identifier(seed), app: app, account: account)))
    }

    static func confirm(_ subject: LedgerSubject) -> LedgerEffect { LedgerEffect(check, .confirmUnblocked(subject)) }

    static func remember(_ use: UsedDigest) -> LedgerEffect { LedgerEffect(check, .rememberDigest(use)) }
}

extension Ledger {
    /// Commits effects and returns the codes of the refusals; nil for effects that can be applied.
    func codes(_ effects: LedgerEffect..., at now: Date = Sample.now) async throws -> [String?] {
        let decisions = try await commit(effects, at: now).decisions
        try expectEqual(decisions.count, effects.count, "decisions for the effects")
        return decisions.map { $0?.code }
    }

    /// Commits effects that the ledger must apply.
    func apply(_ effects: LedgerEffect..., at now: Date = Sample.now) async throws {
        let outcome = try await commit(effects, at: now)
        try expectEqual(outcome.decisions, effects.map { _ in nil }, "a commit that nothing speaks against")
    }

    /// Commits one effect that the ledger must refuse for exactly this reason.
    func refuse(_ effect: LedgerEffect, _ refusal: LedgerRefusal, at now: Date = Sample.now) async throws {
        try expectEqual(try await commit([effect], at: now).decisions, [refusal], "a commit that must be refused")
    }

    /// The stored counter of a key.
    func counter(_ seed: UInt8 = 1) async throws -> UInt32? {
        try await enrolledKey(Sample.identifier(seed))?.counter
    }
}

extension LedgerAdministration {
    /// Every entry.
    func entries() async throws -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        try await export { entries.append($0) }
        return entries
    }
}
