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
            /// The number of the row as it was read, of which a decision reads the columns that it needs.
            case stored(Int)
            /// All columns, if the batch enrols the key or has an enrolment with a limit.
            indirect case whole(EnrolledKey)
        }

        var content: Content
        let isNew: Bool
        /// The counters after the steps of the batch; nil without a step.
        var advanced: CounterState?
        /// Whether properties, account or retirement have changed.
        var isChanged = false

        /// The key, if all columns are known.
        var whole: EnrolledKey? {
            if case .whole(let key) = content { key } else { nil }
        }

        /// The key, if columns of a stored row have changed that ``isChanged`` means.
        var changed: EnrolledKey? { isChanged && !isNew ? whole : nil }

        mutating func advance(to counters: CounterState) {
            if case .whole(let key) = content { content = .whole(key.with(counters)) }
            advanced = counters
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
    private let storedKeys: StatementRows?
    private(set) var digests: [Digest?]
    /// Further keys of accounts whose number counts.
    private(set) var otherKeys: [RowKey: Key] = [:]
    private var blocks: [RowKey: LedgerBlock] = [:]
    private var forgotten: [Origin: Date] = [:]
    /// Where the places of the effects that are being decided begin, and the place of the one that was selected.
    private var (first, place) = (0, 0)

    init(_ needs: BatchNeeds, _ results: ArraySlice<StatementRows>) throws(StoredValueError) {
        self.needs = needs
        challenges = Array(repeating: nil, count: needs.challenges.count)
        keys = Array(repeating: nil, count: needs.keys.count)
        digests = Array(repeating: nil, count: needs.digests.count)
        var results = results
        if !needs.accountLocks.isEmpty { _ = results.popFirst() }
        let storedChallenges = challenges.isEmpty ? nil : results.popFirst()
        storedKeys = keys.isEmpty ? nil : results.popFirst()
        try storedChallenges?.each("challenge") { row throws(StoredValueError) in
            let stored = try row.challenge()
            guard let place = row.place(in: needs.challenges) else { throw row.error(0) }
            challenges[place] = Challenge(challenge: stored.challenge, consumedAt: stored.consumedAt, isNew: false)
        }
        try loadKeys()
        if !digests.isEmpty, let rows = results.popFirst() { try loadDigests(rows) }
        if needs.hasSubjects, let rows = results.popFirst() {
            try rows.each("standing") { row throws(StoredValueError) in
                let standing = try row.standing()
                blocks[RowKey(standing.subject)] = standing.block
            }
        }
    }

    private mutating func loadKeys() throws(StoredValueError) {
        try storedKeys?.each("enrolled_key") { row throws(StoredValueError) in
            guard let place = row.place(in: needs.keys) else {
                otherKeys[RowKey(key: try row.bytes(0))] = Key(content: .whole(try row.key()), isNew: false)
                return
            }
            let isWhole = !needs.accounts.isEmpty || needs.enrolled.contains(place)
            keys[place] = Key(content: isWhole ? .whole(try row.key()) : .stored(row.row), isNew: false)
        }
    }

    private mutating func loadDigests(_ rows: StatementRows) throws(StoredValueError) {
        try rows.each("used_digest") { row throws(StoredValueError) in
            let time = try row.date(4)
            if try row.integer(0) == 0 {
                guard let place = row.place(in: needs.digests, column: 1) else { throw row.error(1) }
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
    /// - Throws: ``StoredValueError`` for a damaged row, after which nothing may be stored.
    mutating func decide(
        _ batch: [PendingWrite], quarantineEnd: Date?
    ) throws -> [Result<BatchAnswer, LedgerOutage>] {
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
                do {
                    if let quarantineEnd {
                        try LedgerRules.requireOutsideQuarantine(effects, until: quarantineEnd, at: batch[index].now)
                    }
                    let exception = try LedgerRules.exception(committing: effects, on: &self, at: batch[index].now)
                    answers.append(.success(exception.map { .decided($0) } ?? .applied))
                } catch let outage as LedgerOutage {
                    answers.append(.failure(outage))
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
    typealias Failure = any Error

    mutating func select(effect index: Int) { place = needs.places[first + index] }

    func challenge(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose) -> ChallengeRow? {
        challenges[place].map { ($0.challenge, $0.consumedAt) }
    }

    func key(_ identifier: KeyIdentifier) -> EnrolledKey? { keys[place]?.whole }

    func counterRow(_ advance: CounterAdvance) throws -> CounterRow? {
        guard let key = keys[place] else { return nil }
        switch key.content {
        case .stored(let number):
            guard let row = storedKey(number) else { return nil }
            let columns = columnsOfKeys
            return (
                try row.text(columns.app), try key.advanced ?? row.counters(columns), row.dateIfAny(columns.retiredAt)
            )
        case .whole(let whole): return (whole.app, whole.counters, whole.retiredAt)
        }
    }

    func ownerRow(_ identifier: KeyIdentifier) throws -> OwnerRow? {
        switch keys[place]?.content {
        case .stored(let number):
            guard let row = storedKey(number) else { return nil }
            let columns = columnsOfKeys
            return (try row.text(columns.app), try row.textIfAny(columns.account), row.dateIfAny(columns.retiredAt))
        case .whole(let whole): return (whole.app, whole.account, whole.retiredAt)
        case nil: return nil
        }
    }

    private func storedKey(_ number: Int) -> StoredRow? {
        storedKeys.map { StoredRow(rows: $0, row: number, table: "enrolled_key") }
    }

    private var columnsOfKeys: StoredRow.StateColumns { needs.enrolled.isEmpty ? .alone : .ofKeys }

    func others(of key: EnrolledKey, in account: String) -> [EnrolledKey] {
        (keys.compactMap { $0?.whole } + otherKeys.values.compactMap(\.whole)).filter { other in
            other.retiredAt == nil && other.identifier != key.identifier && other.isOf(account: account)
                && other.identifier.engine.isByteEqual(to: key.identifier.engine) && other.app.isByteEqual(to: key.app)
        }.sorted { $0.precedes($1) }
    }

    func timeOfUse(_ digest: [UInt8]) -> Date? { digests[place]?.usedAt }

    func requireRemembered(_ use: UsedDigest) throws {
        guard !forgotten.isEmpty else { return }
        let origin = Origin(app: Array(use.app.utf8), kind: Array(use.kind.name.utf8))
        // Marks are stored in whole microseconds, and compared with what would be stored.
        let rounded = UsedDigest(
            digest: use.digest, app: use.app, kind: use.kind, madeAt: use.madeAt.stored, usedAt: use.usedAt,
            until: use.until)
        try LedgerRules.requireRemembered(rounded, forgotten: forgotten[origin])
    }

    func block(on key: KeyIdentifier) -> LedgerBlock? { blocks.isEmpty ? nil : blocks[RowKey(blockOn: key)] }

    func block(on subject: LedgerSubject) -> LedgerBlock? { blocks.isEmpty ? nil : blocks[RowKey(subject)] }

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
        if let place = unsafe row.bytes.withUnsafeBytes({ unsafe needs.keys.place(of: $0) }) {
            keys[place]?.change(to: retired)
        } else {
            otherKeys[row]?.change(to: retired)
        }
    }

    mutating func apply(_ advance: CounterAdvance) throws {
        var stored = CounterState(greatest: 0)
        if case .window = advance.rule { stored = try counterRow(advance)?.counters ?? stored }
        keys[place]?.advance(to: LedgerRules.counters(after: advance, from: stored))
    }

    mutating func insert(_ use: UsedDigest) { digests[place] = Digest(use: use, usedAt: use.usedAt.stored) }
}

extension Date {
    /// The time as a ledger stores it, in whole microseconds.
    var stored: Date { Date(microseconds: microseconds) }
}
