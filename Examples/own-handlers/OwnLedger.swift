import Assay
import Foundation

/// A ledger of one's own, as an actor: what a verifier needs, in memory, without blocks and without purging.
///
/// `LedgerRules` decides. Nothing in `commit` waits, so that it is one atomic step. `LedgerContract` tests the ledger.
actor OwnLedger: Ledger {
    nonisolated let durability = LedgerDurability.ephemeral

    private var challenges: [[UInt8]: (challenge: IssuedChallenge, consumedAt: Date?)] = [:]
    private var keys: [KeyIdentifier: EnrolledKey] = [:]
    private var uses: [[UInt8]: Date] = [:]

    func issue(_ challenge: IssuedChallenge, at now: Date) throws(LedgerOutage) {
        guard challenges[challenge.value] == nil else {
            throw LedgerOutage(.internalError, "a challenge of this value exists; draw another one")
        }
        challenges[challenge.value] = (challenge, nil)
    }

    func enrolledKey(_ identifier: KeyIdentifier) -> EnrolledKey? { keys[identifier] }

    func standings(of subjects: [LedgerSubject], at now: Date) -> [LedgerStanding] { [] }

    func commit(_ effects: [LedgerEffect], at now: Date) throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        let decisions = effects.map { refusal(of: $0.action, at: now) }
        guard CommitOutcome(decisions: decisions).isApplied else { return CommitOutcome(decisions: decisions) }
        let notes = effects.compactMap { apply($0.action, at: now) }
        return CommitOutcome(decisions: decisions, enrolment: notes.last)
    }

    private func refusal(of action: LedgerEffect.Action, at now: Date) -> LedgerRefusal? {
        switch action {
        case .consumeChallenge(let value, let app, let purpose):
            let stored = challenges[value]
            return LedgerRules.refusal(
                consumingFor: app, purpose, stored: stored?.challenge, consumedAt: stored?.consumedAt, at: now)
        case .enrol(let key, let rules):
            return LedgerRules.refusal(
                enrolling: key, rules, stored: keys[key.identifier], keysOfAccount: others(of: key).count, block: nil,
                at: now)
        case .advanceCounter(let advance):
            return LedgerRules.refusal(
                advancing: advance, stored: key(of: advance).map { ($0.app, $0.counters, $0.retiredAt) }, block: nil,
                at: now)
        case .rememberDigest(let use):
            return LedgerRules.refusal(rememberingOver: uses[use.digest])
        case .useKey(let use):
            return LedgerRules.refusal(
                using: use, stored: keys[use.key].map { ($0.app, $0.account, $0.retiredAt) }, block: nil, at: now)
        case .confirmUnblocked:
            return nil
        }
    }

    private func apply(_ action: LedgerEffect.Action, at now: Date) -> EnrolmentNote? {
        switch action {
        case .consumeChallenge(let value, _, _): challenges[value]?.consumedAt = now
        case .enrol(let key, let rules):
            let stored = keys[key.identifier]
            let others = others(of: key)
            let (retired, note) = LedgerRules.consequence(of: key, rules, stored: stored, keysOfAccount: others.count)
            for other in others.prefix(retired) { keys[other.identifier] = other.with(retiredAt: now) }
            keys[key.identifier] = LedgerRules.key(refreshing: stored, with: key)
            return note
        case .advanceCounter(let advance):
            keys[advance.key] = key(of: advance).map {
                $0.with(counters: LedgerRules.counters(after: advance, from: $0.counters))
            }
        case .rememberDigest(let use): uses[use.digest] = use.usedAt
        case .useKey, .confirmUnblocked: break
        }
        return nil
    }

    /// A ledger that is not durable takes a key that came with the evidence for an enrolled one.
    private func key(of advance: CounterAdvance) -> EnrolledKey? {
        keys[advance.key] ?? advance.supplied.flatMap { $0.identifier == advance.key ? $0 : nil }
    }

    /// The other keys in use of the account, the oldest first.
    private func others(of key: EnrolledKey) -> [EnrolledKey] {
        guard let account = key.account else { return [] }
        return keys.values.filter {
            $0.retiredAt == nil && $0.identifier != key.identifier && $0.identifier.engine == key.identifier.engine
                && $0.app == key.app && $0.account?.utf8.elementsEqual(account.utf8) == true
        }.sorted { $0.enrolledAt < $1.enrolledAt }
    }
}

extension EnrolledKey {
    fileprivate func with(counters: CounterState? = nil, retiredAt: Date? = nil) -> EnrolledKey {
        EnrolledKey(
            identifier: identifier, app: app, publicKey: publicKey, counters: counters ?? self.counters,
            enrolledAt: enrolledAt, properties: properties, account: account, retiredAt: retiredAt ?? self.retiredAt)
    }
}
