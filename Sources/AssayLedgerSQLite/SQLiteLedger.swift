public import AssayCore
import Dispatch
public import FoundationEssentials
import GRDB
import Synchronization

/// A ledger in one SQLite file, which several processes on one machine may share.
///
/// The ledger answers only after a change would survive a power cut: the file is in write-ahead mode with
/// `synchronous=FULL` (<https://www.sqlite.org/pragma.html#pragma_synchronous>). Concurrent writes share one
/// transaction, on a thread of the ledger. A lone write runs on the caller's thread if the last transaction took less
/// than a millisecond. Times have a resolution of a microsecond. Cancelling a task does not interrupt its write: the
/// caller gets the outcome. The ledger ignores a key that comes with the evidence (``CounterAdvance/supplied``).
///
/// The file also holds the sealed keys of a `SealedKeyStore`.
public final class SQLiteLedger: LedgerAdministration {
    /// Survives a crash and a power cut.
    public var durability: LedgerDurability { .durable }

    /// The path of the file.
    public var path: String { pool.path }

    let pool: DatabasePool
    package let writer: GroupWriter
    let lookUps: LookUpConnections
    let watch: LedgerWatch
    /// Whether the last look-up took more than a millisecond.
    private let isSlow = Atomic<Bool>(false)
    /// Whether a look-up has found a standing. Further ones would ask twice.
    private let hasHadStandings = Atomic<Bool>(false)

    /// The maximum number of challenges, and of digests, per transaction of ``purge(at:)``, to keep the wait of other writes short.
    private static let purgeLimit = 1000
    private let purging: LedgerPurging

    init(pool: DatabasePool, busyWait: BusyWait, purging: LedgerPurging, watch: LedgerWatch) {
        (self.pool, self.purging, self.watch) = (pool, purging, watch)
        lookUps = LookUpConnections(path: pool.path, busyTimeout: busyWait.milliseconds, watch: watch)
        writer = GroupWriter(pool: pool, busyWait: busyWait, purging: purging, watch: watch)
    }

    /// Issues a challenge that may be consumed once, before it expires.
    ///
    /// - Throws: ``LedgerOutage``; also when a challenge with the same value exists.
    public func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        guard case .changed(true) = try await writer.submit(.issue(challenge), at: now) else {
            throw LedgerOutage(.internalError, "a challenge of this value exists in \(path); draw another one")
        }
    }

    /// The enrolled key with an identifier, with its counter; nil for none.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await lookUp { rows in try rows.key(identifier) }
    }

    /// Whether no block and no allowance exists, in force or ended. Without a query as long as no process has written to the file.
    /// False also if that is unknown, and after there was one.
    public var isWithoutStandings: Bool {
        guard !hasHadStandings.load(ordering: .relaxed), !isSlow.load(ordering: .relaxed) else { return false }
        // An outage meets the query that follows, too.
        guard let isWithout = try? timed({ try lookUps.isWithoutStandings(at: $0) }) else { return false }
        if !isWithout { hasHadStandings.store(true, ordering: .relaxed) }
        return isWithout
    }

    /// The blocks and allowances of subjects in force at a time, in the order of the subjects. One statement reads up
    /// to 16 of them.
    public func standings(
        of subjects: [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> [LedgerStanding] {
        if subjects.isEmpty { return [] }
        return try await lookUp { rows in
            try stride(from: 0, to: subjects.count, by: LedgerTables.standingLimit).flatMap { start in
                try rows.standings(of: subjects[start...].prefix(LedgerTables.standingLimit))
            }.filter { $0.isInForce(at: now) }
        }
    }

    /// Applies all effects or none, in one transaction with concurrent writes.
    ///
    /// - Throws: ``LedgerOutage``, after which no effect is applied. Also when two effects concern the same entry.
    public func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        guard case .decided(let outcome) = try await writer.submit(.commit(effects), at: now) else {
            throw LedgerOutage(.internalError, "a commit to \(path) was not decided")
        }
        return outcome
    }

    /// Shows that the ledger takes writes: looks at its files, reads the beginning of each table on a new connection, and makes a
    /// write unless one was durable within the last two seconds.
    public func proveWritable(at now: Date) async throws(LedgerOutage) {
        try watch.requireFiles()
        watch.expire()
        let (path, lookUps) = (path, lookUps)
        let tables: Result<Void, LedgerOutage> = await withCheckedContinuation { continuation in
            // A separate thread: the disk may not answer.
            DispatchQueue(label: "AssayLedger.proof").async {
                let result = Result { try lookUps.prove() }
                continuation.resume(returning: result.mapError { LedgerOutage($0, path: path) })
            }
        }
        try tables.get()
        try await read { _ in }
        try watch.failure.require()
        if writer.hasWritten(within: .seconds(2)) { return }
        try await change(at: now) { tables in
            // Writes the first page of the file, with what it holds.
            let version = try Int.fetchOne(tables.db, sql: "PRAGMA user_version") ?? 0
            try tables.db.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Puts the ledger in quarantine until a time, and removes the open challenges.
    public func quarantine(until end: Date, by operatorName: String?, at now: Date) async throws(LedgerOutage) {
        try await change(at: now) { tables in try tables.quarantine(until: end, by: operatorName, at: now) }
        watch.setQuarantine(until: end)
    }

    /// When the last quarantine ends or has ended.
    public func quarantineEnd() async throws(LedgerOutage) -> Date? {
        try await read { db in try LedgerTables(db).quarantineEnd() }
    }

    /// Blocks a subject. Replaces its block or allowance.
    public func block(_ block: LedgerBlock) async throws(LedgerOutage) {
        try await change(at: block.since) { tables in try tables.block(block) }
    }

    /// Allows a subject what policy would refuse, unless it is blocked. Returns the block.
    @discardableResult
    public func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock? {
        try await change(at: allowance.since, isChange: { $0 == nil }) { tables in
            try tables.allow(allowance)
        }
    }

    /// Removes the subject's block or allowance, and returns it.
    @discardableResult
    public func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        try await change(at: now, isChange: { $0 != nil }) { tables in
            try tables.removeStanding(of: subject, only: kind, by: operatorName, at: now)
        }
    }

    /// All blocks and allowances, sorted by kind and name.
    public func standings() async throws(LedgerOutage) -> [LedgerStanding] {
        try await read { db in try LedgerTables(db).all(LedgerTables.standings) }
    }

    /// The enrolled keys of an account, in the order of their enrolment.
    public func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey] {
        try await read { db in try LedgerTables(db).keys(of: account) }
    }

    /// Moves an enrolled key to another account.
    @discardableResult
    public func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey? {
        try await change(at: now, isChange: { $0.map { !$0.isOf(account: account) } ?? false }) { tables in
            try tables.move(key, to: account, by: operatorName, at: now)
        }
    }

    /// Deletes all challenges and digests that ended long enough ago, in several transactions. Returns the number.
    @discardableResult
    public func purge(at now: Date) async throws(LedgerOutage) -> Int {
        guard let horizon = purging.horizon(at: now) else { return 0 }
        var total = 0
        while true {
            let count = try await change(at: now, isChange: { _ in false }) { tables in
                try tables.purge(expiredBy: horizon, atMost: Self.purgeLimit)
            }
            if count == 0 { return total }
            total += count
        }
    }

    /// Makes a change, in one transaction with concurrent writes. Returns what `body` returned when it is durable.
    ///
    /// - Parameters:
    ///   - isChange: whether `body` changed anything besides purging, by what it returned.
    ///   - body: is run again after a failure that a write beside it may have caused.
    func change<Value: Sendable>(
        at now: Date, isChange: @escaping @Sendable (Value) -> Bool = { _ in true },
        _ body: @escaping @Sendable (inout LedgerTables) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let answer = Mutex<Value?>(nil)
        let write = LedgerWrite.change { tables in
            let value = try body(&tables)
            answer.withLock { $0 = value }
            return isChange(value)
        }
        _ = try await writer.submit(write, at: now)
        guard let value = answer.withLock({ $0 }) else {
            throw LedgerOutage(.internalError, "a change of \(path) gave no answer")
        }
        return value
    }

    /// Finishes pending operations and closes the file. Later operations are outages.
    public func close() async throws(LedgerOutage) {
        let result: Result<Void, LedgerOutage> = await withCheckedContinuation { continuation in
            // Waits for writers and readers, so use a separate thread.
            DispatchQueue(label: "AssayLedger.close").async { [self] in
                writer.refuseFurtherWrites()
                // Behind the pending writes, which still look at the files.
                pool.writeWithoutTransaction { _ in watch.close() }
                lookUps.close()
                continuation.resume(returning: Result { try pool.close() }.mapError { LedgerOutage($0, path: path) })
            }
        }
        try result.get()
    }

    /// Looks up rows. Runs on the caller's thread if the last lookup took less than a millisecond: changing threads
    /// takes longer.
    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (any RowFinder) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        if isSlow.load(ordering: .relaxed) {
            return try await read { [self] db in try timed { _ in try body(LedgerTables(db)) } }
        }
        do { return try timed { try lookUps.find(at: $0, body) } } catch { throw watch.cause(error) }
    }

    /// The operator with the hash of a token, in any state: the caller compares the time.
    func storedOperator(tokenHash: [UInt8]) async throws(LedgerOutage) -> LedgerOperator? {
        if isSlow.load(ordering: .relaxed) {
            return try await lookUp { rows in try rows.storedOperator(tokenHash: tokenHash) }
        }
        do { return try timed { try lookUps.storedOperator(tokenHash: tokenHash, at: $0) } } catch {
            throw watch.cause(error)
        }
    }

    /// - Parameter lookUp: is passed the time at which it begins, of ``LedgerWatch/now``.
    private func timed<Value>(_ lookUp: (UInt64) throws -> Value) rethrows -> Value {
        let start = LedgerWatch.now
        defer { isSlow.store(LedgerWatch.now &- start > 1_000_000, ordering: .relaxed) }
        return try lookUp(start)
    }

    /// Reads a snapshot, without waiting for writers and without blocking the caller's thread.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let watch = watch
        if watch.isDue(at: LedgerWatch.now) { try watch.requireFiles() }
        let result: Result<Value, LedgerOutage> = await withCheckedContinuation { continuation in
            // GRDB's async function throws when the task is cancelled, which would look like an outage.
            pool.asyncRead { database in
                do {
                    let db = try database.get()
                    let now = LedgerWatch.now
                    if watch.isDue(at: now) { try watch.check(at: now, LedgerTables(db), isLatest: false) }
                    continuation.resume(returning: .success(try body(db)))
                } catch {
                    continuation.resume(returning: .failure(watch.cause(error)))
                }
            }
        }
        return try result.get()
    }
}
