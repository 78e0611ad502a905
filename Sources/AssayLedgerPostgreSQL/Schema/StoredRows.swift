import AssayCore
import AssayPrimitives
import FoundationEssentials

/// One row whose cells are converted or refused: the database may be damaged, or written to by others.
struct StoredRow {
    let rows: StatementRows
    let row: Int
    let table: String

    func error(_ column: Int) -> StoredValueError { StoredValueError(table: table, column: rows.name(column)) }

    func bytes(_ column: Int) throws(StoredValueError) -> [UInt8] {
        guard let value = rows.bytes(row, column) else { throw error(column) }
        return value
    }

    func bytesIfAny(_ column: Int) -> [UInt8]? { rows.bytes(row, column) }

    func text(_ column: Int) throws(StoredValueError) -> String {
        guard let text = try textIfAny(column) else { throw error(column) }
        return text
    }

    func textIfAny(_ column: Int) throws(StoredValueError) -> String? {
        guard let text = unsafe rows.withBytes(row, column, { unsafe Self.text($0) }) else { return nil }
        guard let text else { throw error(column) }
        return text
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        // `String(validating:)` takes ten times as long for a short text.
        unsafe bytes.allSatisfy { $0 < 0x80 }
            ? unsafe String(decoding: bytes, as: UTF8.self) : unsafe String(validating: bytes, as: UTF8.self)
    }

    /// The place of the row among those that a batch needs; nil for another row.
    func place(in rows: RowSet, column: Int = 0) -> Int? {
        unsafe self.rows.withBytes(row, column) { unsafe rows.place(of: $0) } ?? nil
    }

    func integer(_ column: Int) throws(StoredValueError) -> Int64 {
        guard let value = rows.integer(row, column) else { throw error(column) }
        return value
    }

    func integerIfAny(_ column: Int) -> Int64? { rows.integer(row, column) }

    func date(_ column: Int) throws(StoredValueError) -> Date { Date(microseconds: try integer(column)) }

    func dateIfAny(_ column: Int) -> Date? { integerIfAny(column).map(Date.init(microseconds:)) }

    /// The name in the columns `id` and `whole`, which must belong together.
    func name() throws(StoredValueError) -> [UInt8] {
        let key = try bytes(0)
        let name = bytesIfAny(1) ?? key
        guard RowKey(name).bytes == key else { throw error(0) }
        return name
    }
}

/// Rows of each table as values.
extension StoredRow {
    func challenge() throws(StoredValueError) -> (challenge: IssuedChallenge, consumedAt: Date?) {
        let challenge = IssuedChallenge(
            value: try name(), app: try text(2), purpose: ChallengePurpose(EvidenceKind(try text(3))),
            issuedAt: try date(4), expiresAt: try date(5))
        return (challenge, dateIfAny(6))
    }

    func key() throws(StoredValueError) -> EnrolledKey {
        guard let parts = RowKey.parts(try name()), let engine = String(validating: parts.first, as: UTF8.self) else {
            throw error(0)
        }
        guard let properties = LedgerProperties.decode(try text(7)) else { throw error(7) }
        return EnrolledKey(
            identifier: KeyIdentifier(engine: engine, value: parts.second), app: try text(2),
            publicKey: try bytes(3), counters: try counters(.ofKeys), enrolledAt: try date(6), properties: properties,
            account: try textIfAny(8), retiredAt: dateIfAny(9))
    }

    /// Where the columns are that decide about steps and uses: in ``LedgerStatements/stateColumns``, or among all columns.
    struct StateColumns {
        static let alone = StateColumns(app: 1, counter: 2, skipped: 3, account: 4, retiredAt: 5)
        static let ofKeys = StateColumns(app: 2, counter: 4, skipped: 5, account: 8, retiredAt: 9)
        let app, counter, skipped, account, retiredAt: Int
    }

    func counters(_ columns: StateColumns) throws(StoredValueError) -> CounterState {
        guard let counter = UInt32(exactly: try integer(columns.counter)) else { throw error(columns.counter) }
        let skipped = try bytes(columns.skipped)
        guard skipped.count <= CounterState.maximumWindow / 8 else { throw error(columns.skipped) }
        return CounterState(greatest: counter, skipped: skipped)
    }

    fileprivate func digest() throws(StoredValueError) -> UsedDigest {
        UsedDigest(
            digest: try name(), app: try text(2), kind: EvidenceKind(try text(3)), madeAt: try date(4),
            usedAt: try date(5), until: try date(6))
    }

    func standing() throws(StoredValueError) -> LedgerStanding {
        guard let parts = RowKey.parts(try name()), let kindName = String(validating: parts.first, as: UTF8.self),
            let kind = LedgerSubject.Kind(rawValue: kindName),
            let name = String(validating: parts.second, as: UTF8.self)
        else { throw error(0) }
        let subject = LedgerSubject(kind, name)
        let (reason, since, until, setBy) = (try text(2), try date(3), dateIfAny(4), try textIfAny(7))
        switch try integer(5) {
        case 0:
            return .blocked(LedgerBlock(subject: subject, reason: reason, since: since, until: until, setBy: setBy))
        case 1:
            let checks = try text(6).split(separator: " ").map { CheckID(String($0)) }
            return .allowed(
                LedgerAllowance(
                    subject: subject, checks: checks, reason: reason, since: since, until: until, setBy: setBy))
        default: throw error(5)
        }
    }

    fileprivate func storedOperator() throws(StoredValueError) -> (tokenHash: [UInt8], operator: LedgerOperator) {
        guard let role = OperatorRole(rawValue: try text(2)) else { throw error(2) }
        return (
            try bytes(0),
            LedgerOperator(
                name: try text(1), role: role, addedAt: try date(3), addedBy: try textIfAny(4), until: try date(5),
                revokedAt: dateIfAny(6), revokedBy: try textIfAny(7))
        )
    }

    /// Reads a key, and its origin if that was queried as the last column.
    fileprivate func sealedKey(hasOrigin: Bool) throws(StoredValueError) -> SealedKey {
        SealedKey(
            name: try text(0), purpose: KeyPurpose(try text(1)), scope: try textIfAny(2), algorithm: try text(3),
            times: SealedKey.Times(
                notBefore: integerIfAny(4), notAfter: integerIfAny(5), retiredAt: integerIfAny(6),
                addedAt: try integer(7)), masterKeyID: try bytes(8), sealed: try bytes(9),
            origin: hasOrigin ? bytesIfAny(10) ?? [] : [])
    }

    fileprivate func document() throws(StoredValueError) -> (name: String, document: LedgerDocument) {
        (
            try text(0),
            LedgerDocument(bytes: try bytes(1), revision: try integer(2), storedAt: try date(3))
        )
    }

    fileprivate func task() throws(StoredValueError) -> LedgerTask {
        let task = LedgerTask(
            queue: try text(1), key: try bytes(2), dueAt: try date(3), holder: try textIfAny(4), bytes: try bytes(5),
            revision: try integer(6))
        guard try bytes(0) == RowKey(task: task.key, in: task.queue).bytes else { throw error(0) }
        return task
    }

    fileprivate func auditEntry() throws(StoredValueError) -> LedgerAuditEntry {
        guard let number = Int(exactly: try integer(0)) else { throw error(0) }
        guard let action = LedgerChange.Action(rawValue: try text(3)) else { throw error(3) }
        return LedgerAuditEntry(
            number: number,
            change: LedgerChange(
                at: try date(1), operatorName: try text(2), action: action, subject: try text(4), detail: try text(5)),
            previousHash: try bytes(6), hash: try bytes(7))
    }
}

/// A table, and how its rows are read.
struct LedgerTable<Value: Sendable>: Sendable {
    let name: String
    let columns: String
    /// Whether the first column, by which a snapshot reads pages, is a number, and not bytes.
    let isNumbered: Bool
    let read: @Sendable (StoredRow) throws(StoredValueError) -> Value

    init(
        _ name: String, _ columns: String, isNumbered: Bool = false,
        _ read: @escaping @Sendable (StoredRow) throws(StoredValueError) -> Value
    ) {
        (self.name, self.columns, self.isNumbered, self.read) = (name, columns, isNumbered, read)
    }

    /// The query for rows.
    ///
    /// - Parameter schema: the schema, quoted.
    func query(_ schema: String, _ clauses: String = "") -> String {
        "SELECT \(columns) FROM \(schema).\(name) \(clauses)"
    }
}

enum LedgerTables {
    static let challenges = LedgerTable("challenge", LedgerStatements.challengeColumns) {
        row throws(StoredValueError) in try row.challenge()
    }
    static let keys = LedgerTable("enrolled_key", LedgerStatements.keyColumns) { row throws(StoredValueError) in
        try row.key()
    }
    static let digests = LedgerTable("used_digest", LedgerStatements.digestColumns) { row throws(StoredValueError) in
        try row.digest()
    }
    static let standings = LedgerTable("standing", LedgerStatements.standingColumns) { row throws(StoredValueError) in
        try row.standing()
    }
    static let operators = LedgerTable("operator", LedgerStatements.operatorColumns) { row throws(StoredValueError) in
        try row.storedOperator()
    }
    static let sealedKeys = LedgerTable("sealed_key", LedgerStatements.sealedKeyColumns) {
        row throws(StoredValueError) in try row.sealedKey(hasOrigin: false)
    }
    /// Queried by ``AdministrationStatements/sealedKeys``.
    static let sealedKeysWithOrigins = LedgerTable("sealed_key", LedgerStatements.sealedKeyColumns) {
        row throws(StoredValueError) in try row.sealedKey(hasOrigin: true)
    }
    static let documents = LedgerTable("document", "name, content, revision, stored_at") {
        row throws(StoredValueError) in try row.document()
    }
    static let tasks = LedgerTable("task", "id, queue, key, due_at, holder, content, revision") {
        row throws(StoredValueError) in try row.task()
    }
    static let audit = LedgerTable("audit", LedgerStatements.auditColumns, isNumbered: true) {
        row throws(StoredValueError) in try row.auditEntry()
    }
    static let forgotten = LedgerTable("forgotten_use", "app, kind, made_at") { row throws(StoredValueError) in
        LedgerRecord.forgotten(app: try row.text(0), kind: try row.text(1), madeAt: try row.integer(2))
    }
}

extension StatementRows {
    func all<Value>(_ table: LedgerTable<Value>) throws(StoredValueError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        try each(table.name) { row throws(StoredValueError) in values.append(try table.read(row)) }
        return values
    }

    /// Passes each row to `body`.
    func each(
        _ table: String, _ body: (StoredRow) throws(StoredValueError) -> Void
    ) throws(StoredValueError) {
        for row in 0..<count { try body(StoredRow(rows: self, row: row, table: table)) }
    }

    /// The first row; nil if there is none.
    func first<Value>(_ table: LedgerTable<Value>) throws(StoredValueError) -> Value? {
        count == 0 ? nil : try table.read(StoredRow(rows: self, row: 0, table: table.name))
    }
}

/// The primary key of a row whose name may have any length: the name itself up to 64 bytes, else 33 of its bytes and its
/// SHA-256. A B-tree entry ends at 2,704 bytes. Both forms differ in length, so that no two names share a key.
struct RowKey: Hashable, Sendable {
    static let limit = 64
    let bytes: [UInt8]
    /// The name, if it is longer than the key.
    let whole: [UInt8]?

    init(_ name: [UInt8]) {
        guard name.count > Self.limit else {
            (bytes, whole) = (name, nil)
            return
        }
        (bytes, whole) = (Array(name.prefix(33)) + Digest.sha256(name), name)
    }

    /// A key as it is stored, to find a row with.
    init(key: [UInt8]) { (bytes, whole) = (key, nil) }

    /// The key of an enrolled key: its engine and its identifier.
    init(_ identifier: KeyIdentifier) { self.init(Self.joined(identifier.engine.utf8, identifier.value)) }

    init(_ subject: LedgerSubject) { self.init(Self.joined(subject.kind.rawValue.utf8, subject.name.utf8)) }

    /// The key of the subject under which a key is blocked. Not by ``KeyIdentifier/subject``, whose base64 is Foundation's and
    /// takes as long as the rest.
    init(blockOn key: KeyIdentifier) {
        self.init(Self.joined(LedgerSubject.Kind.key.rawValue.utf8, Base64.encode(key.value, .standard).utf8))
    }

    init(task key: [UInt8], in queue: String) { self.init(Self.joined(Array(queue.utf8), key)) }

    static func == (left: RowKey, right: RowKey) -> Bool { left.bytes == right.bytes }

    func hash(into hasher: inout Hasher) { unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }

    /// Length-prefixed concatenation: 1 byte below 255, else 0xFF and 8 bytes.
    private static func joined(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) -> [UInt8] {
        let (count, others) = (first.count, second.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity((count < 255 ? 1 : 9) + count + others)
        if count < 255 {
            bytes.append(UInt8(count))
        } else {
            bytes.append(255)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(count) >> (56 - 8 * UInt64($0))) }
        }
        bytes += first
        bytes += second
        return bytes
    }

    /// The two names that ``joined(_:_:)`` has put together; nil for bytes that no ledger writes.
    static func parts(_ name: [UInt8]) -> (first: [UInt8], second: [UInt8])? {
        guard let short = name.first else { return nil }
        var (length, start) = (Int(short), 1)
        if short == 255 {
            guard name.count >= 9 else { return nil }
            let long = name[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let exact = Int(exactly: long) else { return nil }
            (length, start) = (exact, 9)
        }
        guard length <= name.count - start else { return nil }
        return (Array(name[start..<start + length]), Array(name[(start + length)...]))
    }
}
