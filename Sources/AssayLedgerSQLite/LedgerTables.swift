import AssayCore
import Foundation
import GRDB

/// The statements, on one connection. Whoever calls holds the transaction.
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
    /// Holds the comparison again, so that no path can write a counter that is not greater.
    private static let advanceCounter = LedgerSQL(
        "UPDATE enrolledKey SET counter = ?1 WHERE engine = ?2 AND identifier = ?3 AND counter < ?1")
    private static let rememberDigest = LedgerSQL(
        "INSERT INTO usedDigest (digest, app, kind, madeAt, usedAt, until) VALUES (?, ?, ?, ?, ?, ?)")

    private static let putStanding = LedgerSQL(
        "INSERT OR REPLACE INTO block (kind, name, reason, since, until, allows) VALUES (?, ?, ?, ?, ?, ?)")
    private static let endStanding = LedgerSQL("DELETE FROM block WHERE kind = ? AND name = ?")

    /// Decides each effect against the tables as they are, and applies them if there is no refusal.
    func commit(_ effects: [LedgerEffect], at now: Date) throws -> CommitOutcome {
        let outcome = CommitOutcome(decisions: try effects.map { try refusal(of: $0.action, at: now) })
        if outcome.isApplied {
            for effect in effects { try apply(effect.action, at: now) }
        }
        return outcome
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
        case .advanceCounter(let advance):
            return LedgerRules.refusal(
                advancing: advance, stored: try keyState(advance.key).map { ($0.app, $0.counter) },
                block: try block(on: advance.key), at: now)
        case .rememberDigest(let use):
            let stored = try digest(use.digest)
            if stored == nil {
                try LedgerRules.demandRemembered(use, forgotten: forgottenMaking(app: use.app, kind: use.kind))
            }
            return LedgerRules.refusal(rememberingOver: stored?.usedAt)
        }
    }

    private func apply(_ action: LedgerEffect.Action, at now: Date) throws {
        switch action {
        case .consumeChallenge(let value, _, _):
            try change(Self.consumeChallenge, [.integer(now.stored), .blob(value)])
        case .enrol(let key):
            try change(
                Self.enrolKey,
                [
                    .text(key.identifier.engine), .blob(key.identifier.value), .text(key.app), .blob(key.publicKey),
                    .integer(Int64(key.counter)), .integer(key.enrolledAt.stored),
                    .text(try StoredProperties.encode(key.properties)),
                ])
        case .advanceCounter(let advance):
            try change(
                Self.advanceCounter,
                [.integer(Int64(advance.counter)), .text(advance.key.engine), .blob(advance.key.value)])
        case .rememberDigest(let use):
            try change(
                Self.rememberDigest,
                [
                    .blob(use.digest), .text(use.app), .text(use.kind.name), .integer(use.madeAt.stored),
                    .integer(use.usedAt.stored), .integer(use.until.stored),
                ])
        }
    }

    /// Stores a challenge. Returns whether there was none of its value.
    func insert(_ challenge: Challenge) throws -> Bool {
        try run(
            Self.issueChallenge,
            [
                .blob(challenge.value), .text(challenge.app), .text(challenge.purpose.name),
                .integer(challenge.issuedAt.stored), .integer(challenge.expiresAt.stored),
            ]) == 1
    }

    /// Stores a block in place of the standing that there may be.
    func put(_ block: Block) throws {
        try put(block.subject, block.reason, since: block.since, until: block.until, allows: false)
    }

    /// Stores an allowance in place of the standing that there may be.
    func put(_ allowance: Allowance) throws {
        try put(allowance.subject, allowance.reason, since: allowance.since, until: allowance.until, allows: true)
    }

    private func put(_ subject: LedgerSubject, _ reason: String, since: Date, until: Date?, allows: Bool) throws {
        try change(
            Self.putStanding,
            [
                .text(subject.kind.rawValue), .text(subject.name), .text(reason), .integer(since.stored),
                .optional(until?.stored), .integer(allows ? 1 : 0),
            ])
    }

    /// Removes a block or an allowance. Returns what there was.
    func removeStanding(of subject: LedgerSubject) throws -> LedgerStanding? {
        guard let standing = try standing(of: subject) else { return nil }
        try change(
            Self.endStanding, [.text(subject.kind.rawValue), .text(subject.name)])
        return standing
    }

    /// Runs a statement that must change exactly one row, if the ledger is what the decision took it for.
    func change(_ sql: LedgerSQL, _ values: [StoredValue]) throws {
        guard try run(sql, values) == 1 else {
            throw StoredValueError(table: "ledger", column: "a row that was decided on")
        }
    }

    /// Runs a statement. Returns how many rows it changed.
    @discardableResult
    func run(_ sql: LedgerSQL, _ values: [StoredValue]) throws -> Int {
        try prepared.statement(sql).run(values)
    }

    /// The first row of a query, read by `body`, and nil when there is none.
    func first<Value>(
        _ sql: LedgerSQL, _ values: [StoredValue], _ body: (StoredCells) throws -> Value
    ) throws -> Value? {
        try prepared.statement(sql).first(values, body)
    }
}
