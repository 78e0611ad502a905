import AssayCore
import AssayKeyStore
import FoundationEssentials

/// The rows of a batch: as they are stored, and after each decided write as they will be. The last state of a row is stored once.
struct BatchRows {
    struct Challenge {
        let challenge: IssuedChallenge
        var consumedAt: Date?
        let isNew: Bool
        var isConsumed = false
    }

    struct Key {
        /// What is known of the row.
        enum Content {
            /// What decides about steps and uses.
            case state(KeyState)
            /// All columns, if the batch enrols the key or has an enrolment with a limit.
            case whole(EnrolledKey)
        }

        var content: Content
        let isNew: Bool
        var isAdvanced = false
        /// Whether properties, account or retirement have changed.
        var isChanged = false

        /// The key, if all columns are known.
        var whole: EnrolledKey? {
            if case .whole(let key) = content { key } else { nil }
        }

        var state: KeyState {
            switch content {
            case .state(let state): state
            case .whole(let key):
                KeyState(app: key.app, counters: key.counters, account: key.account, retiredAt: key.retiredAt)
            }
        }

        var counters: CounterState {
            switch content {
            case .state(let state): state.counters
            case .whole(let key): key.counters
            }
        }

        mutating func advance(to counters: CounterState) {
            switch content {
            case .state(var state):
                state.counters = counters
                content = .state(state)
            case .whole(let key): content = .whole(key.with(counters))
            }
            isAdvanced = true
        }
    }

    struct Digest {
        /// The use; nil for one that was stored before.
        let use: UsedDigest?
        let usedAt: Date
    }

    /// Which digests were purged: policy sets their window for each app and kind.
    private struct Origin: Hashable {
        let app: [UInt8]
        let kind: [UInt8]
    }

    let needs: BatchNeeds
    /// The rows at the places of ``BatchNeeds``; nil where nothing is stored.
    private(set) var challenges: [Challenge?]
    private(set) var keys: [Key?]
    private(set) var digests: [Digest?]
    /// Further keys of accounts whose number counts. Their names are in them.
    private(set) var otherKeys: [Key] = []
    private var blocks: [RowKey: LedgerBlock] = [:]
    private var forgotten: [Origin: Date] = [:]

    /// Reads the rows of ``BatchNeeds/steps(_:)``.
    init(_ needs: BatchNeeds, _ results: ArraySlice<StatementRows>) throws(StoredValueError) {
        self.needs = needs
        challenges = Array(repeating: nil, count: needs.challenges.keys.count)
        keys = Array(repeating: nil, count: needs.keys.keys.count)
        digests = Array(repeating: nil, count: needs.digests.keys.count)
        var results = results
        if !needs.accountLocks.isEmpty { _ = results.popFirst() }
        if !challenges.isEmpty, let rows = results.popFirst() {
            try rows.each("challenge") { row throws(StoredValueError) in
                let stored = try row.challenge()
                guard let place = needs.challenges.place(of: RowKey(key: try row.bytes(0))) else { throw row.error(0) }
                challenges[place] = Challenge(
                    challenge: stored.challenge, consumedAt: stored.consumedAt, isNew: false)
            }
        }
        if !keys.isEmpty, let rows = results.popFirst() { try loadKeys(rows) }
        if !needs.blocks.isEmpty || !needs.subjects.keys.isEmpty, let rows = results.popFirst() {
            try rows.each("standing") { row throws(StoredValueError) in
                let standing = try row.standing()
                blocks[RowKey(standing.subject)] = standing.block
            }
        }
        if !digests.isEmpty, let rows = results.popFirst() { try loadDigests(rows) }
    }

    private mutating func loadKeys(_ rows: StatementRows) throws(StoredValueError) {
        let isWhole = !needs.enrolled.isEmpty
        let columns = isWhole ? StoredRow.StateColumns.ofKeys : StoredRow.StateColumns.alone
        try rows.each("enrolled_key") { row throws(StoredValueError) in
            guard let place = needs.keys.place(of: RowKey(key: try row.bytes(0))) else {
                otherKeys.append(Key(content: .whole(try row.key()), isNew: false))
                return
            }
            let content: Key.Content
            if isWhole, !needs.accounts.isEmpty || needs.enrolled.contains(place) {
                content = .whole(try row.key())
            } else {
                content = .state(try row.keyState(columns))
            }
            keys[place] = Key(content: content, isNew: false)
        }
    }

    private mutating func loadDigests(_ rows: StatementRows) throws(StoredValueError) {
        try rows.each("used_digest") { row throws(StoredValueError) in
            let time = try row.date(4)
            if try row.integer(0) == 0 {
                guard let place = needs.digests.place(of: RowKey(key: try row.bytes(1))) else { throw row.error(1) }
                digests[place] = Digest(use: nil, usedAt: time)
            } else {
                forgotten[Origin(app: try row.bytes(2), kind: try row.bytes(3))] = time
            }
        }
    }

    /// Decides the writes of the batch one after the other, each against the state that the ones before it leave, and applies those
    /// of which nothing is refused.
    ///
    /// - Parameter quarantineEnd: the end of the ledger's quarantine; nil for none.
    /// - Returns: an answer for each; the outage ``OutageCode/forgotten`` or ``OutageCode/quarantine`` for a write of which nothing
    ///   is applied.
    mutating func decide(
        _ batch: [PendingWrite], quarantineEnd: Date?
    ) -> [Result<BatchAnswer, LedgerOutage>] {
        var place = 0
        var answers: [Result<BatchAnswer, LedgerOutage>] = []
        answers.reserveCapacity(batch.count)
        for index in batch.indices {
            switch batch[index].write {
            case .issue(let challenge):
                let isNew = challenges[needs.places[place]] == nil
                if isNew {
                    challenges[needs.places[place]] = Challenge(challenge: challenge, consumedAt: nil, isNew: true)
                }
                answers.append(.success(.issued(isNew)))
                place += 1
            case .commit(let effects):
                do throws(LedgerOutage) {
                    if let quarantineEnd {
                        try LedgerRules.requireOutsideQuarantine(effects, until: quarantineEnd, at: batch[index].now)
                    }
                    answers.append(.success(.decided(try decide(effects, from: place, at: batch[index].now))))
                } catch {
                    answers.append(.failure(error))
                }
                place += effects.count
            case .prove: answers.append(.success(.proved))
            }
        }
        return answers
    }

    /// - Parameter first: where the places of the effects begin.
    private mutating func decide(
        _ effects: [LedgerEffect], from first: Int, at now: Date
    ) throws(LedgerOutage) -> CommitOutcome {
        var decisions: [LedgerRefusal?] = []
        decisions.reserveCapacity(effects.count)
        for index in effects.indices {
            decisions.append(try refusal(of: effects[index].action, needs.places[first + index], at: now))
        }
        let outcome = CommitOutcome(decisions: decisions)
        guard outcome.isApplied else { return outcome }
        var enrolment: EnrolmentNote?
        for index in effects.indices {
            enrolment = apply(effects[index].action, needs.places[first + index], at: now) ?? enrolment
        }
        return enrolment == nil ? outcome : CommitOutcome(decisions: decisions, enrolment: enrolment)
    }

    private func refusal(
        of action: LedgerEffect.Action, _ place: Int, at now: Date
    ) throws(LedgerOutage) -> LedgerRefusal? {
        switch action {
        case .consumeChallenge(_, let app, let purpose):
            let stored = challenges[place]
            return LedgerRules.refusal(
                consumingFor: app, purpose, stored: stored?.challenge, consumedAt: stored?.consumedAt, at: now)
        case .enrol(let key, let rules):
            return LedgerRules.refusal(
                enrolling: key, rules, stored: keys[place]?.whole, keysOfAccount: others(of: key, rules).count,
                block: block(place), at: now)
        case .advanceCounter(let advance):
            let stored = keys[place]?.state
            return LedgerRules.refusal(
                advancing: advance, stored: stored.map { ($0.app, $0.counters, $0.retiredAt) }, block: block(place),
                at: now)
        case .rememberDigest(let use):
            let stored = digests[place]
            if stored == nil, !forgotten.isEmpty {
                let origin = Origin(app: Array(use.app.utf8), kind: Array(use.kind.name.utf8))
                // Marks are stored in whole microseconds, and compared with what would be stored.
                let rounded = UsedDigest(
                    digest: use.digest, app: use.app, kind: use.kind, madeAt: use.madeAt.stored, usedAt: use.usedAt,
                    until: use.until)
                try LedgerRules.requireRemembered(rounded, forgotten: forgotten[origin])
            }
            return LedgerRules.refusal(rememberingOver: stored?.usedAt)
        case .useKey(let use):
            let stored = keys[place]?.state
            return LedgerRules.refusal(
                using: use, stored: stored.map { ($0.app, $0.account, $0.retiredAt) }, block: block(place), at: now)
        case .confirmUnblocked:
            return LedgerRules.refusal(confirmingOver: blocks[needs.subjects.keys[place]], at: now)
        }
    }

    /// The block on the key at a place, which need not be in force.
    private func block(_ place: Int) -> LedgerBlock? { blocks.isEmpty ? nil : blocks[needs.blocks[place]] }

    /// A key of the batch: at a place of ``BatchNeeds``, or one of the other keys.
    private enum Position {
        case needed(Int)
        case other(Int)
    }

    /// The keys in use of the account that a key is enrolled for, without itself, the first one first. Empty without a limit.
    private func others(of key: EnrolledKey, _ rules: EnrolmentRules) -> [(key: EnrolledKey, position: Position)] {
        guard rules.limit != nil, let account = key.account else { return [] }
        let needed = keys.enumerated().compactMap { place, stored in stored?.whole.map { ($0, Position.needed(place)) }
        }
        let further = otherKeys.enumerated().compactMap { place, stored in
            stored.whole.map { ($0, Position.other(place)) }
        }
        return (needed + further).filter { other, _ in
            other.retiredAt == nil && other.identifier != key.identifier && other.isOf(account: account)
                && other.identifier.engine.isByteEqual(to: key.identifier.engine) && other.app.isByteEqual(to: key.app)
        }.sorted { $0.0.precedes($1.0) }
    }

    /// Applies an action. Returns what is worth reporting of an enrolment.
    private mutating func apply(_ action: LedgerEffect.Action, _ place: Int, at now: Date) -> EnrolmentNote? {
        switch action {
        case .consumeChallenge:
            challenges[place]?.consumedAt = now.stored
            challenges[place]?.isConsumed = true
        case .enrol(let key, let rules):
            let stored = keys[place]
            let others = others(of: key, rules)
            let consequence = LedgerRules.consequence(
                of: key, rules, stored: stored?.whole, keysOfAccount: others.count)
            for (other, position) in others.prefix(consequence.retired) {
                retire(other, position, at: now.stored)
            }
            keys[place] = Key(
                content: .whole(LedgerRules.key(refreshing: stored?.whole, with: key)), isNew: stored?.isNew ?? true,
                isAdvanced: stored?.isAdvanced ?? false, isChanged: true)
            return consequence.note
        case .advanceCounter(let advance):
            guard let counters = keys[place]?.counters else { return nil }
            keys[place]?.advance(to: LedgerRules.counters(after: advance, from: counters))
        case .rememberDigest(let use):
            digests[place] = Digest(use: use, usedAt: use.usedAt.stored)
        case .useKey, .confirmUnblocked: break
        }
        return nil
    }

    private mutating func retire(_ key: EnrolledKey, _ position: Position, at time: Date) {
        switch position {
        case .needed(let place):
            keys[place]?.content = .whole(key.retired(at: time))
            keys[place]?.isChanged = true
        case .other(let place):
            otherKeys[place].content = .whole(key.retired(at: time))
            otherKeys[place].isChanged = true
        }
    }
}

extension Date {
    /// The time as a ledger stores it, in whole microseconds.
    var stored: Date { Date(microseconds: microseconds) }
}
