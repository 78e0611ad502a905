import AssayCore
import Foundation
import GRDB

/// A stored value that no version of the ledger writes.
struct StoredValueError: Error {
    let table: String
    let column: String
}

/// A table, and how its rows are read.
struct LedgerTable<Row>: Sendable {
    let name: String
    let columns: String
    /// The columns by which rows are sorted.
    private let order: String
    let read: @Sendable (StoredRow) throws -> Row

    init(_ name: String, _ columns: String, by order: String, _ read: @escaping @Sendable (StoredRow) throws -> Row) {
        (self.name, self.columns, self.order, self.read) = (name, columns, order, read)
    }

    /// The query for rows.
    ///
    /// - Parameter clauses: a condition and an order; nil for all rows in the order of their key.
    func query(_ clauses: String?) -> String { "SELECT \(columns) FROM \(name) \(clauses ?? "ORDER BY \(order)")" }

    func sql(_ clauses: String) -> LedgerSQL { LedgerSQL(query(clauses)) }

    /// Passes the rows to `body`, one at a time.
    func each(_ db: Database, _ clauses: String? = nil, _ body: (Row) throws -> Void) throws {
        try StoredStatement(db, query(clauses)).each { try body(read(StoredRow($0, name))) }
    }

    /// Passes the rows to `body`, or what is wrong with one.
    func eachResult(_ db: Database, _ body: (Result<Row, StoredValueError>) throws -> Void) throws {
        try StoredStatement(db, query(nil)).each { cells in
            let row: Row
            do { row = try read(StoredRow(cells, name)) } catch let error as StoredValueError {
                return try body(.failure(error))
            }
            try body(.success(row))
        }
    }
}

/// Reads the rows of each table. Checks every value, because the file may be damaged.
extension LedgerTables {
    static let challenges = LedgerTable(
        "challenge", "value, app, purpose, issuedAt, expiresAt, consumedAt", by: "value", LedgerTables.challenge)
    static let keys = LedgerTable(
        "enrolledKey",
        "engine, identifier, app, publicKey, counter, enrolledAt, properties, skipped, account, retiredAt",
        by: "engine, identifier", LedgerTables.key)
    static let digests = LedgerTable(
        "usedDigest", "digest, app, kind, madeAt, usedAt, until", by: "digest", LedgerTables.digest)
    static let standings = LedgerTable(
        "block", "kind, name, reason, since, until, allows, checks, operator", by: "kind, name", LedgerTables.standing)
    /// The maximum number of standings per statement.
    static let standingLimit = 16

    fileprivate static let findChallenge = challenges.sql("WHERE value = ?")
    fileprivate static let findKey = keys.sql("WHERE engine = ? AND identifier = ?")
    fileprivate static let findKeyState = LedgerSQL(
        "SELECT app, counter, retiredAt, skipped FROM enrolledKey WHERE engine = ? AND identifier = ?")
    fileprivate static let findKeyOwner = LedgerSQL(
        "SELECT app, account, retiredAt FROM enrolledKey WHERE engine = ? AND identifier = ?")
    fileprivate static let findDigest = digests.sql("WHERE digest = ?")
    fileprivate static let findStanding = standings.sql("WHERE kind = ? AND name = ?")

    fileprivate static let findAnyStanding = LedgerSQL("SELECT 1 FROM block LIMIT 1")

    /// The queries for standings, indexed by the number of subjects.
    fileprivate static let findStandings = (0...standingLimit).map { LedgerSQL(standingsQuery(subjects: $0)) }

    static func standingsQuery(subjects count: Int) -> String {
        // `(kind, name) IN (VALUES ...)` would scan the table. CROSS JOIN puts the subjects in the outer loop.
        let sought = repeatElement("(?, ?)", count: count).joined(separator: ", ")
        return """
            SELECT \(standings.columns) FROM (VALUES \(sought)) AS sought
            CROSS JOIN block ON kind = column1 AND name = column2
            """
    }

    static func challenge(_ row: StoredRow) throws -> (challenge: IssuedChallenge, consumedAt: Date?) {
        let challenge = IssuedChallenge(
            value: try row.bytes(0), app: try row.text(1), purpose: ChallengePurpose(EvidenceKind(try row.text(2))),
            issuedAt: try row.date(3), expiresAt: try row.date(4))
        return (challenge, try row.dateIfAny(5))
    }

    static func key(_ row: StoredRow) throws -> EnrolledKey {
        guard let properties = LedgerProperties.decode(try row.text(6)) else { throw row.error(6) }
        return EnrolledKey(
            identifier: KeyIdentifier(engine: try row.text(0), value: try row.bytes(1)), app: try row.text(2),
            publicKey: try row.bytes(3), counters: try row.counters(4, skipped: 7), enrolledAt: try row.date(5),
            properties: properties, account: try row.textIfAny(8), retiredAt: try row.dateIfAny(9))
    }

    static func digest(_ row: StoredRow) throws -> UsedDigest {
        return UsedDigest(
            digest: try row.bytes(0), app: try row.text(1), kind: EvidenceKind(try row.text(2)),
            madeAt: try row.date(3), usedAt: try row.date(4), until: try row.date(5))
    }

    static func standing(_ row: StoredRow) throws -> LedgerStanding {
        guard let kind = LedgerSubject.Kind(rawValue: try row.text(0)) else { throw row.error(0) }
        let subject = LedgerSubject(kind, try row.text(1))
        let (reason, since, until) = (try row.text(2), try row.date(3), try row.dateIfAny(4))
        let setBy = try row.textIfAny(7)
        switch try row.integer(5) {
        case 0:
            return .blocked(LedgerBlock(subject: subject, reason: reason, since: since, until: until, setBy: setBy))
        case 1:
            let checks = try row.text(6).split(separator: " ").map { CheckID(String($0)) }
            return .allowed(
                LedgerAllowance(
                    subject: subject, checks: checks, reason: reason, since: since, until: until,
                    setBy: setBy))
        default: throw row.error(5)
        }
    }
}

/// Finds rows with the prepared statements of a connection.
protocol RowFinder {
    func statement(_ sql: LedgerSQL) throws -> StoredStatement
}

extension RowFinder {
    /// The first row of a query, read by `body`; nil for no row.
    func first<Value>(
        _ sql: LedgerSQL, _ bind: (inout StoredBinding) -> Void, reading body: (StoredCells) throws -> Value
    ) throws -> Value? {
        try statement(sql).first(bind, reading: body)
    }

    func challenge(_ value: [UInt8]) throws -> (challenge: IssuedChallenge, consumedAt: Date?)? {
        try first(LedgerTables.findChallenge, { $0.blob(value) }) {
            try LedgerTables.challenge(StoredRow($0, "challenge"))
        }
    }

    func key(_ identifier: KeyIdentifier) throws -> EnrolledKey? {
        try first(LedgerTables.findKey, { $0.key(identifier) }) { try LedgerTables.key(StoredRow($0, "enrolledKey")) }
    }

    /// The columns of a key that decide about its use.
    func ownerRow(_ identifier: KeyIdentifier) throws -> (app: String, account: String?, retiredAt: Date?)? {
        try first(LedgerTables.findKeyOwner) {
            $0.key(identifier)
        } reading: { row in
            let row = StoredRow(row, "enrolledKey")
            return (try row.text(0), try row.textIfAny(1), try row.dateIfAny(2))
        }
    }

    /// The columns of a key that decide about its counter.
    func counterRow(_ advance: CounterAdvance) throws -> (app: String, counters: CounterState, retiredAt: Date?)? {
        try first(LedgerTables.findKeyState) {
            $0.key(advance.key)
        } reading: { row in
            let row = StoredRow(row, "enrolledKey")
            return (try row.text(0), try row.counters(1, skipped: 3), try row.dateIfAny(2))
        }
    }

    func timeOfUse(_ digest: [UInt8]) throws -> Date? {
        try first(LedgerTables.findDigest, { $0.blob(digest) }) {
            try LedgerTables.digest(StoredRow($0, "usedDigest")).usedAt
        }
    }

    func standing(of subject: LedgerSubject) throws -> LedgerStanding? {
        try first(LedgerTables.findStanding, { $0.subject(subject) }) {
            try LedgerTables.standing(StoredRow($0, "block"))
        }
    }

    /// Whether no block and no allowance exists, in force or ended.
    func hasNoStanding() throws -> Bool {
        try statement(LedgerTables.findAnyStanding).first({ _ in }, reading: { _ in true }) == nil
    }

    /// The standings of subjects, in force or ended, in the order of the subjects.
    ///
    /// - Parameter subjects: at most `LedgerTables.standingLimit`.
    func standings(of subjects: ArraySlice<LedgerSubject>) throws -> [LedgerStanding] {
        var standings: [LedgerStanding] = []
        try statement(LedgerTables.findStandings[subjects.count]).each {
            for subject in subjects { $0.subject(subject) }
        } reading: {
            standings.append(try LedgerTables.standing(StoredRow($0, "block")))
        }
        return standings
    }
}

/// A row whose cells are converted or rejected.
struct StoredRow {
    private let row: StoredCells
    private let table: String

    init(_ row: StoredCells, _ table: String) {
        self.row = row
        self.table = table
    }

    func error(_ index: Int) -> StoredValueError {
        StoredValueError(table: table, column: row.columnName(index))
    }

    func text(_ index: Int) throws -> String {
        guard case .text(let value) = try row.cell(index) else { throw error(index) }
        return value
    }

    func textIfAny(_ index: Int) throws -> String? {
        row.isNull(index) ? nil : try text(index)
    }

    func bytes(_ index: Int) throws -> [UInt8] {
        guard case .blob(let value) = try row.cell(index) else { throw error(index) }
        return value
    }

    func bytesIfAny(_ index: Int) throws -> [UInt8]? {
        row.isNull(index) ? nil : try bytes(index)
    }

    func counters(_ index: Int, skipped: Int) throws -> CounterState {
        guard case .integer(let value) = try row.cell(index), let counter = UInt32(exactly: value) else {
            throw error(index)
        }
        guard let counters = StoredCounters.decode(try bytes(skipped), greatest: counter) else { throw error(skipped) }
        return counters
    }

    func integer(_ index: Int) throws -> Int64 {
        guard case .integer(let value) = try row.cell(index) else { throw error(index) }
        return value
    }

    func integerIfAny(_ index: Int) throws -> Int64? {
        row.isNull(index) ? nil : try integer(index)
    }

    func date(_ index: Int) throws -> Date { Date(microseconds: try integer(index)) }

    func dateIfAny(_ index: Int) throws -> Date? {
        row.isNull(index) ? nil : try date(index)
    }
}

/// The skipped counters of a key: the greatest counter in four bytes, big-endian, and the bits of
/// `CounterState.skipped`. Empty if none were skipped.
///
/// A rule without a window advances the counter and leaves these bytes unchanged. The bytes then refer to another greatest counter, and are ignored.
enum StoredCounters {
    static func encode(_ counters: CounterState) -> [UInt8] {
        guard !counters.skipped.isEmpty else { return [] }
        return bytes(counters.greatest) + counters.skipped
    }

    /// The state; nil for bytes that no version of the ledger writes.
    static func decode(_ stored: [UInt8], greatest: UInt32) -> CounterState? {
        guard !stored.isEmpty else { return CounterState(greatest: greatest) }
        guard (5...4 + CounterState.maximumWindow / 8).contains(stored.count) else { return nil }
        return CounterState(
            greatest: greatest, skipped: stored.starts(with: bytes(greatest)) ? Array(stored.dropFirst(4)) : [])
    }

    private static func bytes(_ counter: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
    }
}
