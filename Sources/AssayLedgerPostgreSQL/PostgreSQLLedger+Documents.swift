public import AssayCore
public import FoundationEssentials

extension PostgreSQLLedger {
    /// The document of a name.
    public func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        var parameters = Parameters()
        parameters.add(text: name)
        return try await find(Step(statements.findDocument, parameters)) { rows in
            try rows.first("document") { (row) throws(StoredValueError) in
                LedgerDocument(bytes: try row.bytes(0), revision: try row.integer(1), storedAt: try row.date(2))
            }
        }
    }

    /// Stores a document if the stored revision is the expected one.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try LedgerRules.requireStorable(bytes, named: name)
        guard (0..<Int64.max).contains(revision) else { return false }
        let step = Self.store(bytes, named: name, replacing: revision, at: now, statements.schema)
        return try await change { change in try change.run(step).count == 1 }
    }

    private static func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date, _ schema: String
    ) -> Step {
        var parameters = Parameters()
        parameters.add(text: name)
        parameters.add(bytes)
        parameters.add(now.microseconds)
        if revision == 0 {
            return Step(
                Statement(
                    """
                    INSERT INTO \(schema).document (name, content, revision, stored_at) VALUES ($1, $2, 1, $3)
                    ON CONFLICT (name) DO NOTHING RETURNING revision
                    """), parameters)
        }
        parameters.add(revision)
        return Step(
            Statement(
                """
                UPDATE \(schema).document SET content = $2, revision = revision + 1, stored_at = $3
                WHERE name = $1 AND revision = $4 RETURNING revision
                """), parameters)
    }
}
