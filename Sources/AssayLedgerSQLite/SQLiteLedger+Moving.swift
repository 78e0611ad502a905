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
        func read(_ columns: String, by key: String, _ convert: (StoredCells) throws -> LedgerRecord) throws {
            try LedgerTables.each(db, columns, by: key) { row in
                batch.append(try convert(row))
                guard batch.count == 1000 else { return }
                try body(batch)
                batch = []
            }
        }
        try read(LedgerTables.challengeColumns, by: "value") { row in
            let (challenge, consumedAt) = try LedgerTables.challenge(row)
            return .challenge(challenge, consumedAt: consumedAt)
        }
        try read(LedgerTables.keyColumns, by: "engine, identifier") { .key(try LedgerTables.key($0)) }
        try read(LedgerTables.digestColumns, by: "digest") { .digest(try LedgerTables.digest($0)) }
        try read("app, kind, madeAt FROM forgottenUse", by: "app, kind") { cells in
            let row = StoredRow(cells, "forgottenUse")
            return .forgotten(app: try row.text(0), kind: try row.text(1), madeAt: try row.integer(2))
        }
        try read(LedgerTables.standingColumns, by: "kind, name") { .standing(try LedgerTables.standing($0)) }
        try read(LedgerTables.operatorColumns, by: "name, addedAt") { cells in
            let stored = try LedgerTables.storedOperator(cells)
            return .operator(stored.operator, tokenHash: stored.tokenHash)
        }
        try read(LedgerTables.sealedKeyColumns, by: "name") { .sealedKey(try LedgerTables.sealedKey($0)) }
        try read(LedgerTables.documentColumns, by: "name") { cells in
            let stored = try LedgerTables.document(cells)
            return .document(stored.document, named: stored.name)
        }
        try read(LedgerTables.taskColumns, by: "queue, key") { .task(try LedgerTables.task($0)) }
        try read(LedgerTables.auditColumns, by: "number") { .audit(try LedgerTables.auditEntry($0)) }
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
            try run(Self.insertChallenge) {
                $0.blob(challenge.value)
                $0.text(challenge.app)
                $0.text(challenge.purpose.name)
                $0.integer(challenge.issuedAt.microseconds)
                $0.integer(challenge.expiresAt.microseconds)
                $0.integer(consumedAt?.microseconds)
            }
        case .key(let key): try insert(key, Self.insertKey)
        case .digest(let use): try run(Self.insertDigest) { $0.use(use) }
        case .forgotten(let app, let kind, let madeAt):
            try run(Self.insertMark) {
                $0.text(app)
                $0.text(kind)
                $0.integer(madeAt)
            }
        case .standing(let standing): try run(Self.insertStanding) { $0.standing(standing) }
        case .operator(let stored, let tokenHash):
            try run(Self.insertStoredOperator) { $0.operator(stored, tokenHash: tokenHash) }
        case .sealedKey(let key): try insertIfMissing(key)
        case .document(let document, let name):
            try run(Self.insertStoredDocument) {
                $0.text(name)
                $0.blob(document.bytes)
                $0.integer(document.revision)
                $0.integer(document.storedAt.microseconds)
            }
        case .task(let task):
            try run(Self.insertStoredTask) {
                $0.text(task.queue)
                $0.blob(task.key)
                $0.integer(task.dueAt.microseconds)
                $0.text(task.holder)
                $0.blob(task.bytes)
                $0.integer(task.revision)
            }
        case .audit(let entry): try run(Self.insertEntry) { $0.entry(entry) }
        }
    }

    private func insert(_ key: EnrolledKey, _ sql: LedgerSQL) throws {
        let properties = try LedgerProperties.encode(key.properties)
        try run(sql) {
            $0.key(key.identifier)
            $0.text(key.app)
            $0.blob(key.publicKey)
            $0.integer(Int64(key.counter))
            $0.integer(key.enrolledAt.microseconds)
            $0.text(properties)
            $0.text(key.account)
            $0.integer(key.retiredAt?.microseconds)
            $0.blob(StoredCounters.encode(key.counters))
        }
    }
}
