import GRDB

/// The SQL text of a statement. Compared by identity: hashing the text costs more than binding the values.
final class LedgerSQL: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// The prepared statements of one transaction. Each write runs the same few statements.
final class PreparedStatements {
    private let db: Database
    private var statements: [(sql: LedgerSQL, statement: StoredStatement)] = []

    init(_ db: Database) {
        self.db = db
    }

    func statement(_ sql: LedgerSQL) throws -> StoredStatement {
        for entry in statements where entry.sql === sql { return entry.statement }
        let statement = try StoredStatement(db, sql.text)
        statements.append((sql, statement))
        return statement
    }
}
