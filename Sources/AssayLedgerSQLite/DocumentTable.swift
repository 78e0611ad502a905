public import AssayCore
public import FoundationEssentials
import GRDB

extension SQLiteLedger {
    /// The document of a name.
    public func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        // Do not block the caller's thread: a document can have megabytes.
        try await read { db in try LedgerTables(db).document(named: name) }
    }

    /// Stores a document if the stored revision is the expected one, with entries of the audit trail.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, recording changes: [LedgerChange], at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(bytes, named: name)
        return try await change(at: now, isChange: \.self) { tables in
            let isStored = try tables.store(bytes, named: name, replacing: revision, at: now)
            if isStored { try tables.append(changes) }
            return isStored
        }
    }
}

/// The statements on documents, on one connection. The caller holds the transaction.
extension LedgerTables {
    private static let insertDocument = LedgerSQL(
        "INSERT INTO document (name, bytes, revision, storedAt) VALUES (?, ?, 1, ?) ON CONFLICT (name) DO NOTHING")
    private static let replaceDocument = LedgerSQL(
        "UPDATE document SET bytes = ?, storedAt = ?, revision = revision + 1 WHERE name = ? AND revision = ?")

    static let documents = LedgerTable(
        "document", "name, bytes, revision, storedAt", by: "name"
    ) { row -> (name: String, document: LedgerDocument) in
        (
            try row.text(0),
            LedgerDocument(bytes: try row.bytes(1), revision: try row.integer(2), storedAt: try row.date(3))
        )
    }

    func document(named name: String) throws -> LedgerDocument? {
        try all(Self.documents, "WHERE name = ?", name).first?.document
    }

    /// Stores a document if its stored revision is the expected one. Returns whether it was.
    func store(_ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date) throws -> Bool {
        if revision == 0 { return try run(Self.insertDocument, name, bytes, now) == 1 }
        return try run(Self.replaceDocument, bytes, now, name, revision) == 1
    }
}
