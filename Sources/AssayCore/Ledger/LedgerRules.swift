package import FoundationEssentials

/// What every ledger decides, apart from how it stores: each rule holds one effect against what is stored.
///
/// The rules are stated once, so that no two ledgers can differ in them.
package enum LedgerRules {
    /// How long past its end an expired challenge or digest stays stored, in seconds. Processes that share a ledger may
    /// disagree about the time by this much without a digest being forgotten inside its window, and a late challenge
    /// is told from an unknown one.
    package static let retention: TimeInterval = 3600

    /// Decides whether a challenge may be consumed. Its binding comes first: nothing is told about somebody else's.
    package static func refusal(
        consumingFor app: String, _ purpose: ChallengePurpose, stored: Challenge?, consumedAt: Date?, at now: Date
    ) -> LedgerRefusal? {
        guard let stored else { return .challengeUnknown }
        guard stored.app == app, stored.purpose == purpose else {
            return .challengeMismatch(app: stored.app, purpose: stored.purpose)
        }
        guard now < stored.expiresAt else { return .challengeExpired(stored.expiresAt) }
        return consumedAt.map { .challengeConsumed($0) }
    }

    /// Decides whether a key may be enrolled.
    package static func refusal(enrollingOver enrolledAt: Date?, block: Block?, at now: Date) -> LedgerRefusal? {
        if let block, block.isInForce(at: now) { return .blocked(block) }
        return enrolledAt.map { .keyEnrolled($0) }
    }

    /// Decides whether a key's counter may advance from the stored one.
    package static func refusal(
        advancing advance: CounterAdvance, stored: (app: String, counter: UInt32)?, block: Block?, at now: Date
    ) -> LedgerRefusal? {
        if let block, block.isInForce(at: now) { return .blocked(block) }
        guard let stored else { return .keyUnknown }
        guard stored.app == advance.app else { return .keyOfAnotherApp(stored.app) }
        if advance.isAllowed(from: stored.counter) { return nil }
        switch advance.rule {
        case .increasing: return .counterNotIncreasing(presented: advance.counter, stored: stored.counter)
        case .successor: return .counterNotSuccessor(presented: advance.counter, stored: stored.counter)
        }
    }

    /// Decides whether a digest may be used: not while it is stored, also past the end of its window. The same token may
    /// be judged by a policy with a longer one.
    package static func refusal(rememberingOver usedAt: Date?) -> LedgerRefusal? {
        usedAt.map { .digestUsed($0) }
    }

    /// Demands that a digest that is not stored was never used: that nothing as old has been forgotten of its app and kind,
    /// which decide how long it is fresh.
    ///
    /// What is forgotten has left its window more than ``retention`` ago. So nothing as old can be fresh, unless the window
    /// was lengthened since, or the clock was ahead and is back.
    ///
    /// - Parameters:
    ///   - use: the use, of a digest that is not stored.
    ///   - forgotten: the latest making of what has been forgotten of this app and kind, and nil for nothing.
    /// - Throws: ``LedgerOutage`` with ``LedgerOutage/Code/forgotten``.
    package static func demandRemembered(_ use: UsedDigest, forgotten: Date?) throws(LedgerOutage) {
        guard let forgotten, use.madeAt <= forgotten else { return }
        throw LedgerOutage(
            .forgotten,
            "whether this was used before is forgotten: it was made at \(RFC3339.format(use.madeAt)), and of what was "
                + "made for app \(use.app.excerpt) by \(RFC3339.format(forgotten)) the ledger has forgotten some of kind "
                + "\(use.kind.name); the policy's window was lengthened, or the clock was ahead or is behind. What was made "
                + "later is judged")
    }

    /// Refuses a commit in which two effects concern the same entry: they could not both be decided against the state
    /// before the commit and then both be applied.
    ///
    /// - Throws: ``LedgerOutage`` with ``LedgerOutage/Code/internalError``.
    package static func requireDistinct(_ effects: [LedgerEffect]) throws(LedgerOutage) {
        guard effects.count > 1 else { return }
        var seen: Set<Entry> = []
        for effect in effects where !seen.insert(Entry(effect.action)).inserted {
            throw LedgerOutage(
                .internalError, "two effects of one commit, one of them for \(effect.check), concern the same entry")
        }
    }

    private enum Entry: Hashable {
        case challenge([UInt8])
        case key(KeyIdentifier)
        case digest([UInt8])

        init(_ action: LedgerEffect.Action) {
            switch action {
            case .consumeChallenge(let value, _, _): self = .challenge(value)
            case .enrol(let key): self = .key(key.identifier)
            case .advanceCounter(let advance): self = .key(advance.key)
            case .rememberDigest(let use): self = .digest(use.digest)
            }
        }
    }
}
