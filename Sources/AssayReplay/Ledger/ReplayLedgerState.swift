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

    init(challenges: ReplayChallenges) {
        issued = challenges
    }

    func key(_ identifier: KeyIdentifier) -> EnrolledKey? {
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

    /// Decides on effects. Applies all of them, or none if one is refused. `known` is empty without a base ledger.
    mutating func commit(
        _ effects: [LedgerEffect], _ known: [KnownToBase], at now: Date, _ presumptions: inout ReplayPresumptions
    ) -> CommitOutcome {
        func base(_ index: Int) -> KnownToBase { known.isEmpty ? .nothing : known[index] }
        let decisions = effects.indices.map { refusal(of: effects[$0].action, base($0), at: now) }
        guard CommitOutcome(decisions: decisions).isApplied else { return CommitOutcome(decisions: decisions) }
        var enrolment: EnrolmentNote?
        for index in effects.indices {
            enrolment = apply(effects[index].action, base(index), at: now, &presumptions) ?? enrolment
        }
        return CommitOutcome(decisions: decisions, enrolment: enrolment)
    }

    private func refusal(
        of action: LedgerEffect.Action, _ base: KnownToBase, at now: Date
    ) -> LedgerRefusal? {
        switch action {
        case .consumeChallenge(let value, let app, let purpose):
            guard let consumed = challenges[LedgerDigest(of: value)] else {
                return issued == .presumed
                    ? nil : LedgerRules.refusal(consumingFor: app, purpose, stored: nil, consumedAt: nil, at: now)
            }
            let terms = challengeTerms[consumed.terms]
            let consumedAt = Date(timeIntervalSince1970: consumed.consumedAt)
            let stored = IssuedChallenge(
                value: value, app: terms.app, purpose: terms.purpose, issuedAt: consumedAt, expiresAt: .distantFuture)
            return LedgerRules.refusal(
                consumingFor: app, purpose, stored: stored, consumedAt: consumedAt, at: now)
        case .enrol(let key, let rules):
            return LedgerRules.refusal(
                enrolling: key, rules, stored: earlier(key, base.key, at: now),
                keysOfAccount: others(of: key, rules).count, block: base.block, at: now)
        case .advanceCounter(let advance):
            return LedgerRules.refusal(
                advancing: advance, stored: counters(for: advance, base.key), block: base.block, at: now)
        case .rememberDigest(let use):
            return LedgerRules.refusal(rememberingOver: digests[LedgerDigest(of: use.digest)])
        case .useKey(let use):
            return LedgerRules.refusal(using: use, stored: owner(of: use.key, base.key), block: base.block, at: now)
        case .confirmUnblocked: return LedgerRules.refusal(confirmingOver: base.block, at: now)
        }
    }

    /// The replay's other keys in use of the account for which a key is enrolled, oldest first. Keys found only in the
    /// base ledger do not count, because they are today's keys.
    private func others(of key: EnrolledKey, _ rules: EnrolmentRules) -> [LedgerName] {
        guard rules.limit != nil, let account = key.account else { return [] }
        let own = LedgerName(key.identifier)
        return (accountKeys[LedgerSubject(.account, account)] ?? []).filter { name in
            guard name != own, retired[name] == nil, let stored = keys[name] else { return false }
            return keyTerms[stored.terms].app.isByteEqual(to: key.app)
        }
    }

    /// When the base ledger enrolled a key, if before `now`; nil for the enrolment being replayed or a later one.
    private func isLater(_ now: Date, than key: EnrolledKey?) -> Date? {
        key.flatMap { $0.enrolledAt < now ? $0.enrolledAt : nil }
    }

    /// The key that an attestation finds enrolled: the replay's, otherwise the base ledger's if it was enrolled before.
    private func earlier(_ new: EnrolledKey, _ base: EnrolledKey?, at now: Date) -> EnrolledKey? {
        key(new.identifier) ?? (isLater(now, than: base) == nil ? nil : base)
    }

    /// The stored counters for an advance: from the replay, otherwise the base ledger, otherwise the evidence.
    private func counters(
        for advance: CounterAdvance, _ base: EnrolledKey?
    ) -> (app: String, counters: CounterState, retiredAt: Date?)? {
        if let stored = keys[LedgerName(advance.key)] {
            return (keyTerms[stored.terms].app, stored.counters, retired[LedgerName(advance.key)])
        }
        // The base ledger has today's counter. Presume the counter just before the presented one and, under a window,
        // that all earlier ones are still unused.
        if let base {
            var behind: UInt32 = 1
            if case .window(let size) = advance.rule { behind += UInt32(clamping: size) }
            return (base.app, CounterState(greatest: advance.counter - min(advance.counter, behind)), nil)
        }
        return advance.suppliedKey.map { ($0.app, $0.counters, nil) }
    }

    /// What decides about the use of a key: from the replay, otherwise the base ledger.
    private func owner(
        of identifier: KeyIdentifier, _ base: EnrolledKey?
    ) -> (app: String, account: String?, retiredAt: Date?)? {
        let name = LedgerName(identifier)
        if let stored = keys[name] {
            let terms = keyTerms[stored.terms]
            return (terms.app, terms.account?.name, retired[name])
        }
        return base.map { ($0.app, $0.account, $0.retiredAt) }
    }

    /// Applies an action. Returns a note about an enrolment, or nil.
    private mutating func apply(
        _ action: LedgerEffect.Action, _ base: KnownToBase, at now: Date, _ presumptions: inout ReplayPresumptions
    ) -> EnrolmentNote? {
        switch action {
        case .consumeChallenge(let value, let app, let purpose):
            let terms = challengeTerms.number(of: ChallengeTerms(app: app, purpose: purpose))
            challenges[LedgerDigest(of: value)] = ConsumedChallenge(
                consumedAt: now.timeIntervalSince1970, terms: terms)
            presumptions.challenges += 1
        case .enrol(let key, let rules):
            let stored = earlier(key, base.key, at: now)
            let others = others(of: key, rules)
            let consequence = LedgerRules.consequence(of: key, rules, stored: stored, keysOfAccount: others.count)
            for name in others.prefix(consequence.retired) { retired[name] = now }
            if let own = self.key(key.identifier) {
                store(LedgerRules.key(refreshing: own, with: key))
            } else if stored == nil {
                enrol(key, base, &presumptions)
            }
            // Store nothing for a key found only in the base ledger: the base ledger has the facts of its latest
            // attestation, and its counter is today's, after those of the corpus.
            return consequence.note
        case .advanceCounter(let advance):
            guard let stored = counters(for: advance, base.key)?.counters else { return nil }
            let counters = LedgerRules.counters(after: advance, from: stored)
            if let index = keys.index(forKey: LedgerName(advance.key)) {
                keys.values[index].counters = counters
            } else if let key = base.key {
                presumptions.counters += 1
                store(key.with(counters))
            } else if let key = advance.suppliedKey {
                presumptions.suppliedKeys += 1
                store(key.with(counters))
            }
        case .rememberDigest(let use):
            digests[LedgerDigest(of: use.digest)] = use.usedAt
        case .useKey, .confirmUnblocked: break
        }
        return nil
    }

    private mutating func enrol(_ key: EnrolledKey, _ base: KnownToBase, _ presumptions: inout ReplayPresumptions) {
        if base.key != nil { presumptions.enrolments += 1 }
        if let records = missing.removeValue(forKey: LedgerName(key.identifier)) {
            presumptions.beforeEnrolment += records
        }
        store(key)
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

extension CounterAdvance {
    /// The key supplied with the evidence, if it is the one to advance.
    fileprivate var suppliedKey: EnrolledKey? { supplied.flatMap { $0.identifier == key ? $0 : nil } }
}
