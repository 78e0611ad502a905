import AssayCore
import Foundation
import GRDB

/// The statements, on one connection. The caller holds the connection, and a transaction for all but
/// ``inTransaction(_:)``.
struct LedgerTables {
    let db: Database
    private let prepared: PreparedStatements

    init(_ db: Database) {
        self.db = db
        prepared = PreparedStatements(db)
    }

    private static let issueChallenge = LedgerSQL(
        """
        INSERT INTO challenge (value, app, purpose, issuedAt, expiresAt) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (value) DO NOTHING
        """)
    private static let consumeChallenge = LedgerSQL(
        "UPDATE challenge SET consumedAt = ? WHERE value = ? AND consumedAt IS NULL")
    private static let enrolKey = LedgerSQL(
        """
        INSERT INTO enrolledKey (engine, identifier, app, publicKey, counter, enrolledAt, properties)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    /// Compares again, so that no code path can write a counter that is not greater.
    private static let advanceCounter = LedgerSQL(
        "UPDATE enrolledKey SET counter = ?1, skipped = ?4 WHERE engine = ?2 AND identifier = ?3 AND counter < ?1")
    /// The greatest counter stays.
    private static let useSkippedCounter = LedgerSQL(
        "UPDATE enrolledKey SET skipped = ?4 WHERE engine = ?2 AND identifier = ?3 AND counter = ?1")
    private static let refreshKey = LedgerSQL(
        "UPDATE enrolledKey SET properties = ?3 WHERE engine = ?1 AND identifier = ?2")
    private static let rememberDigest = LedgerSQL(
        "INSERT INTO usedDigest (digest, app, kind, madeAt, usedAt, until) VALUES (?, ?, ?, ?, ?, ?)")

    private static let putStanding = LedgerSQL(
        "INSERT OR REPLACE INTO block (kind, name, reason, since, until, allows) VALUES (?, ?, ?, ?, ?, ?)")
    private static let deleteStanding = LedgerSQL("DELETE FROM block WHERE kind = ? AND name = ?")

    private static let begin = LedgerSQL("BEGIN IMMEDIATE")
    private static let end = LedgerSQL("COMMIT")

    /// Runs `body` in an immediate transaction, and makes it durable. An error rolls everything back.
    ///
    /// GRDB's own function would have SQLite parse the two statements each time.
    func inTransaction(_ body: () throws -> Void) throws {
        try run(Self.begin)
        do {
            try body()
            try run(Self.end)
        } catch {
            // Some errors have already ended the transaction. The first error is the cause.
            try? db.rollback()
            throw error
        }
    }

    /// Decides all effects, and applies them if there is no refusal.
    func commit(_ effects: [LedgerEffect], at now: Date) throws -> CommitOutcome {
        let decisions = try effects.map { try refusal(of: $0.action, at: now) }
        guard CommitOutcome(decisions: decisions).isApplied else { return CommitOutcome(decisions: decisions) }
        var enrolledAt: Date?
        for effect in effects { enrolledAt = try apply(effect.action, at: now) ?? enrolledAt }
        return CommitOutcome(decisions: decisions, refreshedKeyEnrolledAt: enrolledAt)
    }

    private func refusal(of action: LedgerEffect.Action, at now: Date) throws -> LedgerRefusal? {
        switch action {
        case .consumeChallenge(let value, let app, let purpose):
            let stored = try challenge(value)
            return LedgerRules.refusal(
                consumingFor: app, purpose, stored: stored?.challenge, consumedAt: stored?.consumedAt, at: now)
        case .enrol(let key):
            return LedgerRules.refusal(
                enrollingOver: try keyState(key.identifier)?.enrolledAt, block: try block(on: key.identifier), at: now)
        case .enrolOrRefresh(let key, let keeping):
            return LedgerRules.refusal(
                refreshing: key, keeping: keeping, stored: try self.key(key.identifier),
                block: try block(on: key.identifier), at: now)
        case .advanceCounter(let advance):
            return LedgerRules.refusal(
                advancing: advance, stored: try keyState(advance.key).map { ($0.app, $0.counters) },
                block: try block(on: advance.key), at: now)
        case .rememberDigest(let use):
            let stored = try digest(use.digest)
            if stored == nil {
                try LedgerRules.requireRemembered(use, forgotten: latestPurged(app: use.app, kind: use.kind))
            }
            return LedgerRules.refusal(rememberingOver: stored?.usedAt)
        }
    }

    /// Applies an action. Returns when the key was enrolled that it has refreshed.
    private func apply(_ action: LedgerEffect.Action, at now: Date) throws -> Date? {
        switch action {
        case .consumeChallenge(let value, _, _):
            try change(Self.consumeChallenge) {
                $0.integer(now.microseconds)
                $0.blob(value)
            }
        case .enrol(let key): try insert(key)
        case .enrolOrRefresh(let key, _):
            guard let enrolledAt = try keyState(key.identifier)?.enrolledAt else {
                try insert(key)
                break
            }
            let properties = try StoredProperties.encode(key.properties)
            try change(Self.refreshKey) {
                $0.key(key.identifier)
                $0.text(properties)
            }
            return enrolledAt
        case .advanceCounter(let advance):
            // Rules without a window depend on no smaller counter, and need no second query.
            var stored = CounterState(greatest: 0)
            if case .window = advance.rule, let found = try keyState(advance.key)?.counters { stored = found }
            let counters = LedgerRules.counters(after: advance, from: stored)
            try change(counters.greatest > stored.greatest ? Self.advanceCounter : Self.useSkippedCounter) {
                $0.integer(Int64(counters.greatest))
                $0.key(advance.key)
                $0.blob(StoredCounters.encode(counters))
            }
        case .rememberDigest(let use):
            try change(Self.rememberDigest) {
                $0.blob(use.digest)
                $0.text(use.app)
                $0.text(use.kind.name)
                $0.integer(use.madeAt.microseconds)
                $0.integer(use.usedAt.microseconds)
                $0.integer(use.until.microseconds)
            }
        }
        return nil
    }

    private func insert(_ key: EnrolledKey) throws {
        let properties = try StoredProperties.encode(key.properties)
        try change(Self.enrolKey) {
            $0.key(key.identifier)
            $0.text(key.app)
            $0.blob(key.publicKey)
            $0.integer(Int64(key.counter))
            $0.integer(key.enrolledAt.microseconds)
            $0.text(properties)
        }
    }

    /// Stores a challenge. Returns whether there was none of its value.
    func insert(_ challenge: IssuedChallenge) throws -> Bool {
        try run(Self.issueChallenge) {
            $0.blob(challenge.value)
            $0.text(challenge.app)
            $0.text(challenge.purpose.name)
            $0.integer(challenge.issuedAt.microseconds)
            $0.integer(challenge.expiresAt.microseconds)
        } == 1
    }

    /// Stores a block. Replaces the subject's standing.
    func put(_ block: LedgerBlock) throws {
        try put(block.subject, block.reason, since: block.since, until: block.until, allows: false)
    }

    /// Stores an allowance. Replaces the subject's standing.
    func put(_ allowance: LedgerAllowance) throws {
        try put(allowance.subject, allowance.reason, since: allowance.since, until: allowance.until, allows: true)
    }

    private func put(_ subject: LedgerSubject, _ reason: String, since: Date, until: Date?, allows: Bool) throws {
        try change(Self.putStanding) {
            $0.subject(subject)
            $0.text(reason)
            $0.integer(since.microseconds)
            $0.integer(until?.microseconds)
            $0.integer(allows ? 1 : 0)
        }
    }

    /// Removes a block or an allowance, and returns it.
    func removeStanding(of subject: LedgerSubject) throws -> LedgerStanding? {
        guard let standing = try standing(of: subject) else { return nil }
        try change(Self.deleteStanding) { $0.subject(subject) }
        return standing
    }

    /// Runs a statement that must change exactly one row. Another number means that the row that was decided on is damaged.
    ///
    /// - Parameter bind: binds the values, here and below.
    func change(_ sql: LedgerSQL, _ bind: (inout StoredBinding) -> Void) throws {
        guard try run(sql, bind) == 1 else {
            throw StoredValueError(table: "ledger", column: "a row that was decided on")
        }
    }

    /// Runs a statement. Returns how many rows it changed.
    @discardableResult
    func run(_ sql: LedgerSQL, _ bind: (inout StoredBinding) -> Void = { _ in }) throws -> Int {
        try prepared.statement(sql).run(bind)
    }

    /// The first row of a query, read by `body`, and nil when there is none.
    func first<Value>(
        _ sql: LedgerSQL, _ bind: (inout StoredBinding) -> Void, reading body: (StoredCells) throws -> Value
    ) throws -> Value? {
        try prepared.statement(sql).first(bind, reading: body)
    }
}

extension StoredBinding {
    /// The two columns of an enrolled key's primary key.
    mutating func key(_ identifier: KeyIdentifier) {
        text(identifier.engine)
        blob(identifier.value)
    }

    /// The two columns of a standing's primary key.
    mutating func subject(_ subject: LedgerSubject) {
        text(subject.kind.rawValue)
        text(subject.name)
    }
}
