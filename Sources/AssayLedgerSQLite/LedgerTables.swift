import AssayCore
import AssayPrimitives
import Foundation
import GRDB

/// The statements, on one connection. The caller holds the connection, and a transaction for all but
/// ``inTransaction(_:)``.
struct LedgerTables: RowFinder {
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
        INSERT INTO enrolledKey (engine, identifier, app, publicKey, counter, enrolledAt, properties, account)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
    /// Compares again, so that no code path can store a counter that is not greater. Skipped counters of a smaller one
    /// stay in the row and are ignored; see ``StoredCounters``.
    private static let advanceCounter = LedgerSQL(
        "UPDATE enrolledKey SET counter = ?1 WHERE engine = ?2 AND identifier = ?3 AND counter < ?1")
    private static let advanceWindow = LedgerSQL(
        "UPDATE enrolledKey SET counter = ?1, skipped = ?4 WHERE engine = ?2 AND identifier = ?3 AND counter < ?1")
    /// Leaves the greatest counter unchanged.
    private static let useSkippedCounter = LedgerSQL(
        "UPDATE enrolledKey SET skipped = ?4 WHERE engine = ?2 AND identifier = ?3 AND counter = ?1")
    private static let refreshKey = LedgerSQL(
        "UPDATE enrolledKey SET properties = ?3, account = ?4 WHERE engine = ?1 AND identifier = ?2")
    static let digestValues = "INTO usedDigest (digest, app, kind, madeAt, usedAt, until) VALUES (?, ?, ?, ?, ?, ?)"
    private static let rememberDigest = LedgerSQL("INSERT \(digestValues)")

    private static let begin = LedgerSQL("BEGIN IMMEDIATE")
    private static let end = LedgerSQL("COMMIT")

    /// Runs `body` in an immediate transaction, and makes it durable. An error rolls everything back.
    ///
    /// GRDB's own function would make SQLite parse both statements each time.
    func inTransaction(_ body: () throws -> Void) throws {
        try run(Self.begin)
        forgetAbsentStandings()
        do {
            try body()
            try run(Self.end)
        } catch {
            // Some errors have already ended the transaction. The first error is the cause.
            try? db.rollback()
            throw error
        }
    }

    /// Stores a challenge. Returns false if its value exists already.
    func insert(_ challenge: IssuedChallenge) throws -> Bool {
        try run(Self.issueChallenge) {
            $0.blob(challenge.value)
            $0.text(challenge.app)
            $0.text(challenge.purpose.name)
            $0.integer(challenge.issuedAt.microseconds)
            $0.integer(challenge.expiresAt.microseconds)
        } == 1
    }

    /// Runs a statement that must change exactly one row. If it does not, the row behind the decision is damaged.
    ///
    /// - Parameter bind: binds the values.
    func change(_ sql: LedgerSQL, _ bind: (inout StoredBinding) -> Void) throws {
        guard try run(sql, bind) == 1 else {
            throw StoredValueError(table: "ledger", column: "a row that was decided on")
        }
    }

    /// Runs a statement. Returns the number of changed rows.
    @discardableResult
    func run(_ sql: LedgerSQL, _ bind: (inout StoredBinding) -> Void = { _ in }) throws -> Int {
        try statement(sql).run(bind)
    }

    @discardableResult
    func run(_ sql: LedgerSQL, _ first: any StoredBindable, _ others: any StoredBindable...) throws -> Int {
        try run(sql) { $0.all([first] + others) }
    }

    func change(_ sql: LedgerSQL, _ first: any StoredBindable, _ others: any StoredBindable...) throws {
        try change(sql) { $0.all([first] + others) }
    }

    /// The rows of a table.
    ///
    /// - Parameter clauses: a condition and an order; without it all rows in the order of their key.
    func all<Row>(
        _ table: LedgerTable<Row>, _ clauses: String? = nil, _ values: any StoredBindable...
    ) throws -> [Row] {
        var rows: [Row] = []
        try StoredStatement(db, table.query(clauses)).each {
            $0.all(values)
        } reading: {
            rows.append(try table.read(StoredRow($0, table.name)))
        }
        return rows
    }

    func statement(_ sql: LedgerSQL) throws -> StoredStatement { try prepared.statement(sql) }
}

/// The rows of a commit, with the look-ups of ``RowFinder``.
extension LedgerTables: LedgerRows {
    typealias Failure = any Error

    func challenge(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose) throws -> ChallengeRow? {
        try challenge(value)
    }

    func requireRemembered(_ use: UsedDigest) throws {
        try LedgerRules.requireRemembered(use, forgotten: latestPurged(app: use.app, kind: use.kind))
    }

    /// Builds the name of `KeyIdentifier.subject` without Foundation, whose base64 takes as long as the query.
    func block(on key: KeyIdentifier) throws -> LedgerBlock? {
        try isWithoutStandings() ? nil : standing(of: LedgerSubject(.key, Base64.encode(key.value, .standard)))?.block
    }

    func block(on subject: LedgerSubject) throws -> LedgerBlock? {
        try isWithoutStandings() ? nil : standing(of: subject)?.block
    }

    /// Whether no block and no allowance exists. Runs one query for all writes of the transaction, and another one after a standing
    /// was stored.
    private func isWithoutStandings() throws -> Bool {
        if let known = prepared.isWithoutStandings { return known }
        let isWithout = try hasNoStanding()
        prepared.isWithoutStandings = isWithout
        return isWithout
    }

    /// Must be called with each standing that is stored.
    func forgetAbsentStandings() { prepared.isWithoutStandings = nil }

    func consume(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose, at now: Date) throws {
        try change(Self.consumeChallenge) {
            $0.integer(now.microseconds)
            $0.blob(value)
        }
    }

    func store(_ key: EnrolledKey, isNew: Bool) throws {
        let properties = try LedgerProperties.encode(key.properties)
        guard isNew else {
            return try change(Self.refreshKey) {
                $0.key(key.identifier)
                $0.text(properties)
                $0.text(key.account)
            }
        }
        try change(Self.enrolKey) {
            $0.key(key.identifier)
            $0.text(key.app)
            $0.blob(key.publicKey)
            $0.integer(Int64(key.counter))
            $0.integer(key.enrolledAt.microseconds)
            $0.text(properties)
            $0.text(key.account)
        }
    }

    func apply(_ advance: CounterAdvance) throws {
        guard case .window = advance.rule else {
            return try change(Self.advanceCounter) {
                $0.integer(Int64(advance.counter))
                $0.key(advance.key)
            }
        }
        let stored = try counterRow(advance)?.counters ?? CounterState(greatest: 0)
        let counters = LedgerRules.counters(after: advance, from: stored)
        try change(counters.greatest > stored.greatest ? Self.advanceWindow : Self.useSkippedCounter) {
            $0.integer(Int64(counters.greatest))
            $0.key(advance.key)
            $0.blob(StoredCounters.encode(counters))
        }
    }

    func insert(_ use: UsedDigest) throws { try change(Self.rememberDigest) { $0.use(use) } }
}

extension StoredBinding {
    /// The two columns of an enrolled key's primary key.
    mutating func key(_ identifier: KeyIdentifier) {
        text(identifier.engine)
        blob(identifier.value)
    }

    mutating func use(_ use: UsedDigest) {
        blob(use.digest)
        text(use.app)
        text(use.kind.name)
        integer(use.madeAt.microseconds)
        integer(use.usedAt.microseconds)
        integer(use.until.microseconds)
    }

    /// The two columns of a standing's primary key.
    mutating func subject(_ subject: LedgerSubject) {
        text(subject.kind.rawValue)
        text(subject.name)
    }
}
