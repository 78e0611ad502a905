public import FoundationEssentials
import Synchronization

/// A ledger in memory: for tests, replays and one-off verification.
///
/// A key that evidence supplies (``CounterAdvance/supplied``) counts as enrolled if the ledger does not have it.
public final class MemoryLedger: LedgerAdministration {
    /// Lost with the process.
    public var durability: LedgerDurability { .ephemeral }

    private let state: Mutex<State>
    // Outside the mutex: engines read this without a lock on every request.
    private let hasStandings = Atomic(false)

    /// Starts an empty ledger.
    public convenience init() { self.init(purging: .byClock { Date() }) }

    /// Starts an empty ledger with another clock for purging, or without purging.
    package init(purging: LedgerPurging) {
        state = Mutex(State(purging: purging))
    }

    /// Issues a challenge. Throws ``LedgerOutage`` when a challenge of the same value exists.
    public func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        let isNew = state.withLock { state in
            guard state.challenges[challenge.value] == nil else { return false }
            state.challenges[challenge.value] = (challenge, nil)
            state.sweep(at: now)
            return true
        }
        if !isNew { throw LedgerOutage(.internalError, "a challenge of this value exists; draw another one") }
    }

    /// The key that was enrolled under an identifier.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        state.withLock { $0.keys[identifier] }
    }

    /// True if no subject is blocked or allowed.
    public var isWithoutStandings: Bool { !hasStandings.load(ordering: .acquiring) }

    /// The blocks and allowances of some subjects that are in force at a time, in the order of the subjects.
    public func standings(
        of subjects: [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> [LedgerStanding] {
        if isWithoutStandings { return [] }
        return state.withLock { state in
            subjects.compactMap { state.standings[$0] }.filter { $0.isInForce(at: now) }
        }
    }

    /// Applies effects, all together or not at all.
    public func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        return try state.withLock { (state) throws(LedgerOutage) in
            var decisions: [LedgerRefusal?] = []
            for effect in effects { decisions.append(try state.refusal(of: effect.action, at: now)) }
            guard CommitOutcome(decisions: decisions).isApplied else { return CommitOutcome(decisions: decisions) }
            var enrolledAt: Date?
            for effect in effects { enrolledAt = state.apply(effect.action, at: now) ?? enrolledAt }
            state.sweep(at: now)
            return CommitOutcome(decisions: decisions, refreshedKeyEnrolledAt: enrolledAt)
        }
    }

    /// Blocks a subject. Replaces its block or allowance.
    public func block(_ block: LedgerBlock) async throws(LedgerOutage) {
        set(.blocked(block), of: block.subject)
    }

    /// Allows a subject what policy would refuse. Replaces its block or allowance.
    public func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) {
        set(.allowed(allowance), of: allowance.subject)
    }

    /// Removes the subject's block or allowance, and returns it.
    @discardableResult
    public func removeStanding(of subject: LedgerSubject) async throws(LedgerOutage) -> LedgerStanding? {
        set(nil, of: subject)
    }

    @discardableResult
    private func set(_ standing: LedgerStanding?, of subject: LedgerSubject) -> LedgerStanding? {
        state.withLock { state in
            let previous = state.standings[subject]
            state.standings[subject] = standing
            hasStandings.store(!state.standings.isEmpty, ordering: .releasing)
            return previous
        }
    }

    /// Deletes all challenges and digests that the purge horizon allows. Returns their number.
    @discardableResult
    public func purge(at now: Date) async throws(LedgerOutage) -> Int {
        state.withLock { $0.purge(at: now) }
    }

    /// Passes every entry to `body`, section by section, each sorted by name.
    public func export(_ body: (LedgerEntry) throws -> Void) async throws {
        let snapshot = state.withLock { $0 }
        for (value, consumedAt) in snapshot.challenges.values.sorted(by: {
            $0.challenge.value.lexicographicallyPrecedes($1.challenge.value)
        }) {
            try body(.challenge(value, consumedAt: consumedAt))
        }
        let keys = snapshot.keys.values.sorted {
            $0.identifier.engine == $1.identifier.engine
                ? $0.identifier.value.lexicographicallyPrecedes($1.identifier.value)
                : $0.identifier.engine < $1.identifier.engine
        }
        for key in keys { try body(.key(key)) }
        for digest in snapshot.digests.values.sorted(by: { $0.digest.lexicographicallyPrecedes($1.digest) }) {
            try body(.digest(digest))
        }
        let standings = snapshot.standings.values.sorted { $0.subject.description < $1.subject.description }
        for block in standings.compactMap(\.block) { try body(.block(block)) }
        for allowance in standings.compactMap(\.allowance) { try body(.allowance(allowance)) }
    }

    /// Applies `keyProblem` to each key; memory has no other damage.
    public func check(
        _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws(LedgerOutage) -> [String] {
        state.withLock { Array($0.keys.values) }
            .compactMap { key in keyProblem(key).map { "\(key.label) \($0)" } }.sorted()
    }

    /// Counts the entries of the ledger at a time.
    public func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        state.withLock { state in
            let current = state.challenges.values.filter { now < $0.challenge.expiresAt }
            let consumed = current.count { $0.consumedAt != nil }
            let standings = state.standings.values.filter { $0.isInForce(at: now) }
            return LedgerSummary(
                openChallenges: current.count - consumed, consumedChallenges: consumed, keys: state.keys.count,
                digests: state.digests.values.count { now < $0.until },
                blocks: standings.count { $0.block != nil }, allowances: standings.count { $0.allowance != nil })
        }
    }
}

private struct State {
    var challenges: [[UInt8]: (challenge: IssuedChallenge, consumedAt: Date?)] = [:]
    var keys: [KeyIdentifier: EnrolledKey] = [:]
    var digests: [[UInt8]: UsedDigest] = [:]
    var standings: [LedgerSubject: LedgerStanding] = [:]
    private let purging: LedgerPurging
    /// The latest `madeAt` of the purged digests.
    private var forgotten: [Origin: Date] = [:]
    private var nextSweep = 4096

    /// App and kind: the policy sets the window of digests for each pair.
    private struct Origin: Hashable {
        let app: [UInt8]
        let kind: EvidenceKind

        init(_ use: UsedDigest) {
            app = Array(use.app.utf8)
            kind = use.kind
        }
    }

    init(purging: LedgerPurging) {
        self.purging = purging
    }

    func refusal(of action: LedgerEffect.Action, at now: Date) throws(LedgerOutage) -> LedgerRefusal? {
        switch action {
        case .consumeChallenge(let value, let app, let purpose):
            let stored = challenges[value]
            return LedgerRules.refusal(
                consumingFor: app, purpose, stored: stored?.challenge, consumedAt: stored?.consumedAt, at: now)
        case .enrol(let key):
            return LedgerRules.refusal(
                enrollingOver: keys[key.identifier]?.enrolledAt, block: block(on: key.identifier), at: now)
        case .enrolOrRefresh(let key, let keeping):
            return LedgerRules.refusal(
                refreshing: key, keeping: keeping, stored: keys[key.identifier], block: block(on: key.identifier),
                at: now)
        case .advanceCounter(let advance):
            return LedgerRules.refusal(
                advancing: advance, stored: key(for: advance).map { ($0.app, $0.counters) },
                block: block(on: advance.key), at: now)
        case .rememberDigest(let use):
            let stored = digests[use.digest]
            if stored == nil, !forgotten.isEmpty {
                try LedgerRules.requireRemembered(use, forgotten: forgotten[Origin(use)])
            }
            return LedgerRules.refusal(rememberingOver: stored?.usedAt)
        }
    }

    /// Applies an action. Returns when the key was enrolled that it has refreshed.
    mutating func apply(_ action: LedgerEffect.Action, at now: Date) -> Date? {
        switch action {
        case .consumeChallenge(let value, _, _): challenges[value]?.consumedAt = now
        case .enrol(let key): keys[key.identifier] = key
        case .enrolOrRefresh(let key, _):
            let stored = keys[key.identifier]
            keys[key.identifier] = LedgerRules.key(refreshing: stored, with: key)
            return stored?.enrolledAt
        case .advanceCounter(let advance):
            keys[advance.key] = key(for: advance).map {
                $0.with(LedgerRules.counters(after: advance, from: $0.counters))
            }
        case .rememberDigest(let use): digests[use.digest] = use
        }
        return nil
    }

    private func block(on key: KeyIdentifier) -> LedgerBlock? {
        standings.isEmpty ? nil : standings[key.subject]?.block
    }

    /// The key for a counter comparison: the ledger's own, else the supplied one if it has the same identifier.
    private func key(for advance: CounterAdvance) -> EnrolledKey? {
        keys[advance.key] ?? advance.supplied.flatMap { $0.identifier == advance.key ? $0 : nil }
    }

    /// Purges whenever the number of entries has doubled: the amortised cost of a commit stays constant.
    mutating func sweep(at now: Date) {
        guard challenges.count + digests.count >= nextSweep else { return }
        purge(at: now)
    }

    /// Deletes what the purge horizon allows. Returns the number of entries.
    @discardableResult
    mutating func purge(at now: Date) -> Int {
        guard let horizon = purging.horizon(at: now) else { return 0 }
        let before = challenges.count + digests.count
        challenges = challenges.filter { $0.value.challenge.expiresAt > horizon }
        for use in digests.values where use.until <= horizon {
            let origin = Origin(use)
            forgotten[origin] = max(forgotten[origin] ?? use.madeAt, use.madeAt)
        }
        digests = digests.filter { $0.value.until > horizon }
        nextSweep = max(4096, 2 * (challenges.count + digests.count))
        return before - challenges.count - digests.count
    }
}
