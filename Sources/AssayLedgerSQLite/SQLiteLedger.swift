public import AssayCore
import Dispatch
public import FoundationEssentials
import GRDB
import Synchronization

/// A ledger in one SQLite file, which several processes on one machine may share.
///
/// The ledger answers only after the change would survive a power cut: the file is in write-ahead mode with
/// `synchronous=FULL` (<https://www.sqlite.org/pragma.html#pragma_synchronous>). Writes that arrive together share one
/// transaction, on a thread of the ledger. A lone write runs on the caller's thread if the last transaction took less than a
/// millisecond. Times are kept to the microsecond. Cancelling a task does not interrupt its write: the caller gets the
/// outcome. A key that comes with the evidence (``CounterAdvance/supplied``) is ignored.
///
/// The file also holds the sealed keys of a `SealedKeyStore`.
public final class SQLiteLedger: LedgerAdministration {
    /// Survives a crash and a power cut.
    public var durability: LedgerDurability { .durable }

    /// The path of the file.
    public var path: String { pool.path }

    let pool: DatabasePool
    package let writer: GroupWriter
    private let lookUps: LookUpConnections
    /// Whether the last look-up took more than a millisecond.
    private let isSlow = Atomic<Bool>(false)

    init(pool: DatabasePool, busyWait: BusyWait, purging: LedgerPurging) {
        self.pool = pool
        lookUps = LookUpConnections(path: pool.path, busyTimeout: busyWait.milliseconds)
        writer = GroupWriter(pool: pool, busyWait: busyWait, purging: purging)
    }

    /// Issues a challenge that may be consumed once, before it expires.
    ///
    /// - Throws: ``LedgerOutage``; also when a challenge of the same value exists.
    public func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        guard case .changed(true) = try await writer.submit(.issue(challenge), at: now) else {
            throw LedgerOutage(.internalError, "a challenge of this value exists in \(path); draw another one")
        }
    }

    /// The key that was enrolled under an identifier, with its counter, and nil when there is none.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await lookUp { rows in try rows.key(identifier) }
    }

    /// The blocks and allowances of some subjects that are in force at a time, in the order of the subjects, with one
    /// statement for some of them.
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

    /// Applies effects, all together or not at all, in one transaction with other writes that arrive meanwhile.
    ///
    /// - Throws: ``LedgerOutage``; no effect has been applied then. Also when two effects concern the same entry.
    public func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        guard case .decided(let outcome) = try await writer.submit(.commit(effects), at: now) else {
            throw LedgerOutage(.internalError, "a commit to \(path) was not decided")
        }
        return outcome
    }

    /// Blocks a subject. Replaces its block or allowance.
    public func block(_ block: LedgerBlock) async throws(LedgerOutage) {
        _ = try await writer.submit(.set(.blocked(block)), at: block.since)
    }

    /// Allows a subject what policy would refuse. Replaces its block or allowance.
    public func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) {
        _ = try await writer.submit(.set(.allowed(allowance)), at: allowance.since)
    }

    /// Removes the subject's block or allowance, and returns it.
    @discardableResult
    public func removeStanding(
        of subject: LedgerSubject, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        guard case .removed(let standing) = try await writer.submit(.removeStanding(subject, by: operatorName), at: now)
        else { throw LedgerOutage(.internalError, "removing a standing from \(path) gave no answer") }
        return standing
    }

    /// All blocks and allowances, sorted by kind and name.
    public func standings() async throws(LedgerOutage) -> [LedgerStanding] {
        try await read { db in
            var standings: [LedgerStanding] = []
            try LedgerTables.each(db, LedgerTables.standingColumns, by: "kind, name") {
                standings.append(try LedgerTables.standing($0))
            }
            return standings
        }
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
        guard case .moved(let key, _) = try await writer.submit(.move(key, to: account, by: operatorName), at: now)
        else {
            throw LedgerOutage(.internalError, "moving a key of \(path) gave no answer")
        }
        return key
    }

    /// Deletes all challenges and digests that ended long enough ago, some in each transaction. Returns how many.
    @discardableResult
    public func purge(at now: Date) async throws(LedgerOutage) -> Int {
        var total = 0
        while case .purged(let count) = try await writer.submit(.purge, at: now), count > 0 { total += count }
        return total
    }

    /// Finishes pending operations, and closes the file. Later operations are outages.
    public func close() async throws(LedgerOutage) {
        let result: Result<Void, LedgerOutage> = await withCheckedContinuation { continuation in
            // Waits for writers and readers: on a thread of its own.
            DispatchQueue(label: "AssayLedger.close").async { [self] in
                writer.refuseFurtherWrites()
                lookUps.close()
                continuation.resume(returning: Result { try pool.close() }.mapError { LedgerOutage($0, path: path) })
            }
        }
        try result.get()
    }

    /// Looks up some rows. Runs on the caller's thread if the last look-up took less than a millisecond: a change of threads takes
    /// longer than it does.
    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (any RowFinder) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let timed: @Sendable (any RowFinder) throws -> Value = { [self] rows in
            let start = ContinuousClock.now
            defer { isSlow.store(ContinuousClock.now - start > .milliseconds(1), ordering: .relaxed) }
            return try body(rows)
        }
        if isSlow.load(ordering: .relaxed) { return try await read { db in try timed(LedgerTables(db)) } }
        return try lookUpHere(timed)
    }

    private func lookUpHere<Value: Sendable>(_ body: @Sendable (any RowFinder) throws -> Value) throws(LedgerOutage)
        -> Value
    {
        do { return try lookUps.find(body) } catch { throw LedgerOutage(error, path: path) }
    }

    /// Reads from a snapshot, without waiting for writers and without blocking the caller's thread.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let path = path
        let result: Result<Value, LedgerOutage> = await withCheckedContinuation { continuation in
            // GRDB's async function throws when the task is cancelled, which would look like an outage.
            pool.asyncRead { database in
                do {
                    continuation.resume(returning: .success(try body(database.get())))
                } catch {
                    continuation.resume(returning: .failure(LedgerOutage(error, path: path)))
                }
            }
        }
        return try result.get()
    }
}
