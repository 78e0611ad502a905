public import FoundationEssentials

extension LedgerRules {
    /// Decides effects over rows, and applies all of them, or none if one is refused.
    ///
    /// The caller has called ``requireDistinct(_:)`` and ``requireOutsideQuarantine(_:until:at:)``. Inlinable: the
    /// compiler makes a version for each kind of rows.
    @inlinable
    package static func commit<Rows: LedgerRows>(
        _ effects: [LedgerEffect], on rows: inout Rows, at now: Date
    ) throws(Rows.Failure) -> CommitOutcome {
        try exception(committing: effects, on: &rows, at: now) ?? CommitOutcome(applied: effects.count)
    }

    /// Does what ``commit(_:on:at:)`` does. Returns nil if all is applied without a note, so that a thread that decides for others
    /// allocates nothing for them.
    @inlinable
    package static func exception<Rows: LedgerRows>(
        committing effects: [LedgerEffect], on rows: inout Rows, at now: Date
    ) throws(Rows.Failure) -> CommitOutcome? {
        var decisions: [LedgerRefusal?]?
        for index in effects.indices {
            rows.select(effect: index)
            let refusal = try refusal(of: index, in: effects, on: &rows, at: now)
            if decisions == nil, case .some = refusal { decisions = Array(repeating: nil, count: index) }
            decisions?.append(refusal)
        }
        if let decisions { return CommitOutcome(decisions: decisions) }
        var enrolment: EnrolmentNote?
        for index in effects.indices {
            rows.select(effect: index)
            enrolment = try apply(index, of: effects, on: &rows, at: now) ?? enrolment
        }
        return enrolment.map { CommitOutcome(applied: effects.count, enrolment: $0) }
    }

    /// Looks up what an effect is decided on, and decides. Changes nothing. Takes an index: an action as an argument is a copy,
    /// whose references are counted.
    @inlinable
    static func refusal<Rows: LedgerRows>(
        of index: Int, in effects: [LedgerEffect], on rows: inout Rows, at now: Date
    ) throws(Rows.Failure) -> LedgerRefusal? {
        switch effects[index].action {
        case .consumeChallenge(let value, let app, let purpose):
            let stored = try rows.challenge(value, for: app, purpose)
            return refusal(
                consumingFor: app, purpose, stored: stored?.challenge, consumedAt: stored?.consumedAt, at: now)
        case .enrol(let key, let rules):
            return refusal(
                enrolling: key, rules, stored: try rows.key(key.identifier),
                keysOfAccount: try others(of: key, rules, on: &rows).count, block: try rows.block(on: key.identifier),
                at: now)
        case .advanceCounter(let advance):
            return refusal(
                advancing: advance, stored: try rows.counterRow(advance), block: try rows.block(on: advance.key),
                at: now)
        case .rememberDigest(let use):
            let usedAt = try rows.timeOfUse(use.digest)
            if usedAt == nil { try rows.requireRemembered(use) }
            return refusal(rememberingOver: usedAt)
        case .useKey(let use):
            return refusal(using: use, stored: try rows.ownerRow(use.key), block: try rows.block(on: use.key), at: now)
        case .confirmUnblocked(let subject):
            return refusal(confirmingOver: try rows.block(on: subject), at: now)
        }
    }

    /// Applies an effect that is not refused. Returns a note on an enrolment; nil for none.
    @inlinable
    static func apply<Rows: LedgerRows>(
        _ index: Int, of effects: [LedgerEffect], on rows: inout Rows, at now: Date
    ) throws(Rows.Failure) -> EnrolmentNote? {
        switch effects[index].action {
        case .consumeChallenge(let value, let app, let purpose): try rows.consume(value, for: app, purpose, at: now)
        case .enrol(let key, let rules):
            // Without a refresh, a stored key would have been refused.
            let stored = rules.refreshKeeping == nil ? nil : try rows.key(key.identifier)
            let others = try others(of: key, rules, on: &rows)
            let consequence = consequence(of: key, rules, stored: stored, keysOfAccount: others.count)
            for other in others.prefix(consequence.retired) { try rows.retire(other, at: now) }
            try rows.store(self.key(refreshing: stored, with: key), isNew: stored == nil)
            return consequence.note
        case .advanceCounter(let advance): try rows.apply(advance)
        case .rememberDigest(let use): try rows.insert(use)
        case .useKey, .confirmUnblocked: break
        }
        return nil
    }

    /// The keys that count for the limit of an enrolment; none without a limit.
    @inlinable
    static func others<Rows: LedgerRows>(
        of key: EnrolledKey, _ rules: EnrolmentRules, on rows: inout Rows
    ) throws(Rows.Failure) -> [Rows.OtherKey] {
        guard rules.limit != nil, let account = key.account else { return [] }
        return try rows.others(of: key, in: account)
    }
}
