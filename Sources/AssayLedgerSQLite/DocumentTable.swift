public import AssayCore
public import FoundationEssentials
import GRDB

extension SQLiteLedger {
    /// The document of a name.
    public func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        // Do not block the caller's thread: a document can have megabytes.
        try await read { db in try LedgerTables(db).document(named: name) }
    }

    /// Stores a document if the stored revision is the expected one.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await store(bytes, named: name, replacing: revision, recording: [], at: now)
    }

    /// Stores a document if the stored revision is the expected one, with entries of the audit trail.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, recording changes: [LedgerChange], at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(bytes, named: name)
        let write = LedgerWrite.store(bytes, named: name, replacing: revision, recording: changes)
        guard case .changed(let isStored) = try await writer.submit(write, at: now) else {
            throw LedgerOutage(.internalError, "storing a document in \(path) gave no answer")
        }
        return isStored
    }
}

/// The statements on documents, on one connection. The caller holds the transaction.
extension LedgerTables {
    static let documentColumns = "name, bytes, revision, storedAt FROM document"

    private static let findDocument = LedgerSQL("SELECT \(documentColumns) WHERE name = ?")
    private static let insertDocument = LedgerSQL(
        "INSERT INTO document (name, bytes, revision, storedAt) VALUES (?, ?, 1, ?) ON CONFLICT (name) DO NOTHING")
    private static let replaceDocument = LedgerSQL(
        "UPDATE document SET bytes = ?, storedAt = ?, revision = revision + 1 WHERE name = ? AND revision = ?")

    static func document(_ row: StoredCells) throws -> (name: String, document: LedgerDocument) {
        let row = StoredRow(row, "document")
        let document = LedgerDocument(
            bytes: try row.bytes(1), revision: try row.integer(2), storedAt: try row.date(3))
        return (try row.text(0), document)
    }

    func document(named name: String) throws -> LedgerDocument? {
        try first(Self.findDocument, { $0.text(name) }) { try Self.document($0).document }
    }

    /// Stores a document if its stored revision is the expected one. Returns whether it was.
    func store(_ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date) throws -> Bool {
        if revision == 0 {
            return try run(Self.insertDocument) {
                $0.text(name)
                $0.blob(bytes)
                $0.integer(now.microseconds)
            } == 1
        }
        return try run(Self.replaceDocument) {
            $0.blob(bytes)
            $0.integer(now.microseconds)
            $0.text(name)
            $0.integer(revision)
        } == 1
    }
}
