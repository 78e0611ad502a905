import AssayCore
import FoundationEssentials
import GRDB
import GRDBSQLite

/// A value as SQLite stores it.
enum StoredValue {
    case null
    case integer(Int64)
    case real
    case text(String)
    case blob([UInt8])
}

/// A statement that GRDB prepares and caches, and that SQLite's own functions bind and step.
///
/// GRDB truncates text at a NUL, so two names could become equal. It also boxes and copies arguments and rows, which
/// takes several times as long as SQLite itself while the other writers of the transaction wait.
struct StoredStatement {
    private let handle: OpaquePointer
    /// Owns the handle; nil for a handle that lives as long as its connection.
    private let owner: Statement?

    init(_ db: Database, _ sql: String) throws {
        let statement = try db.cachedStatement(sql: sql)
        (handle, owner) = (statement.sqliteStatement, statement)
    }

    /// A statement that the caller finalizes.
    init(handle: OpaquePointer) { (self.handle, owner) = (handle, nil) }

    /// Runs a statement that returns no rows. Returns the number of changed rows.
    ///
    /// - Parameter bind: binds the values.
    func run(_ bind: (inout StoredBinding) -> Void) throws -> Int {
        try bound(bind) { handle in
            while try Self.step(handle) {}
            return Int(sqlite3_changes(sqlite3_db_handle(handle)))
        }
    }

    /// The first row, read by `body`; nil for no row.
    func first<Value>(
        _ bind: (inout StoredBinding) -> Void, reading body: (StoredCells) throws -> Value
    ) throws -> Value? {
        try bound(bind) { handle in
            guard try Self.step(handle) else { return nil }
            return try body(StoredCells(handle: handle))
        }
    }

    /// Passes all rows to `body`, one at a time.
    func each(
        _ bind: (inout StoredBinding) -> Void = { _ in }, reading body: (StoredCells) throws -> Void
    ) throws {
        try bound(bind) { handle in
            while try Self.step(handle) { try body(StoredCells(handle: handle)) }
        }
    }

    private func bound<Value>(
        _ bind: (inout StoredBinding) -> Void, _ body: (OpaquePointer) throws -> Value
    ) throws -> Value {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            withExtendedLifetime(owner) {}
        }
        var binding = StoredBinding(handle: handle)
        bind(&binding)
        guard binding.code == SQLITE_OK else { throw Self.error(binding.code) }
        return try body(handle)
    }

    /// Returns whether there is another row.
    private static func step(_ handle: OpaquePointer) throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code where ResultCode(rawValue: code) == .SQLITE_CONSTRAINT_TRIGGER:
            // The message of the trigger.
            throw DatabaseError(
                resultCode: .SQLITE_CONSTRAINT_TRIGGER,
                message: sqlite3_errmsg(sqlite3_db_handle(handle)).map { String(cString: $0) })
        case let code: throw error(code)
        }
    }

    fileprivate static func error(_ code: Int32) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code))
    }
}

/// Binds the values of a statement in order. Without an array, because one commit would allocate a dozen.
struct StoredBinding {
    fileprivate let handle: OpaquePointer
    private var index: Int32 = 0
    /// The first error; `SQLITE_OK` for none.
    fileprivate private(set) var code = SQLITE_OK

    fileprivate init(handle: OpaquePointer) {
        self.handle = handle
    }

    mutating func integer(_ integer: Int64) { note(sqlite3_bind_int64(handle, next(), integer)) }

    mutating func text(_ text: String) {
        let index = next()
        var text = text
        note(
            text.withUTF8 { bytes in
                // An empty text may have a null address, which SQLite would store as NULL.
                bytes.isEmpty
                    ? sqlite3_bind_text(handle, index, "", 0, Self.copied)
                    : bytes.withMemoryRebound(to: CChar.self) {
                        sqlite3_bind_text64(
                            handle, index, $0.baseAddress, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
                    }
            })
    }

    mutating func blob(_ bytes: [UInt8]) {
        let index = next()
        note(
            bytes.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
            })
    }

    /// NULL for nil.
    mutating func integer(_ integer: Int64?) {
        if let integer { self.integer(integer) } else { null() }
    }

    /// NULL for nil.
    mutating func text(_ text: String?) {
        if let text { self.text(text) } else { null() }
    }

    /// Several values, of statements that are rare: they take an array.
    mutating func values(_ values: any StoredBindable...) { all(values) }

    mutating func all(_ values: [any StoredBindable]) { for value in values { value.bind(to: &self) } }

    fileprivate mutating func null() { note(sqlite3_bind_null(handle, next())) }

    /// SQLITE_TRANSIENT, a macro that Swift cannot import. SQLite copies the bytes.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private mutating func next() -> Int32 {
        index += 1
        return index
    }

    private mutating func note(_ result: Int32) {
        if code == SQLITE_OK { code = result }
    }
}

/// A value of a statement. Nil is NULL, and times are microseconds.
protocol StoredBindable {
    func bind(to binding: inout StoredBinding)
}

extension Int64: StoredBindable {
    func bind(to binding: inout StoredBinding) { binding.integer(self) }
}

extension Date: StoredBindable {
    func bind(to binding: inout StoredBinding) { binding.integer(microseconds) }
}

extension String: StoredBindable {
    func bind(to binding: inout StoredBinding) { binding.text(self) }
}

extension [UInt8]: StoredBindable {
    func bind(to binding: inout StoredBinding) { binding.blob(self) }
}

extension Optional: StoredBindable where Wrapped: StoredBindable {
    func bind(to binding: inout StoredBinding) {
        if let self { self.bind(to: &binding) } else { binding.null() }
    }
}

/// The cells of a statement's current row. Valid until the next step.
struct StoredCells {
    fileprivate let handle: OpaquePointer

    /// The value of a cell.
    ///
    /// - Throws: `DatabaseError` if memory runs out. SQLite then returns no pointer, as for an empty blob.
    func cell(_ index: Int) throws -> StoredValue {
        let index = Int32(index)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real
        case SQLITE_TEXT:
            // Get the address first: this call may convert the text and change its length.
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
    /// Whether the transaction has found no block and no allowance; nil if it has not looked.
    var isWithoutStandings: Bool?

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
