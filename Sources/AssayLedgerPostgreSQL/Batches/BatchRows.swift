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
        var key: EnrolledKey
        let isNew: Bool
        var isAdvanced = false
        /// Whether properties, account or retirement have changed.
        var isChanged = false
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

    /// A mark that came from a ledger that did not distinguish apps and kinds.
    private static let everyOrigin = Origin(
        app: Array(LedgerRecord.everyApp.utf8), kind: Array(LedgerRecord.everyKind.utf8))

    private(set) var challenges: [RowKey: Challenge] = [:]
    private(set) var keys: [RowKey: Key] = [:]
    private(set) var digests: [RowKey: Digest] = [:]
    private var blocks: [RowKey: LedgerBlock] = [:]
    private var forgotten: [Origin: Date] = [:]

    /// Reads the rows of ``BatchNeeds/steps(_:)``.
    init(_ needs: BatchNeeds, _ results: ArraySlice<StatementRows>) throws(StoredValueError) {
        var results = results
        if !needs.accountLocks.isEmpty { _ = results.popFirst() }
        if !needs.challenges.isEmpty, let rows = results.popFirst() {
            for stored in try rows.map("challenge", { (row) throws(StoredValueError) in try row.challenge() }) {
                challenges[RowKey(stored.challenge.value)] = Challenge(
                    challenge: stored.challenge, consumedAt: stored.consumedAt, isNew: false)
            }
        }
        if !needs.keys.isEmpty, let rows = results.popFirst() {
            for key in try rows.map("enrolled_key", { (row) throws(StoredValueError) in try row.key() }) {
                keys[RowKey(key.identifier)] = Key(key: key, isNew: false)
            }
        }
        if !needs.standings.isEmpty, let rows = results.popFirst() {
            for standing in try rows.map("standing", { (row) throws(StoredValueError) in try row.standing() }) {
                blocks[RowKey(standing.subject)] = standing.block
            }
        }
        if !needs.digests.isEmpty, let rows = results.popFirst() { try loadDigests(rows) }
    }

    private mutating func loadDigests(_ rows: StatementRows) throws(StoredValueError) {
        for number in 0..<rows.count {
            let row = StoredRow(rows: rows, row: number, table: "used_digest")
            let time = try row.date(4)
            if try row.integer(0) == 0 {
                // A key is a name of 64 bytes at most, or the key of a longer one: it is found under its own bytes.
                digests[RowKey(key: try row.bytes(1))] = Digest(use: nil, usedAt: time)
            } else {
                forgotten[Origin(app: try row.bytes(2), kind: try row.bytes(3))] = time
            }
        }
    }

    /// Decides a write against the present state, and applies it if nothing is refused.
    ///
    /// - Throws: ``LedgerOutage`` with ``OutageCode/forgotten``; nothing is applied then.
    mutating func decide(_ write: BatchWrite, at now: Date) throws(LedgerOutage) -> BatchAnswer {
        switch write {
        case .issue(let challenge):
            let key = RowKey(challenge.value)
            guard challenges[key] == nil else { return .issued(false) }
            challenges[key] = Challenge(challenge: challenge, consumedAt: nil, isNew: true)
            return .issued(true)
        case .commit(let effects):
            var decisions: [LedgerRefusal?] = []
            decisions.reserveCapacity(effects.count)
            for effect in effects { decisions.append(try refusal(of: effect.action, at: now)) }
            let outcome = CommitOutcome(decisions: decisions)
            guard outcome.isApplied else { return .decided(outcome) }
            var enrolment: EnrolmentNote?
            for effect in effects { enrolment = apply(effect.action, at: now) ?? enrolment }
            return .decided(CommitOutcome(decisions: decisions, enrolment: enrolment))
        }
    }

    private func refusal(of action: LedgerEffect.Action, at now: Date) throws(LedgerOutage) -> LedgerRefusal? {
        switch action {
        case .consumeChallenge(let value, let app, let purpose):
            let stored = challenges[RowKey(value)]
            return LedgerRules.refusal(
                consumingFor: app, purpose, stored: stored?.challenge, consumedAt: stored?.consumedAt, at: now)
        case .enrol(let key, let rules):
            return LedgerRules.refusal(
                enrolling: key, rules, stored: keys[RowKey(key.identifier)]?.key,
                keysOfAccount: others(of: key, rules).count, block: blocks[BatchNeeds.block(on: key.identifier)],
                at: now)
        case .advanceCounter(let advance):
            let stored = keys[RowKey(advance.key)]?.key
            return LedgerRules.refusal(
                advancing: advance, stored: stored.map { ($0.app, $0.counters, $0.retiredAt) },
                block: blocks[BatchNeeds.block(on: advance.key)], at: now)
        case .rememberDigest(let use):
            let stored = digests[RowKey(use.digest)]
            if stored == nil {
                let origin = Origin(app: Array(use.app.utf8), kind: Array(use.kind.name.utf8))
                let marks = [forgotten[origin], forgotten[Self.everyOrigin]].compactMap { $0 }
                // Marks are stored in whole microseconds, and compared with what would be stored.
                let rounded = UsedDigest(
                    digest: use.digest, app: use.app, kind: use.kind, madeAt: use.madeAt.stored, usedAt: use.usedAt,
                    until: use.until)
                try LedgerRules.requireRemembered(rounded, forgotten: marks.max())
            }
            return LedgerRules.refusal(rememberingOver: stored?.usedAt)
        }
    }

    /// The keys in use of the account that a key is enrolled for, without itself, the first one first. Empty without a limit.
    private func others(of key: EnrolledKey, _ rules: EnrolmentRules) -> [EnrolledKey] {
        guard rules.limit != nil, let account = key.account else { return [] }
        return keys.values.lazy.map(\.key).filter {
            $0.retiredAt == nil && $0.identifier != key.identifier && $0.isOf(account: account)
                && $0.identifier.engine.isByteEqual(to: key.identifier.engine) && $0.app.isByteEqual(to: key.app)
        }.sorted { $0.precedes($1) }
    }

    /// Applies an action. Returns what is worth reporting of an enrolment.
    private mutating func apply(_ action: LedgerEffect.Action, at now: Date) -> EnrolmentNote? {
        switch action {
        case .consumeChallenge(let value, _, _):
            challenges[RowKey(value)]?.consumedAt = now.stored
            challenges[RowKey(value)]?.isConsumed = true
        case .enrol(let key, let rules):
            let name = RowKey(key.identifier)
            let stored = keys[name]
            let others = others(of: key, rules)
            let consequence = LedgerRules.consequence(of: key, rules, stored: stored?.key, keysOfAccount: others.count)
            for other in others.prefix(consequence.retired) {
                keys[RowKey(other.identifier)]?.key = other.retired(at: now.stored)
                keys[RowKey(other.identifier)]?.isChanged = true
            }
            let enrolled = LedgerRules.key(refreshing: stored?.key, with: key)
            keys[name] = Key(
                key: enrolled, isNew: stored?.isNew ?? true, isAdvanced: stored?.isAdvanced ?? false, isChanged: true)
            return consequence.note
        case .advanceCounter(let advance):
            let name = RowKey(advance.key)
            guard let stored = keys[name]?.key else { return nil }
            keys[name]?.key = stored.with(LedgerRules.counters(after: advance, from: stored.counters))
            keys[name]?.isAdvanced = true
        case .rememberDigest(let use):
            digests[RowKey(use.digest)] = Digest(use: use, usedAt: use.usedAt.stored)
        }
        return nil
    }
}

extension Date {
    /// The time as a ledger stores it, in whole microseconds.
    var stored: Date { Date(microseconds: microseconds) }
}
