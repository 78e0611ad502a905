import GRDB
import GRDBSQLite

// For tests only.
extension SQLiteLedger {
    /// The value of a PRAGMA on the writer's connection.
    package func writerPragma(_ name: String) throws -> String? {
        try pool.writeWithoutTransaction { db in try String.fetchOne(db, sql: "PRAGMA \(name)") }
    }

    /// Runs a statement on the writer's connection.
    package func executeOnWriter(_ sql: String) throws {
        try pool.writeWithoutTransaction { db in try db.execute(sql: sql) }
    }

    /// Keeps the present state of the file readable, as a long read does, until the result is released.
    package func snapshot() throws -> any Sendable { try pool.makeSnapshot() }

    /// Reads the first column of a query as text.
    package func texts(_ sql: String) throws -> [String] {
        try pool.read { db in try String.fetchAll(db, sql: sql) }
    }

    /// How many queries ``isWithoutStandings`` has made.
    package var countOfQueriesForAnyStanding: Int { lookUps.countOfQueriesForAnyStanding }

    /// How many queries have looked for the operator of a token.
    package var countOfQueriesForOperators: Int { lookUps.countOfQueriesForOperators }

    /// SQLite's query plan for the standings of a number of subjects, one text per step.
    package func standingsPlan(subjects count: Int) throws -> [String] {
        try pool.read { db in
            let sql = "EXPLAIN QUERY PLAN \(LedgerTables.standingsQuery(subjects: count))"
            let names = StatementArguments(repeatElement("", count: 2 * count))
            return try Row.fetchAll(db, sql: sql, arguments: names).map { row in row["detail"] ?? "" }
        }
    }

    /// Limits SQLite's memory in this process to its current use plus a number of bytes; nil for no limit.
    package static func limitMemory(toBytesMore bytes: Int?) {
        // 0 means no limit.
        sqlite3_hard_heap_limit64(bytes.map { max(1, sqlite3_memory_used() + Int64($0)) } ?? 0)
    }

    /// Blocks all other writers while `body` runs.
    package func holdingLock(_ body: () throws -> Void) throws {
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.exclusive) {
                try body()
                return .rollback
            }
        }
    }

    /// Creates a SQLite file with the given statements. It need not be a ledger.
    package static func createDatabase(path: String, sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { db in try db.execute(sql: sql) }
        try queue.close()
    }
}
