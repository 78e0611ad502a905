import AssayCore
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

        /// The key, if columns of a stored row have changed that ``isChanged`` means.
        var changed: EnrolledKey? { isChanged && !isNew ? whole : nil }

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

        mutating func change(to key: EnrolledKey) {
            content = .whole(key)
            isChanged = true
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
    /// Further keys of accounts whose number counts.
    private(set) var otherKeys: [RowKey: Key] = [:]
    private var blocks: [RowKey: LedgerBlock] = [:]
    private var forgotten: [Origin: Date] = [:]
    /// Where the places of the effects that are being decided begin, and the place of the one that was selected.
    private var (first, place) = (0, 0)

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
            let key = RowKey(key: try row.bytes(0))
            guard let place = needs.keys.place(of: key) else {
                otherKeys[key] = Key(content: .whole(try row.key()), isNew: false)
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
        first = 0
        var answers: [Result<BatchAnswer, LedgerOutage>] = []
        answers.reserveCapacity(batch.count)
        for index in batch.indices {
            switch batch[index].write {
            case .issue(let challenge):
                let place = needs.places[first]
                let isNew = challenges[place] == nil
                if isNew { challenges[place] = Challenge(challenge: challenge, consumedAt: nil, isNew: true) }
                answers.append(.success(.issued(isNew)))
                first += 1
            case .commit(let effects):
                do throws(LedgerOutage) {
                    if let quarantineEnd {
                        try LedgerRules.requireOutsideQuarantine(effects, until: quarantineEnd, at: batch[index].now)
                    }
                    let outcome = try LedgerRules.commit(effects, on: &self, at: batch[index].now)
                    answers.append(.success(.decided(outcome)))
                } catch {
                    answers.append(.failure(error))
                }
                first += effects.count
            case .prove: answers.append(.success(.proved))
            }
        }
        return answers
    }
}

/// Rows at the places of ``BatchNeeds``. Changes are kept, and stored when the batch is decided.
extension BatchRows: LedgerRows {
    typealias Failure = LedgerOutage

    mutating func select(effect index: Int) { place = needs.places[first + index] }

    func challenge(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose) -> ChallengeRow? {
        challenges[place].map { ($0.challenge, $0.consumedAt) }
    }

    func key(_ identifier: KeyIdentifier) -> EnrolledKey? { keys[place]?.whole }

    func counterRow(_ advance: CounterAdvance) -> CounterRow? {
        (keys[place]?.state).map { ($0.app, $0.counters, $0.retiredAt) }
    }

    func ownerRow(_ identifier: KeyIdentifier) -> OwnerRow? {
        (keys[place]?.state).map { ($0.app, $0.account, $0.retiredAt) }
    }

    func others(of key: EnrolledKey, in account: String) -> [EnrolledKey] {
        (keys.compactMap { $0?.whole } + otherKeys.values.compactMap(\.whole)).filter { other in
            other.retiredAt == nil && other.identifier != key.identifier && other.isOf(account: account)
                && other.identifier.engine.isByteEqual(to: key.identifier.engine) && other.app.isByteEqual(to: key.app)
        }.sorted { $0.precedes($1) }
    }

    func timeOfUse(_ digest: [UInt8]) -> Date? { digests[place]?.usedAt }

    func requireRemembered(_ use: UsedDigest) throws(LedgerOutage) {
        guard !forgotten.isEmpty else { return }
        let origin = Origin(app: Array(use.app.utf8), kind: Array(use.kind.name.utf8))
        // Marks are stored in whole microseconds, and compared with what would be stored.
        let rounded = UsedDigest(
            digest: use.digest, app: use.app, kind: use.kind, madeAt: use.madeAt.stored, usedAt: use.usedAt,
            until: use.until)
        try LedgerRules.requireRemembered(rounded, forgotten: forgotten[origin])
    }

    func block(on key: KeyIdentifier) -> LedgerBlock? { blocks.isEmpty ? nil : blocks[needs.blocks[place]] }

    func block(on subject: LedgerSubject) -> LedgerBlock? { blocks[needs.subjects.keys[place]] }

    mutating func consume(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose, at now: Date) {
        challenges[place]?.consumedAt = now.stored
        challenges[place]?.isConsumed = true
    }

    mutating func store(_ key: EnrolledKey, isNew: Bool) {
        if isNew {
            keys[place] = Key(content: .whole(key), isNew: true)
        } else {
            keys[place]?.change(to: key)
        }
    }

    mutating func retire(_ other: EnrolledKey, at now: Date) {
        let row = RowKey(other.identifier)
        let retired = other.retired(at: now.stored)
        if let place = needs.keys.place(of: row) {
            keys[place]?.change(to: retired)
        } else {
            otherKeys[row]?.change(to: retired)
        }
    }

    mutating func apply(_ advance: CounterAdvance) {
        guard let counters = keys[place]?.counters else { return }
        keys[place]?.advance(to: LedgerRules.counters(after: advance, from: counters))
    }

    mutating func insert(_ use: UsedDigest) { digests[place] = Digest(use: use, usedAt: use.usedAt.stored) }
}

extension Date {
    /// The time as a ledger stores it, in whole microseconds.
    var stored: Date { Date(microseconds: microseconds) }
}
