public import FoundationEssentials
import Synchronization

/// A ledger in memory: for tests, replays and one-off verification.
///
/// A key that evidence supplies (``CounterAdvance/supplied``) counts as enrolled if the ledger does not have it.
public final class MemoryLedger: LedgerAdministration {
    /// Lost with the process.
    public var durability: LedgerDurability { .ephemeral }

    let state: Mutex<State>
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
            try LedgerRules.requireOutsideQuarantine(effects, until: state.quarantineEnd, at: now)
            let outcome = try LedgerRules.commit(effects, on: &state, at: now)
            if outcome.isApplied { state.sweep(at: now) }
            return outcome
        }
    }

    /// Removes the open challenges, and refuses evidence without a challenge until a time.
    public func quarantine(until end: Date, by operatorName: String?, at now: Date) async throws(LedgerOutage) {
        state.withLock { state in
            state.challenges = state.challenges.filter { $0.value.consumedAt != nil }
            state.quarantineEnd = end
            state.changes.append(LedgerChange(quarantineUntil: end, by: operatorName, at: now))
        }
    }

    /// When the last quarantine ends or has ended.
    public func quarantineEnd() async throws(LedgerOutage) -> Date? { state.withLock { $0.quarantineEnd } }

    /// Blocks a subject. Replaces its block or allowance.
    public func block(_ block: LedgerBlock) async throws(LedgerOutage) {
        try change { (state) throws(LedgerOutage) in try state.block(block) }
    }

    /// Annotates failures of some policy checks for a subject, unless it is blocked. Returns the block.
    @discardableResult
    public func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock? {
        try change { (state) throws(LedgerOutage) in try state.allow(allowance) }
    }

    /// Makes a change by an operator.
    private func change<Value>(
        _ body: (inout State) throws(LedgerOutage) -> Value
    ) throws(LedgerOutage) -> Value {
        try state.withLock { (state) throws(LedgerOutage) in
            defer { hasStandings.store(!state.standings.isEmpty, ordering: .releasing) }
            return try body(&state)
        }
    }

    /// Removes the subject's block or allowance, and returns it.
    @discardableResult
    public func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        try change { (state) throws(LedgerOutage) in
            try state.removeStanding(of: subject, only: kind, by: operatorName, at: now)
        }
    }

    /// All blocks and allowances, sorted by kind and name.
    public func standings() async throws(LedgerOutage) -> [LedgerStanding] {
        state.withLock { Array($0.standings.values) }.sorted { $0.subject.precedes($1.subject) }
    }

    /// The enrolled keys of an account, in the order of their enrolment.
    public func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey] {
        state.withLock { state in
            state.keys.values.filter { $0.account?.isByteEqual(to: account) ?? false }.sorted { $0.precedes($1) }
        }
    }

    /// Moves an enrolled key to another account.
    @discardableResult
    public func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey? {
        try change { (state) throws(LedgerOutage) in try state.move(key, to: account, by: operatorName, at: now) }
    }

    /// Adds an operator.
    public func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal? {
        try change { (state) throws(LedgerOutage) in try state.add(new, tokenHash: tokenHash) }
    }

    /// Revokes the operator with a name, and its descendants. Returns them as they were before.
    @discardableResult
    public func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] {
        try change { (state) throws(LedgerOutage) in
            try state.revokeOperator(named: name, withDescendants: withDescendants, by: operatorName, at: now)
        }
    }

    /// All operators, sorted by name and time.
    public func operators() async throws(LedgerOutage) -> [LedgerOperator] {
        state.withLock { Array($0.operators.values) }.sorted { $0.precedes($1) }
    }

    /// The operator with a token hash, if it is live at a time.
    public func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        state.withLock { $0.operators[tokenHash] }.flatMap { $0.state(at: now) == .live ? $0 : nil }
    }

    /// The document with a name.
    public func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        state.withLock { $0.documents[Array(name.utf8)]?.document }
    }

    /// Stores a document if the stored revision is the expected one, with entries of the audit trail.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, recording changes: [LedgerChange], at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(bytes, named: name)
        return state.withLock { state in
            let key = Array(name.utf8)
            guard (state.documents[key]?.document.revision ?? 0) == revision else { return false }
            let document = LedgerDocument(
                bytes: bytes, revision: revision + 1, storedAt: Date(microseconds: now.microseconds))
            state.documents[key] = (name, document)
            state.changes += changes
            return true
        }
    }

    /// Appends an entry to the audit trail, and changes nothing else.
    public func record(_ change: LedgerChange) async throws(LedgerOutage) {
        state.withLock { $0.changes.append(change) }
    }

    /// Passes the changes by hand. This ledger does not chain them by hashes.
    @concurrent public func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws {
        for (index, change) in state.withLock({ $0.changes }).enumerated() {
            try body(LedgerAuditEntry(number: index + 1, change: change, previousHash: [], hash: []))
        }
    }

    /// Passes the changes by hand. There is no difference: no other program can write to memory.
    @concurrent public func replayAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws -> [String] {
        try await audit(body)
        return []
    }

    /// Deletes all challenges and digests that the purge horizon allows. Returns their number.
    @discardableResult
    public func purge(at now: Date) async throws(LedgerOutage) -> Int {
        state.withLock { $0.purge(at: now) }
    }

    /// Passes every entry to `body`, section by section, each sorted by name.
    @concurrent public func export(_ body: (LedgerEntry) throws -> Void) async throws {
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
        for stored in snapshot.operators.values.sorted(by: { $0.precedes($1) }) { try body(.operator(stored)) }
        for (_, stored) in snapshot.documents.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            try body(.document(stored.document, named: stored.name))
        }
        for task in snapshot.tasks.all { try body(.task(task)) }
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
                blocks: standings.count { $0.block != nil }, allowances: standings.count { $0.allowance != nil },
                operators: state.operators.values.count { $0.state(at: now) == .live },
                documents: state.documents.count, tasks: state.tasks.count)
        }
    }
}

extension MemoryLedger {
    struct State {
        var challenges: [[UInt8]: (challenge: IssuedChallenge, consumedAt: Date?)] = [:]
        var keys: [KeyIdentifier: EnrolledKey] = [:]
        var digests: [[UInt8]: UsedDigest] = [:]
        var standings: [LedgerSubject: LedgerStanding] = [:]
        /// The operators, by the hashes of their tokens.
        var operators: [[UInt8]: LedgerOperator] = [:]
        /// The documents, by the bytes of their names.
        var documents: [[UInt8]: (name: String, document: LedgerDocument)] = [:]
        var tasks = MemoryTasks()
        var changes: [LedgerChange] = []
        var quarantineEnd: Date?
        private let purging: LedgerPurging
        /// The latest `madeAt` of the purged digests.
        fileprivate var forgotten: [DigestOrigin: Date] = [:]
        private var nextSweep = 4096

        init(purging: LedgerPurging) {
            self.purging = purging
        }

        /// Purges when the number of entries has doubled: the amortised cost of a commit stays constant.
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
                let origin = DigestOrigin(use)
                forgotten[origin] = max(forgotten[origin] ?? use.madeAt, use.madeAt)
            }
            digests = digests.filter { $0.value.until > horizon }
            nextSweep = max(4096, 2 * (challenges.count + digests.count))
            return before - challenges.count - digests.count
        }
    }
}

extension MemoryLedger.State: LedgerRows {
    typealias Failure = LedgerOutage

    func challenge(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose) -> ChallengeRow? {
        challenges[value]
    }

    func key(_ identifier: KeyIdentifier) -> EnrolledKey? { keys[identifier] }

    func counterRow(_ advance: CounterAdvance) -> CounterRow? {
        key(for: advance).map { ($0.app, $0.counters, $0.retiredAt) }
    }

    /// The key for a counter comparison: the ledger's own. Without one, the supplied key if it has the same identifier.
    private func key(for advance: CounterAdvance) -> EnrolledKey? {
        keys[advance.key] ?? advance.supplied.flatMap { $0.identifier == advance.key ? $0 : nil }
    }

    func ownerRow(_ identifier: KeyIdentifier) -> OwnerRow? {
        keys[identifier].map { ($0.app, $0.account, $0.retiredAt) }
    }

    func others(of key: EnrolledKey, in account: String) -> [EnrolledKey] {
        keys.values.filter {
            $0.retiredAt == nil && $0.identifier != key.identifier && $0.isOf(account: account)
                && $0.identifier.engine == key.identifier.engine && $0.app.isByteEqual(to: key.app)
        }.sorted { $0.precedes($1) }
    }

    func timeOfUse(_ digest: [UInt8]) -> Date? { digests[digest]?.usedAt }

    func requireRemembered(_ use: UsedDigest) throws(LedgerOutage) {
        guard !forgotten.isEmpty else { return }
        try LedgerRules.requireRemembered(use, forgotten: forgotten[DigestOrigin(use)])
    }

    func block(on key: KeyIdentifier) -> LedgerBlock? { standings.isEmpty ? nil : block(on: key.subject) }

    func block(on subject: LedgerSubject) -> LedgerBlock? { standings[subject]?.block }

    mutating func consume(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose, at now: Date) {
        challenges[value]?.consumedAt = now
    }

    mutating func store(_ key: EnrolledKey, isNew: Bool) { keys[key.identifier] = key }

    mutating func retire(_ other: EnrolledKey, at now: Date) { keys[other.identifier] = other.retired(at: now) }

    mutating func apply(_ advance: CounterAdvance) {
        keys[advance.key] = key(for: advance).map {
            $0.with(LedgerRules.counters(after: advance, from: $0.counters))
        }
    }

    mutating func insert(_ use: UsedDigest) { digests[use.digest] = use }
}

extension MemoryLedger.State: AdministrationRows {
    func standing(of subject: LedgerSubject) -> LedgerStanding? { standings[subject] }

    mutating func set(_ standing: LedgerStanding) { standings[standing.subject] = standing }

    mutating func deleteStanding(of subject: LedgerSubject) { standings[subject] = nil }

    mutating func setAccount(_ account: String?, of key: KeyIdentifier) { keys[key] = keys[key]?.of(account: account) }

    func operators(named name: String?) -> [LedgerOperator] {
        operators.values.filter { stored in name.map { stored.name.isByteEqual(to: $0) } ?? true }
    }

    func hasOperator(tokenHash: [UInt8]) -> Bool { operators[tokenHash] != nil }

    mutating func insert(_ new: LedgerOperator, tokenHash: [UInt8]) { operators[tokenHash] = new }

    mutating func revokeOperators(named name: String, by operatorName: String?, at now: Date) {
        for (hash, stored) in operators where stored.revokedAt == nil && stored.name.isByteEqual(to: name) {
            operators[hash] = stored.revoked(by: operatorName, at: now)
        }
    }

    mutating func append(_ changes: [LedgerChange]) { self.changes += changes }
}
