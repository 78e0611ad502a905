import AssayPrimitives
public import FoundationEssentials

/// The decisions of every ledger, independent of its storage.
///
/// An implementation of ``Ledger/commit(_:at:)`` does the following in one atomic step:
/// 1. Call ``requireDistinct(_:)``; a ledger with a quarantine also ``requireOutsideQuarantine(_:until:at:)``.
/// 2. For each effect, look up the stored entry and call the `refusal` function of its action. For a digest that is not
///    stored, also call ``requireRemembered(_:forgotten:)``.
/// 3. If no effect is refused, apply all: mark the challenge as consumed, insert the key or replace it by
///    ``key(refreshing:with:)`` with its ``consequence(of:_:stored:keysOfAccount:)``, store ``counters(after:from:)``
///    and the digest. The use of a key and the confirmation of a subject change nothing.
///
/// Pass a stored block also if it has ended: these functions call ``LedgerBlock/isInForce(at:)``.
public enum LedgerRules {
    /// How long an expired challenge or digest stays stored, in seconds. The clocks of processes that share a ledger
    /// may differ by this much: none then deletes a digest inside its window. Also, a late challenge counts as expired,
    /// not unknown.
    public static let retention: TimeInterval = 3600

    /// Entries that ended at or before this time may be deleted. When a ledger deletes digests, it keeps their latest
    /// ``UsedDigest/madeAt`` for each app and kind, for ``requireRemembered(_:forgotten:)``.
    ///
    /// - Parameters:
    ///   - now: the time of the write, or the earliest of several. It may lie in the future.
    ///   - clock: the machine's time.
    public static func purgeHorizon(at now: Date, clock: Date) -> Date { min(now, clock) - retention }

    /// Decides whether a challenge may be consumed. Compares app and purpose first: the refusal discloses nothing about
    /// the state of another app's challenge.
    public static func refusal(
        consumingFor app: String, _ purpose: ChallengePurpose, stored: IssuedChallenge?, consumedAt: Date?, at now: Date
    ) -> LedgerRefusal? {
        guard let stored else { return .challengeUnknown }
        guard stored.app.isByteEqual(to: app), stored.purpose == purpose else {
            return .challengeMismatch(app: stored.app, purpose: stored.purpose)
        }
        guard now < stored.expiresAt else { return .challengeExpired(stored.expiresAt) }
        return consumedAt.map { .challengeConsumed($0) }
    }

    /// Decides whether a key may be enrolled.
    ///
    /// - Parameters:
    ///   - stored: the key with the same identifier; nil if it is new.
    ///   - keys: how many other keys of the same engine, app and account are in use. Read only if the rules have a
    ///     limit and the key has an account.
    ///   - block: the block on the key, in force or not.
    public static func refusal(
        enrolling key: EnrolledKey, _ rules: EnrolmentRules, stored: EnrolledKey?, keysOfAccount keys: Int,
        block: LedgerBlock?, at now: Date
    ) -> LedgerRefusal? {
        if let block, block.isInForce(at: now) { return .blocked(block) }
        if let stored {
            guard let keeping = rules.refreshKeeping else { return .keyEnrolled(stored.enrolledAt) }
            guard stored.app.isByteEqual(to: key.app) else { return .keyOfAnotherApp(stored.app) }
            if let retiredAt = stored.retiredAt { return .keyRetired(retiredAt) }
            guard stored.publicKey == key.publicKey else { return .keyPropertyDiffers("public key") }
            if let name = keeping.first(where: { stored.properties[$0] != key.properties[$0] }) {
                return .keyPropertyDiffers(name)
            }
            if let account = stored.account, let other = key.account {
                return account.isByteEqual(to: other) ? nil : .keyOfAnotherAccount
            }
            // A key that belongs to the account already does not count again.
            guard stored.account == nil else { return nil }
        }
        guard key.account != nil, let limit = rules.limit, limit.excess == .refuse, keys >= limit.maximum else {
            return nil
        }
        return .devicesExceeded(keys: keys, maximum: limit.maximum)
    }

    /// The key to store for an enrolment: the stored key, if there is one, with the new properties. A stored key
    /// without an account gets the new one's account.
    public static func key(refreshing stored: EnrolledKey?, with key: EnrolledKey) -> EnrolledKey {
        guard let stored else { return key }
        return EnrolledKey(
            identifier: stored.identifier, app: stored.app, publicKey: stored.publicKey, counters: stored.counters,
            enrolledAt: stored.enrolledAt, properties: key.properties, account: stored.account ?? key.account,
            retiredAt: stored.retiredAt)
    }

    /// The effect of an accepted enrolment on the other keys of its account.
    ///
    /// - Parameters:
    ///   - stored: as for the decision.
    ///   - keys: as for the decision.
    /// - Returns: how many of the other keys to retire, the oldest first, and a note for the verdict.
    public static func consequence(
        of key: EnrolledKey, _ rules: EnrolmentRules, stored: EnrolledKey?, keysOfAccount keys: Int
    ) -> (retired: Int, note: EnrolmentNote?) {
        let refreshed = stored.map { EnrolmentNote.refreshed($0.enrolledAt) }
        guard key.account != nil, stored?.account == nil, let limit = rules.limit, keys >= limit.maximum else {
            return (0, refreshed)
        }
        switch limit.excess {
        case .refuse: return (0, refreshed)
        case .note: return (0, .exceeds(keys: keys + 1, maximum: limit.maximum))
        case .retireOldest:
            let count = keys + 1 - limit.maximum
            return (count, .retired(keys: count, maximum: limit.maximum))
        }
    }

    /// Decides whether a counter may advance. `stored` is nil if the key is not enrolled; `block` may be in force or
    /// not.
    public static func refusal(
        advancing advance: CounterAdvance, stored: (app: String, counters: CounterState, retiredAt: Date?)?,
        block: LedgerBlock?, at now: Date
    ) -> LedgerRefusal? {
        if let block, block.isInForce(at: now) { return .blocked(block) }
        guard let stored else { return .keyUnknown }
        guard stored.app.isByteEqual(to: advance.app) else { return .keyOfAnotherApp(stored.app) }
        if let retiredAt = stored.retiredAt { return .keyRetired(retiredAt) }
        return advance.refusal(from: stored.counters)
    }

    /// Decides whether an enrolled key may be used. `stored` is nil if the key is not enrolled; `block` need not be in force.
    public static func refusal(
        using use: KeyUse, stored: (app: String, account: String?, retiredAt: Date?)?, block: LedgerBlock?, at now: Date
    ) -> LedgerRefusal? {
        if let block, block.isInForce(at: now) { return .blocked(block) }
        guard let stored else { return .keyUnknown }
        guard stored.app.isByteEqual(to: use.app) else { return .keyOfAnotherApp(stored.app) }
        if let retiredAt = stored.retiredAt { return .keyRetired(retiredAt) }
        guard let account = use.account else { return nil }
        return stored.account?.isByteEqual(to: account) == true ? nil : .keyOfAnotherAccount
    }

    /// Decides whether a subject is still not blocked. `block` need not be in force.
    public static func refusal(confirmingOver block: LedgerBlock?, at now: Date) -> LedgerRefusal? {
        if let block, block.isInForce(at: now) { .blocked(block) } else { nil }
    }

    /// The counters to store after an advance that is not refused.
    public static func counters(after advance: CounterAdvance, from stored: CounterState) -> CounterState {
        stored.accepting(advance.counter, advance.rule)
    }

    /// Decides whether a digest may be used. `usedAt` is nil if the digest is not stored. A stored digest is refused
    /// even after its window: another policy may judge the same token with a longer window.
    public static func refusal(rememberingOver usedAt: Date?) -> LedgerRefusal? {
        usedAt.map { .digestUsed($0) }
    }

    /// Throws if the ledger may have deleted the digest of this use.
    ///
    /// A deleted digest left its window at least ``retention`` ago. A token made no later than a deleted one of the
    /// same app and kind can be fresh only if the window was lengthened since, or if the clock was ahead.
    ///
    /// - Parameter forgotten: the latest ``UsedDigest/madeAt`` of deleted digests of this app and kind; nil for none.
    /// - Throws: ``LedgerOutage`` with ``OutageCode/forgotten``.
    public static func requireRemembered(_ use: UsedDigest, forgotten: Date?) throws(LedgerOutage) {
        guard let forgotten, use.madeAt <= forgotten else { return }
        throw LedgerOutage(
            .forgotten,
            "the ledger cannot decide whether this was used before: it was made at \(RFC3339.format(use.madeAt)), and the "
                + "ledger has deleted entries of kind \(use.kind.name) and app \(use.app.excerpt) that were made up to "
                + "\(RFC3339.format(forgotten)); the policy's window was lengthened, or a clock was wrong. Evidence made "
                + "later is judged")
    }

    /// Throws during a quarantine for effects that would accept evidence without one of the ledger's challenges: what was used after
    /// the backup is not in the restored ledger, so that its counters, keys and digests do not show whether this was.
    ///
    /// - Parameter end: the end of the quarantine; nil for none.
    /// - Throws: ``LedgerOutage`` with ``OutageCode/quarantine``.
    public static func requireOutsideQuarantine(
        _ effects: [LedgerEffect], until end: Date?, at now: Date
    ) throws(LedgerOutage) {
        guard let end, now < end else { return }
        var isUse = false
        for effect in effects {
            if case .consumeChallenge = effect.action { return }
            isUse = isUse || effect.action.isChange
        }
        guard isUse else { return }
        throw LedgerOutage(
            .quarantine,
            "the ledger was restored, and is in quarantine until \(RFC3339.format(end)): it cannot decide whether this was used "
                + "before. Evidence with a challenge of this ledger is judged")
    }

    /// How long an operator's token is valid if no end is given, in seconds: 30 days, as for an allowance.
    public static let operatorLifetime: TimeInterval = 30 * 86_400

    /// Why a text cannot be the name of an operator; nil if it can. A name has 1 to 255 bytes, no control or invisible
    /// characters, and no space at its ends: two operators must not look the same in the audit trail. It is none of
    /// ``reservedNames`` in any case of its letters, and not `user` with a number: the audit trail has these names for changes
    /// without a token.
    public static func objection(toOperatorName name: String) -> String? {
        if let objection = objection(toAuthorName: name) { return objection }
        let lowercase = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let isNumbered =
            lowercase.starts(with: "user ".utf8) && lowercase.dropFirst(5).allSatisfy { (0x30...0x39).contains($0) }
        guard isNumbered || reservedNames.contains(where: { lowercase.elementsEqual($0.utf8) }) else { return nil }
        return
            "the audit trail has the name \(name.excerpt) for changes that no operator's token made; choose another one"
    }

    /// Names that the audit trail has for authors without a token: the superuser, the peer of a unix socket whose login name is not
    /// known, and an entry without a name.
    public static let reservedNames = ["root", unknownPeer, "(not named)"]

    /// The author of changes through a unix socket by a user without a login name.
    public static let unknownPeer = "unix-socket"

    /// Why a text cannot name the author of a change, such as a login name; nil if it can. Its form is that of
    /// ``objection(toOperatorName:)``, and no name is reserved.
    public static func objection(toAuthorName name: String) -> String? { KeyName.objection(to: name) }

    /// Decides whether an operator may be added, at its ``LedgerOperator/addedAt``.
    ///
    /// - Parameters:
    ///   - sameName: the stored operators of the same name, in any state.
    ///   - isTokenKnown: whether an operator in any state has the same hash.
    public static func refusal(
        adding new: LedgerOperator, sameName: [LedgerOperator], isTokenKnown: Bool
    ) -> OperatorRefusal? {
        if let objection = objection(toOperatorName: new.name) { return .invalidName(objection) }
        guard new.addedAt < new.until else { return .endPassed(new.until) }
        if let live = sameName.first(where: { $0.state(at: new.addedAt) == .live }) {
            return .nameTaken(live.name, until: live.until)
        }
        return isTokenKnown ? .tokenTaken : nil
    }

    /// Decides whether an operator may add another one, by the ends of their tokens: a token never outlives that of its
    /// creator. A service calls this; the command line has no creator.
    public static func refusal(adding new: LedgerOperator, creator: LedgerOperator) -> OperatorRefusal? {
        new.until <= creator.until ? nil : .endsAfterCreator(creator.until)
    }

    /// The operator to report for a revocation by name: among those not revoked, the one that ends last; nil if there
    /// is none. The ledger revokes all of them, expired ones too, because the clocks of processes differ.
    public static func revocable(among sameName: [LedgerOperator]) -> LedgerOperator? {
        sameName.filter { $0.revokedAt == nil }.max { $0.until < $1.until }
    }

    /// The operators that an operator added, directly or through operators that it added, by name.
    ///
    /// The ledger knows only the name of who added an operator. So an operator of any state counts, and an addition counts while the
    /// operator who made it had its token: from its own addition to its end or revocation. ``retention`` is the tolerance for clocks
    /// that differ.
    ///
    /// - Returns: the names of those that are not revoked, in the order of their addition, without `name`. A name of which only
    ///   another operator is live is left out.
    public static func descendants(
        ofOperator name: String, among all: [LedgerOperator], at now: Date
    ) -> [String] {
        let sorted = all.sorted { $0.addedAt < $1.addedAt }
        var isDescendant = sorted.map { _ in false }
        var added = sorted.indices.filter { sorted[$0].name.isByteEqual(to: name) }
        while let index = added.popLast() {
            let parent = sorted[index]
            let end = min(parent.until, parent.revokedAt ?? parent.until) + retention
            for child in sorted.indices where !isDescendant[child] {
                guard sorted[child].addedBy?.isByteEqual(to: parent.name) == true,
                    (parent.addedAt - retention...max(end, parent.addedAt)).contains(sorted[child].addedAt)
                else { continue }
                isDescendant[child] = true
                added.append(child)
            }
        }
        var names: [String] = []
        for index in sorted.indices where isDescendant[index] && sorted[index].revokedAt == nil {
            let child = sorted[index]
            let isOfAnother = sorted.indices.contains {
                !isDescendant[$0] && sorted[$0].state(at: now) == .live && sorted[$0].name.isByteEqual(to: child.name)
            }
            guard !isOfAnother, !child.name.isByteEqual(to: name), !names.containsBytes(of: child.name) else {
                continue
            }
            names.append(child.name)
        }
        return names
    }

    /// The block that an allowance cannot replace: the subject's standing, if it is a block in force when the allowance is set.
    public static func block(preventing allowance: LedgerAllowance, of standing: LedgerStanding?) -> LedgerBlock? {
        standing?.block.flatMap { $0.isInForce(at: allowance.since) ? $0 : nil }
    }

    /// Throws `internalError` for a document that no ledger stores: more than ``LedgerDocument/maximumSize`` bytes, or a name that an
    /// operator could not have.
    public static func requireStorable(_ bytes: [UInt8], named name: String) throws(LedgerOutage) {
        if let objection = KeyName.objection(to: name) {
            throw LedgerOutage(.internalError, "no document can have the name \(name.excerpt): \(objection)")
        }
        guard bytes.count <= LedgerDocument.maximumSize else {
            throw LedgerOutage(
                .internalError,
                "the document \(name) has \(bytes.count) bytes; a ledger stores up to \(LedgerDocument.maximumSize)")
        }
    }

    /// Throws `internalError` for two effects that change one entry: the prior state could permit each, but not both.
    public static func requireDistinct(_ effects: [LedgerEffect]) throws(LedgerOutage) {
        guard effects.count > 1 else { return }
        var seen: Set<LedgerEffect.Row> = []
        for effect in effects {
            guard effect.action.isChange, !seen.insert(effect.action.row).inserted else { continue }
            throw LedgerOutage(
                .internalError, "two effects of one commit, one of them for \(effect.check), concern the same entry")
        }
    }
}
