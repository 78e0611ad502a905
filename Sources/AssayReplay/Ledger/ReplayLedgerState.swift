import AssayCore
import FoundationEssentials

/// The entries of a replay's ledger, and its commit decisions.
struct ReplayLedgerState: Sendable {
    /// Properties that many keys share, interned.
    private struct KeyTerms: Hashable, Sendable {
        let app: String
        let properties: [String: String]
        let account: LedgerSubject?
    }

    private struct StoredKey: Sendable {
        let publicKey: [UInt8]
        let enrolledAt: Date
        let terms: UInt32
        var counters: CounterState
    }

    private struct ChallengeTerms: Hashable, Sendable {
        let app: String
        let purpose: ChallengePurpose
    }

    private struct ConsumedChallenge: Sendable {
        /// Seconds since 1970.
        let consumedAt: Double
        let terms: UInt32
    }

    /// The most unknown keys remembered. They serve to count records that precede their attestation.
    private static let missingLimit = 100_000

    private let issued: ReplayChallenges
    private let tally: PresumptionTally
    private var keys: [LedgerName: StoredKey] = [:]
    private var keyTerms = Interned<KeyTerms>()
    /// The keys of each account, in the order of their enrolment.
    private var accountKeys: [LedgerSubject: [LedgerName]] = [:]
    /// When keys were retired.
    private var retired: [LedgerName: Date] = [:]
    private var challenges: [LedgerDigest: ConsumedChallenge] = [:]
    private var challengeTerms = Interned<ChallengeTerms>()
    /// The time of first use by digest. Never purged.
    private var digests: [LedgerDigest: Date] = [:]
    private var missing: [LedgerName: Int] = [:]
    /// The first refused attestations of keys that another policy has enrolled.
    private var refused: [LedgerName: ReplayRoot] = [:]
    /// The time of the commit under way, what the base ledger knows for each of its effects, and for the selected one.
    private var now = Date.distantPast
    private var known: [KnownToBase] = []
    private var base = KnownToBase.nothing

    init(challenges: ReplayChallenges, tally: PresumptionTally) {
        issued = challenges
        self.tally = tally
    }

    func enrolledKey(_ identifier: KeyIdentifier) -> EnrolledKey? {
        keys[LedgerName(identifier)].map { stored in
            let terms = keyTerms[stored.terms]
            return EnrolledKey(
                identifier: identifier, app: terms.app, publicKey: stored.publicKey, counters: stored.counters,
                enrolledAt: stored.enrolledAt, properties: terms.properties, account: terms.account?.name,
                retiredAt: retired[LedgerName(identifier)])
        }
    }

    /// Numbers the app and the properties of an own key: another number means that an attestation refreshed them.
    func terms(_ identifier: KeyIdentifier) -> UInt32? { keys[LedgerName(identifier)]?.terms }

    /// Counts a record whose key is unknown.
    mutating func noteMissing(_ identifier: KeyIdentifier) {
        let name = LedgerName(identifier)
        guard missing.count < Self.missingLimit || missing[name] != nil else { return }
        missing[name, default: 0] += 1
    }

    /// Notes the refused attestation of a key that another policy has enrolled, unless the key is enrolled here.
    mutating func noteRefused(_ identifier: KeyIdentifier, _ attestation: ReplayRoot) {
        let name = LedgerName(identifier)
        if keys[name] == nil, refused[name] == nil { refused[name] = attestation }
    }

    /// The refused attestation of a key.
    func refusal(of identifier: KeyIdentifier) -> ReplayRoot? { refused[LedgerName(identifier)] }

    /// Enrols a key that another policy has enrolled, unless it is enrolled here.
    mutating func adopt(_ key: EnrolledKey) {
        guard keys[LedgerName(key.identifier)] == nil else { return }
        tally.update { $0.keptKeys += 1 }
        countMissing(key.identifier)
        store(key)
    }

    /// Counts the records that came before the enrolment of a key.
    private mutating func countMissing(_ identifier: KeyIdentifier) {
        if let records = missing.removeValue(forKey: LedgerName(identifier)) {
            tally.update { $0.beforeEnrolment += records }
        }
    }

    /// Decides on effects. Applies all of them, or none if one is refused. `known` is empty without a base ledger.
    mutating func commit(_ effects: [LedgerEffect], _ known: [KnownToBase], at now: Date) -> CommitOutcome {
        (self.known, self.now) = (known, now)
        return LedgerRules.commit(effects, on: &self, at: now)
    }

    private mutating func store(_ key: EnrolledKey) {
        let name = LedgerName(key.identifier)
        let terms = KeyTerms(
            app: key.app, properties: key.properties, account: key.account.map { LedgerSubject(.account, $0) })
        if let account = terms.account, !(accountKeys[account]?.contains(name) ?? false) {
            accountKeys[account, default: []].append(name)
        }
        keys[name] = StoredKey(
            publicKey: key.publicKey, enrolledAt: key.enrolledAt, terms: keyTerms.number(of: terms),
            counters: key.counters)
    }
}

/// The rows of the replay, and behind them those of the base ledger.
extension ReplayLedgerState: LedgerRows {
    typealias Failure = Never
    typealias OtherKey = LedgerName

    mutating func select(effect index: Int) { base = known.isEmpty ? .nothing : known[index] }

    func challenge(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose) -> ChallengeRow? {
        guard let consumed = challenges[LedgerDigest(of: value)] else {
            guard issued == .presumed else { return nil }
            return (
                IssuedChallenge(value: value, app: app, purpose: purpose, issuedAt: now, expiresAt: now + 1), nil
            )
        }
        let terms = challengeTerms[consumed.terms]
        let consumedAt = Date(timeIntervalSince1970: consumed.consumedAt)
        let challenge = IssuedChallenge(
            value: value, app: terms.app, purpose: terms.purpose, issuedAt: consumedAt, expiresAt: .distantFuture)
        return (challenge, consumedAt)
    }

    /// The key that an attestation finds enrolled: the replay's, otherwise the base ledger's if enrolled before now. Records have times
    /// in milliseconds, and the ledger has finer ones: the attestation itself must not seem to come after its enrolment.
    func key(_ identifier: KeyIdentifier) -> EnrolledKey? {
        enrolledKey(identifier) ?? base.key.flatMap { $0.enrolledAt < now - 0.001 ? $0 : nil }
    }

    /// The stored counters for an advance: from the replay, otherwise the base ledger, otherwise the evidence.
    func counterRow(_ advance: CounterAdvance) -> CounterRow? {
        if let stored = keys[LedgerName(advance.key)] {
            return (keyTerms[stored.terms].app, stored.counters, retired[LedgerName(advance.key)])
        }
        // The base ledger has today's counter. Presume the counter just before the presented one and, under a window,
        // that all earlier ones are still unused.
        if let key = base.key {
            var behind: UInt32 = 1
            if case .window(let size) = advance.rule { behind += UInt32(clamping: size) }
            return (key.app, CounterState(greatest: advance.counter - min(advance.counter, behind)), nil)
        }
        return advance.suppliedKey.map { ($0.app, $0.counters, nil) }
    }

    func ownerRow(_ identifier: KeyIdentifier) -> OwnerRow? {
        let name = LedgerName(identifier)
        if let stored = keys[name] {
            let terms = keyTerms[stored.terms]
            return (terms.app, terms.account?.name, retired[name])
        }
        return base.key.map { ($0.app, $0.account, $0.retiredAt) }
    }

    /// Keys found only in the base ledger do not count, because they are today's keys.
    func others(of key: EnrolledKey, in account: String) -> [OtherKey] {
        let own = LedgerName(key.identifier)
        return (accountKeys[LedgerSubject(.account, account)] ?? []).filter { name in
            guard name != own, retired[name] == nil, let stored = keys[name] else { return false }
            return keyTerms[stored.terms].app.isByteEqual(to: key.app)
        }
    }

    func timeOfUse(_ digest: [UInt8]) -> Date? { digests[LedgerDigest(of: digest)] }

    func requireRemembered(_ use: UsedDigest) {}

    func block(on key: KeyIdentifier) -> LedgerBlock? { base.block }

    func block(on subject: LedgerSubject) -> LedgerBlock? { base.block }

    mutating func consume(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose, at now: Date) {
        let terms = challengeTerms.number(of: ChallengeTerms(app: app, purpose: purpose))
        challenges[LedgerDigest(of: value)] = ConsumedChallenge(consumedAt: now.timeIntervalSince1970, terms: terms)
        tally.update { $0.challenges += 1 }
    }

    mutating func store(_ key: EnrolledKey, isNew: Bool) {
        if isNew {
            if base.key != nil { tally.update { $0.enrolments += 1 } }
            countMissing(key.identifier)
        } else if keys[LedgerName(key.identifier)] == nil {
            // Store nothing for a key found only in the base ledger: the base ledger has the facts of its latest
            // attestation, and its counter is today's, after those of the corpus.
            return
        }
        store(key)
    }

    mutating func retire(_ other: OtherKey, at now: Date) { retired[other] = now }

    mutating func apply(_ advance: CounterAdvance) {
        guard let stored = counterRow(advance)?.counters else { return }
        let counters = LedgerRules.counters(after: advance, from: stored)
        if let index = keys.index(forKey: LedgerName(advance.key)) {
            keys.values[index].counters = counters
        } else if let key = base.key {
            tally.update { $0.counters += 1 }
            store(key.with(counters))
        } else if let key = advance.suppliedKey {
            tally.update { $0.suppliedKeys += 1 }
            store(key.with(counters))
        }
    }

    mutating func insert(_ use: UsedDigest) { digests[LedgerDigest(of: use.digest)] = use.usedAt }
}

extension CounterAdvance {
    /// The key supplied with the evidence, if it is the one to advance.
    fileprivate var suppliedKey: EnrolledKey? { supplied.flatMap { $0.identifier == key ? $0 : nil } }
}

/// A key identifier in 32 bytes, stored inline: a replay holds millions.
struct LedgerName: Hashable, Sendable {
    // Needed: different engines may use the same bytes. Swift stores strings of up to 15 bytes inline.
    private let engine: String
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Stores an identifier of 32 bytes unchanged (as in App Attest), and the digest of any other.
    init(_ identifier: KeyIdentifier) {
        engine = identifier.engine
        let bytes = identifier.value.count == 32 ? identifier.value : Digest.sha256(identifier.value)
        words = (bytes.word(0), bytes.word(1), bytes.word(2), bytes.word(3))
    }

    static func == (left: LedgerName, right: LedgerName) -> Bool {
        left.words == right.words && left.engine == right.engine
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

/// 128 bits of the digest of a challenge or token. A collision takes about 2^64 attempts.
struct LedgerDigest: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64

    init(of bytes: [UInt8]) {
        let digest = Digest.sha256(bytes)
        (first, second) = (digest.word(0), digest.word(1))
    }
}

extension [UInt8] {
    fileprivate func word(_ index: Int) -> UInt64 {
        self[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Stores equal values once and numbers them.
struct Interned<Value: Hashable & Sendable>: Sendable {
    private var values: [Value] = []
    private var numbers: [Value: UInt32] = [:]

    subscript(number: UInt32) -> Value { values[Int(number)] }

    mutating func number(of value: Value) -> UInt32 {
        if let number = numbers[value] { return number }
        let number = UInt32(truncatingIfNeeded: values.count)
        values.append(value)
        numbers[value] = number
        return number
    }
}
