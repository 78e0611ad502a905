public import AssayCore
public import FoundationEssentials
import GRDB

/// A ledger in one SQLite file, which several processes on one machine may share.
///
/// An answer is given only after it would survive a power cut: the file is in write-ahead mode with
/// `synchronous=FULL` (<https://www.sqlite.org/pragma.html#pragma_synchronous>). Writes that arrive together share one
/// transaction, on a thread of the ledger's; a lone one is made by the thread that asks for it while the disk confirms
/// within a millisecond. Times are kept to the microsecond. A write is not interrupted when its task is cancelled: whoever
/// asked for it gets the outcome. A key that comes with the evidence (``CounterAdvance/supplied``) is ignored.
public final class SQLiteLedger: Ledger {
    /// Survives a crash and a power cut.
    public var durability: LedgerDurability { .durable }

    /// Where the ledger is.
    public var path: String { pool.path }

    let pool: DatabasePool
    package let writer: GroupWriter

    init(pool: DatabasePool, busyWait: BusyWait, forgetting: LedgerForgetting) {
        self.pool = pool
        writer = GroupWriter(pool: pool, busyWait: busyWait, forgetting: forgetting)
    }

    /// Issues a challenge that may be consumed once, before it expires.
    ///
    /// - Throws: ``LedgerOutage``; also when a challenge of the same value exists.
    public func issue(_ challenge: Challenge, at now: Date) async throws(LedgerOutage) {
        guard case .changed(true) = try await writer.submit(.issue(challenge), at: now) else {
            throw LedgerOutage(.internalError, "a challenge of this value exists in \(path); draw another one")
        }
    }

    /// The key that was enrolled under an identifier, with its counter, and nil when there is none.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await read { db in try LedgerTables(db).key(identifier) }
    }

    /// The blocks and allowances of some subjects that are in force at a time, in the order of the subjects, with one
    /// statement for up to a hundred of them.
    public func standings(
        of subjects: [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> [LedgerStanding] {
        if subjects.isEmpty { return [] }
        return try await read { db in
            let tables = LedgerTables(db)
            return try stride(from: 0, to: subjects.count, by: LedgerTables.standingLimit).flatMap { start in
                try tables.standings(of: subjects[start...].prefix(LedgerTables.standingLimit))
            }.filter { $0.isInForce(at: now) }
        }
    }

    /// Applies effects, all together or not at all, in one transaction with whatever else arrives meanwhile.
    ///
    /// - Throws: ``LedgerOutage``; nothing has been applied then. Also when two effects concern the same entry.
    public func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        guard case .decided(let outcome) = try await writer.submit(.commit(effects), at: now) else {
            throw LedgerOutage(.internalError, "a commit to \(path) was not decided")
        }
        return outcome
    }

    /// Blocks a subject, in place of the block or allowance that there may be.
    public func block(_ block: Block) async throws(LedgerOutage) {
        _ = try await writer.submit(.block(block), at: block.since)
    }

    /// Allows a subject what policy would refuse, in place of the block or allowance that there may be.
    public func allow(_ allowance: Allowance) async throws(LedgerOutage) {
        _ = try await writer.submit(.allow(allowance), at: allowance.since)
    }

    /// Lifts the block on a subject, or ends its allowance. Returns what there was.
    @discardableResult
    public func allow(_ subject: LedgerSubject) async throws(LedgerOutage) -> LedgerStanding? {
        guard case .ended(let standing) = try await writer.submit(.endStanding(subject), at: .distantPast) else {
            throw LedgerOutage(.internalError, "lifting a block in \(path) gave no answer")
        }
        return standing
    }

    /// Finishes what has been asked for, and closes the file. Whatever is asked for later is an outage. Blocks the thread
    /// meanwhile.
    public func close() throws(LedgerOutage) {
        writer.refuseFurtherWrites()
        do {
            try pool.close()
        } catch {
            throw LedgerOutage(error, path: path)
        }
    }

    /// Reads from a snapshot, without waiting for writers and without blocking a thread of the caller.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let path = path
        let result: Result<Value, LedgerOutage> = await withCheckedContinuation { continuation in
            // Unlike GRDB's own async function this one ignores cancellation, which would be an outage that is none.
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
