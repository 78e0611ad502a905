package import AssayCore
import AssayPrimitives
import Dispatch
import Foundation
import GRDB

extension SQLiteLedger: MovableLedger {
    package func mark() async throws(LedgerOutage) -> LedgerMark? {
        try await read { db in try LedgerMove.mark(db) }
    }

    /// A copy gets the mark without the triggers, which would refuse the copied records.
    package func changeMark(from old: LedgerMark?, to new: LedgerMark?) async throws(LedgerOutage) -> Bool {
        try await transact { db in
            guard try LedgerMove.mark(db) == old else { return false }
            try db.execute(sql: "DROP TABLE IF EXISTS moved")
            if let new { try LedgerMove.store(new, db) }
            return true
        }
    }

    /// Stores the mark, and triggers that refuse the writes of all programs, including those that have the file open.
    package func beginMove(to place: String) async throws(LedgerOutage) -> LedgerMark? {
        try await transact { db in
            if let before = try LedgerMove.mark(db) { return before }
            try LedgerMove.store(.moved(to: place), db)
            for table in LedgerSchema.tables {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try db.execute(
                        sql: """
                            CREATE TRIGGER moved_\(table)_\(event) BEFORE \(event) ON \(table)
                            BEGIN SELECT RAISE(ABORT, '\(LedgerMove.refusal)'); END
                            """)
                }
            }
            return nil
        }
    }

    package func cancelMove() async throws(LedgerOutage) {
        try await transact { db in
            for table in LedgerSchema.tables {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try db.execute(sql: "DROP TRIGGER IF EXISTS moved_\(table)_\(event)")
                }
            }
            try db.execute(sql: "DROP TABLE IF EXISTS moved")
        }
    }

    private func transact<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let path = path
        let result: Result<Value, LedgerOutage> = await withCheckedContinuation { continuation in
            writer.lend { db in
                let value = Result {
                    var value: Value?
                    try db.inTransaction(.immediate) {
                        value = try body(db)
                        return .commit
                    }
                    guard let value else {
                        throw LedgerOutage(.internalError, "a transaction of \(path) gave no answer")
                    }
                    return value
                }
                continuation.resume(returning: value.mapError { LedgerOutage($0, path: path) })
            }
        }
        return try result.get()
    }

    /// Reads on a separate thread, at most two batches ahead of `body`.
    package func records(_ body: @concurrent ([LedgerRecord]) async throws -> Void) async throws {
        // Not `value: 2`: a semaphore below its first value must not be released, and `body` may throw.
        let ahead = DispatchSemaphore(value: 0)
        for _ in 0..<2 { ahead.signal() }
        let (pool, path) = (pool, path)
        let batches = AsyncThrowingStream<[LedgerRecord], any Error> { continuation in
            Thread {
                do {
                    try pool.read { db in
                        try LedgerMove.records(db) { batch in
                            ahead.wait()
                            if case .terminated = continuation.yield(batch) { throw CancellationError() }
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error is CancellationError ? error : LedgerOutage(error, path: path))
                }
            }.start()
        }
        for try await batch in batches {
            defer { ahead.signal() }
            try await body(batch)
        }
    }

    package func insert(_ records: [LedgerRecord]) async throws(LedgerOutage) {
        try await transact { db in
            let tables = LedgerTables(db)
            for record in records { try tables.insert(record) }
        }
    }
}

/// The additions to the file of a ledger that is moved.
enum LedgerMove {
    /// The error message of a moved ledger's triggers.
    static let refusal = "the ledger was moved"

    fileprivate static let findMarkTable = LedgerSQL(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'moved'")
    /// Compiled only for a ledger with the table.
    fileprivate static let findMark = LedgerSQL("SELECT target FROM moved")

    /// The mark of the ledger; nil for none.
    static func mark(_ db: Database) throws -> LedgerMark? { try LedgerTables(db).mark() }

    static func store(_ mark: LedgerMark, _ db: Database) throws {
        try db.execute(sql: "CREATE TABLE moved (target TEXT NOT NULL) STRICT")
        try db.execute(sql: "INSERT INTO moved (target) VALUES (?)", arguments: [mark.text])
    }

    /// Passes all records to `body`, in batches.
    static func records(_ db: Database, _ body: ([LedgerRecord]) throws -> Void) throws {
        var batch: [LedgerRecord] = []
        func read<Row>(_ table: LedgerTable<Row>, _ convert: (Row) -> LedgerRecord) throws {
            try table.each(db) { row in
                batch.append(convert(row))
                guard batch.count == 1000 else { return }
                try body(batch)
                batch = []
            }
        }
        try read(LedgerTables.challenges) { .challenge($0.challenge, consumedAt: $0.consumedAt) }
        try read(LedgerTables.keys) { .key($0) }
        try read(LedgerTables.digests) { .digest($0) }
        try read(LedgerTables.forgotten) { .forgotten(app: $0.app, kind: $0.kind, madeAt: $0.madeAt) }
        try read(LedgerTables.standings) { .standing($0) }
        try read(LedgerTables.operators) { .operator($0.operator, tokenHash: $0.tokenHash) }
        try read(LedgerTables.sealedKeys) { .sealedKey($0) }
        try read(LedgerTables.documents) { .document($0.document, named: $0.name) }
        try read(LedgerTables.tasks) { .task($0) }
        try read(LedgerTables.audit) { .audit($0) }
        if !batch.isEmpty { try body(batch) }
    }
}

extension RowFinder {
    /// The mark of the ledger; nil for none.
    func mark() throws -> LedgerMark? {
        guard try first(LedgerMove.findMarkTable, { _ in }, reading: { _ in true }) != nil else { return nil }
        let target = try first(LedgerMove.findMark, { _ in }) { try StoredRow($0, "moved").text(0) }
        return LedgerMark(Array((target ?? "another place").utf8))
    }
}

/// Stores records of another ledger. Skips a record whose key exists already.
extension LedgerTables {
    private static let insertChallenge = LedgerSQL(
        """
        INSERT OR IGNORE INTO challenge (value, app, purpose, issuedAt, expiresAt, consumedAt) VALUES (?, ?, ?, ?, ?, ?)
        """)
    private static let insertKey = LedgerSQL(
        """
        INSERT OR IGNORE INTO enrolledKey
        (engine, identifier, app, publicKey, counter, enrolledAt, properties, account, retiredAt, skipped)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let insertDigest = LedgerSQL("INSERT OR IGNORE \(digestValues)")
    private static let insertMark = LedgerSQL(
        "INSERT OR IGNORE INTO forgottenUse (app, kind, madeAt) VALUES (?, ?, ?)")
    private static let insertStanding = LedgerSQL("INSERT OR IGNORE \(standingInsertion)")
    private static let insertStoredOperator = LedgerSQL("INSERT OR IGNORE \(operatorValues)")
    private static let insertStoredDocument = LedgerSQL(
        "INSERT OR IGNORE INTO document (name, bytes, revision, storedAt) VALUES (?, ?, ?, ?)")
    private static let insertStoredTask = LedgerSQL(
        "INSERT OR IGNORE INTO task (queue, key, dueAt, holder, bytes, revision) VALUES (?, ?, ?, ?, ?, ?)")
    private static let insertEntry = LedgerSQL("INSERT OR IGNORE \(auditValues)")

    func insert(_ record: LedgerRecord) throws {
        switch record {
        case .challenge(let challenge, let consumedAt):
            try run(
                Self.insertChallenge, challenge.value, challenge.app, challenge.purpose.name, challenge.issuedAt,
                challenge.expiresAt, consumedAt)
        case .key(let key):
            try run(
                Self.insertKey, key.identifier.engine, key.identifier.value, key.app, key.publicKey, Int64(key.counter),
                key.enrolledAt, try LedgerProperties.encode(key.properties), key.account, key.retiredAt,
                StoredCounters.encode(key.counters))
        case .digest(let use): try run(Self.insertDigest) { $0.use(use) }
        case .forgotten(let app, let kind, let madeAt): try run(Self.insertMark, app, kind, madeAt)
        case .standing(let standing):
            forgetAbsentStandings()
            try run(Self.insertStanding) { $0.standing(standing) }
        case .operator(let stored, let tokenHash):
            try run(Self.insertStoredOperator) { $0.operator(stored, tokenHash: tokenHash) }
        case .sealedKey(let key): try insertIfMissing(key)
        case .document(let document, let name):
            try run(Self.insertStoredDocument, name, document.bytes, document.revision, document.storedAt)
        case .task(let task):
            try run(
                Self.insertStoredTask, task.queue, task.key, task.dueAt, task.holder, task.bytes, task.revision)
        case .audit(let entry): try run(Self.insertEntry) { $0.entry(entry) }
        }
    }
}
