public import AssayCore
public import FoundationEssentials

/// A ledger in a PostgreSQL database, which servers on several machines may share.
///
/// A commit is answered when it would survive a power cut of the server, and with synchronous standbys also the loss of the server.
/// Writes that arrive together share one transaction of two round trips, on two connections with threads of their own. Times
/// are kept to the microsecond. Cancelling a task does not interrupt its write: the caller gets the outcome. A key that comes
/// with the evidence (``CounterAdvance/supplied``) is ignored.
///
/// If the answer of a commit is lost, the ledger finds out on a new connection whether it was applied. If it cannot,
/// `OutageCode.undetermined` is thrown: the evidence is not accepted, but its challenge or counter may be used up.
///
/// The database also holds the sealed keys of a `SealedKeyStore`.
public final class PostgreSQLLedger: LedgerAdministration {
    /// Survives a crash and a power cut, unless ``isDurabilityWaived``. It is never ephemeral, which would let evidence bring keys.
    public var durability: LedgerDurability { .durable }

    /// Whether the URL says `durability=waived`: a server that may forget what it has committed is used all the same.
    public var isDurabilityWaived: Bool { target.isDurabilityWaived }

    /// The URL. It contains no password.
    public var place: String { target.place }

    /// What the ledger has done since it was opened.
    public var counts: PostgreSQLLedgerCounts { counters.current }

    let target: ConnectionTarget
    let statements: LedgerStatements
    let office: AdministrationThread
    let counters: LedgerCounters
    let purger: BackgroundPurge
    private let writes = WorkQueue<PendingWrite>(batchLimit: WriterThread.batchLimit)
    private let lookUps = WorkQueue<LookUp>(batchLimit: LookUpThread.limit)
    private let threads = LedgerThreads()

    /// How many connections write, and how many only read.
    private static let (writers, readers) = (2, 2)

    init(
        _ target: ConnectionTarget, purging: LedgerPurging, demand: ConnectionHolder.Demand = .ledger
    ) {
        self.target = target
        let statements = LedgerStatements(schema: target.schema)
        self.statements = statements
        let counters = LedgerCounters(isDurabilityWaived: target.isDurabilityWaived)
        self.counters = counters
        let office = AdministrationThread(target, demand: demand, threads: threads)
        self.office = office
        let purger = BackgroundPurge(statements: statements, purging: purging, office: office, counters: counters)
        self.purger = purger
        for number in 1...Self.writers {
            threads.start("AssayLedger.writer\(number)") { [writes] in
                WriterThread(queue: writes, target: target, statements: statements, counters: counters) {
                    purger.begin(at: $0)
                }.run()
            }
        }
        for number in 1...Self.readers {
            threads.start("AssayLedger.reader\(number)") { [lookUps] in
                LookUpThread(queue: lookUps, target: target).run()
            }
        }
    }

    deinit {
        writes.close()
        lookUps.close()
        office.close()
    }

    /// Opens a ledger that `assay ledger create` or ``create(_:grantingTo:)`` has made.
    ///
    /// - Parameter url: `postgresql://[user@]host[:port][,host...]/database[?schema=NAME&...]`, without a password.
    /// - Throws: ``PostgreSQLURLError``, or ``LedgerOutage``: ``OutageCode/unreachable`` without a server, a ledger or libpq,
    ///   ``OutageCode/corrupt`` for a schema of something else, ``OutageCode/newerSchema``, `OutageCode.notDurable` and
    ///   ``OutageCode/readOnly`` for a standby.
    public static func open(_ url: String) async throws -> PostgreSQLLedger {
        try await open(url, purging: .byClock { Date() })
    }

    /// What is wrong with a URL; nil for nothing, and without libpq, which ``open(_:)`` then reports.
    public static func objection(to url: String) -> PostgreSQLURLError? {
        guard ConnectionTarget.missingLibrary == nil else { return nil }
        do throws(PostgreSQLURLError) { _ = try ConnectionTarget(url) } catch { return error }
        return nil
    }

    /// The same text for all URLs of one ledger that name its servers alike; the URL itself if it cannot be read.
    package static func identity(of url: String) -> String { (try? ConnectionTarget(url))?.identity ?? url }

    /// The servers that a URL names.
    ///
    /// - Throws: ``PostgreSQLURLError``, or ``LedgerOutage``: ``OutageCode/unreachable`` without libpq.
    static func target(_ url: String) throws -> ConnectionTarget {
        if let missing = ConnectionTarget.missingLibrary { throw LedgerOutage(.unreachable, missing) }
        return try ConnectionTarget(url)
    }

    /// Opens a ledger with another clock for purging.
    package static func open(_ url: String, purging: LedgerPurging) async throws -> PostgreSQLLedger {
        let ledger = PostgreSQLLedger(try target(url), purging: purging)
        do {
            try await ledger.office.run { holder in _ = try holder.current() }
        } catch {
            try await ledger.close()
            throw error
        }
        return ledger
    }

    /// Issues a challenge that may be consumed once, before it expires.
    ///
    /// - Throws: ``LedgerOutage``; also when a challenge of the same value exists.
    public func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        guard case .issued(true) = try await submit(.issue(challenge), at: now) else {
            throw LedgerOutage(.internalError, "a challenge of this value exists in \(place); draw another one")
        }
    }

    /// The key that was enrolled under an identifier, with its counter; nil if there is none.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await find(first: LedgerTables.keys, Step(statements.findKey, RowKey(identifier).bytes))
    }

    /// The blocks and allowances of some subjects that are in force at a time, in the order of the subjects.
    public func standings(
        of subjects: [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> [LedgerStanding] {
        if subjects.isEmpty { return [] }
        var parameters = Parameters()
        parameters.add(subjects, bytes: { RowKey($0).bytes })
        let found = try await find(all: LedgerTables.standings, Step(statements.findStandings, parameters))
        return subjects.compactMap { subject in found.first { $0.subject == subject && $0.isInForce(at: now) } }
    }

    /// Applies effects, all together or not at all, in one transaction with other writes that arrive meanwhile.
    ///
    /// - Throws: ``LedgerOutage``. After `OutageCode.undetermined` the effects may have been applied, after any other one they
    ///   are not. Also when two effects concern the same entry.
    nonisolated(nonsending) public func commit(
        _ effects: [LedgerEffect], at now: Date
    ) async throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        guard !effects.isEmpty else { return CommitOutcome(decisions: []) }
        switch try await submit(.commit(effects), at: now) {
        case .applied: return CommitOutcome(applied: effects.count)
        case .decided(let outcome): return outcome
        case .issued, .proved: throw LedgerOutage(.internalError, "a commit to \(place) was not decided")
        }
    }

    /// Shows that the ledger takes writes: makes one, which changes the row of a writer, unless one was durable within the last two
    /// seconds.
    public func proveWritable(at now: Date) async throws(LedgerOutage) {
        try target.watch.failure.require()
        if !counters.hasWritten(within: .seconds(2)) { _ = try await submit(.prove, at: now) }
    }

    /// Puts the ledger in quarantine until a time, and removes the open challenges.
    public func quarantine(until end: Date, by operatorName: String?, at now: Date) async throws(LedgerOutage) {
        try await change { change in try change.quarantine(until: end, by: operatorName, at: now) }
        target.watch.setQuarantine(until: end)
    }

    /// When the last quarantine ends or has ended.
    public func quarantineEnd() async throws(LedgerOutage) -> Date? {
        let (target, schema) = (target, statements.schema)
        return try await find(target.watch.step(schema: schema)) { rows in
            try target.watch.require(rows, at: target.place)
            return rows.integer(0, 3).map { Date(microseconds: $0) }
        }
    }

    /// Finishes pending operations, and closes the connections. Later operations are outages.
    public func close() async throws(LedgerOutage) {
        writes.close()
        lookUps.close()
        office.close()
        await threads.join()
    }

    /// On the executor of the caller: each change of executors, even to the same one, takes time.
    nonisolated(nonsending) private func submit(
        _ write: BatchWrite, at now: Date
    ) async throws(LedgerOutage) -> BatchAnswer {
        // Not a checked continuation, whose check costs a tenth of a step: the writer answers each write of a batch once.
        try await unsafe withUnsafeContinuation { continuation in
            let pending = unsafe PendingWrite(
                write: write, now: now, deadline: .now + target.timeout, answer: continuation)
            if let refusal = writes.add(pending) {
                unsafe continuation.resume(returning: .failure(refusal.outage(of: place)))
            }
        }.get()
    }

    /// Finds rows, together with other look-ups that arrive meanwhile.
    func find<Value: Sendable>(
        _ step: Step, _ read: @escaping @Sendable (StatementRows) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let place = place
        let result: Result<Value, LedgerOutage> = await withCheckedContinuation { continuation in
            let lookUp = LookUp(step: step, deadline: .now + target.timeout) { rows in
                let value = Result { try read(rows.get()) }.mapError { LedgerOutage($0, at: place) }
                continuation.resume(returning: value)
            }
            if let refusal = lookUps.add(lookUp) { continuation.resume(returning: .failure(refusal.outage(of: place))) }
        }
        return try result.get()
    }

    func find<Value>(all table: LedgerTable<Value>, _ step: Step) async throws(LedgerOutage) -> [Value] {
        try await find(step) { rows in try rows.all(table) }
    }

    func find<Value>(first table: LedgerTable<Value>, _ step: Step) async throws(LedgerOutage) -> Value? {
        try await find(step) { rows in try rows.first(table) }
    }
}
