import GRDB
import GRDBSQLite

/// A value as SQLite stores it.
enum StoredValue {
    case null
    case integer(Int64)
    case real
    case text(String)
    case blob([UInt8])

    /// NULL for nil.
    static func optional(_ text: String?) -> StoredValue { text.map { .text($0) } ?? .null }
    /// NULL for nil.
    static func optional(_ integer: Int64?) -> StoredValue { integer.map { .integer($0) } ?? .null }
}

/// A statement that GRDB has prepared and keeps, bound and stepped through SQLite itself.
///
/// GRDB takes a text that holds a NUL for the part before it, so that two names could be one. And its arguments and rows
/// are boxes and copies that take several times as long as SQLite does, while writers that share a transaction wait for
/// each other's.
struct StoredStatement {
    /// Owns the handle.
    private let statement: Statement

    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
    }

    /// Runs a statement that gives no rows. Returns how many rows it changed.
    func run(_ values: [StoredValue]) throws -> Int {
        try bound(values) { handle in
            while try Self.step(handle) {}
            return Int(sqlite3_changes(sqlite3_db_handle(handle)))
        }
    }

    /// The first row, read by `body`, and nil when there is none.
    func first<Value>(_ values: [StoredValue], _ body: (StoredCells) throws -> Value) throws -> Value? {
        try bound(values) { handle in
            guard try Self.step(handle) else { return nil }
            return try body(StoredCells(handle: handle))
        }
    }

    /// Hands all rows to `body`, one at a time.
    func each(_ values: [StoredValue], _ body: (StoredCells) throws -> Void) throws {
        try bound(values) { handle in
            while try Self.step(handle) { try body(StoredCells(handle: handle)) }
        }
    }

    private func bound<Value>(_ values: [StoredValue], _ body: (OpaquePointer) throws -> Value) throws -> Value {
        let handle = statement.sqliteStatement
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            withExtendedLifetime(statement) {}
        }
        for (index, value) in values.enumerated() {
            let code = Self.bind(value, handle, Int32(index + 1))
            guard code == SQLITE_OK else { throw Self.error(code) }
        }
        return try body(handle)
    }

    /// Returns whether there is another row.
    private static func step(_ handle: OpaquePointer) throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw error(code)
        }
    }

    fileprivate static func error(_ code: Int32) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code))
    }

    private static func bind(_ value: StoredValue, _ handle: OpaquePointer, _ index: Int32) -> Int32 {
        // Has SQLite take a copy: SQLITE_TRANSIENT, a macro that Swift cannot import.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null:
            return sqlite3_bind_null(handle, index)
        case .integer(let integer):
            return sqlite3_bind_int64(handle, index, integer)
        case .real:
            return SQLITE_MISMATCH
        case .text(let text):
            return sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), copied)
        case .blob(let bytes):
            if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), copied)
            }
        }
    }
}

/// The cells of the row at which a statement stands, for as long as it stands there.
struct StoredCells {
    fileprivate let handle: OpaquePointer

    /// The value of a cell.
    ///
    /// - Throws: `DatabaseError` when there is no memory for it. SQLite has no pointer then, nor has it for no bytes.
    func cell(_ index: Int) throws -> StoredValue {
        let index = Int32(index)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real
        case SQLITE_TEXT:
            // First the address, as asking for it may convert the text and change its length.
            guard let start = sqlite3_column_text(handle, index) else { throw StoredStatement.error(SQLITE_NOMEM) }
            let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            return .text(String(decoding: text, as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, index) else {
                if sqlite3_errcode(sqlite3_db_handle(handle)) == SQLITE_NOMEM {
                    throw StoredStatement.error(SQLITE_NOMEM)
                }
                return .blob([])
            }
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            return .blob(Array(bytes))
        default: return .null
        }
    }

    func isNull(_ index: Int) -> Bool { sqlite3_column_type(handle, Int32(index)) == SQLITE_NULL }

    func columnName(_ index: Int) -> String {
        sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
    }
}
