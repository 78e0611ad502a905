import GRDB

// What tests need to see and to provoke. Not for anybody else.
extension SQLiteLedger {
    /// The value of a PRAGMA on the writer's connection.
    package func writerPragma(_ name: String) throws -> String? {
        try pool.writeWithoutTransaction { db in try String.fetchOne(db, sql: "PRAGMA \(name)") }
    }

    /// Runs a statement on the writer's connection.
    package func executeOnWriter(_ sql: String) throws {
        try pool.writeWithoutTransaction { db in try db.execute(sql: sql) }
    }

    /// Reads the first column of a query as text.
    package func texts(_ sql: String) throws -> [String] {
        try pool.read { db in try String.fetchAll(db, sql: sql) }
    }

    /// Keeps all other writers out while `body` runs.
    package func holdingLock(_ body: () throws -> Void) throws {
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.exclusive) {
                try body()
                return .rollback
            }
        }
    }

    /// Creates a SQLite file by statements of the caller's, without anything of a ledger.
    package static func createDatabase(path: String, sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { db in try db.execute(sql: sql) }
        try queue.close()
    }
}
