import CBareSQLite
import Foundation

/// Steps counters in the file of a ledger as a program would that is written by hand for nothing else: the C API, every
/// statement prepared once, the same pragmas, and in each transaction the statements that a ledger needs to decide a
/// step, to apply it, and to see that nothing has ended that is to be forgotten.
final class BareSQLite {
    private let connection: OpaquePointer
    private let begin: OpaquePointer
    private let key: OpaquePointer
    private let block: OpaquePointer
    private let advance: OpaquePointer
    private let ended: OpaquePointer
    private let commit: OpaquePointer

    /// - Parameter path: a ledger's file, which nobody else has open in this process.
    init(path: String) {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else { stop("\(path) cannot be opened") }
        func prepare(_ sql: String) -> OpaquePointer {
            var statement: OpaquePointer?
            sqlite3_prepare_v3(opened, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
            guard let statement else { stop(String(cString: sqlite3_errmsg(opened))) }
            return statement
        }
        sqlite3_busy_timeout(opened, 20_000)
        require(
            sqlite3_exec(opened, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", nil, nil, nil) == SQLITE_OK,
            "a pragma is refused")
        connection = opened
        begin = prepare("BEGIN IMMEDIATE")
        key = prepare("SELECT app, counter, retiredAt, skipped FROM enrolledKey WHERE engine = ? AND identifier = ?")
        block = prepare(
            "SELECT kind, name, reason, since, until, allows, checks, operator FROM block WHERE kind = ? AND name = ?")
        advance = prepare(
            "UPDATE enrolledKey SET counter = ?3 WHERE engine = ?1 AND identifier = ?2 AND counter < ?3")
        ended = prepare(
            """
            SELECT EXISTS (SELECT 1 FROM challenge WHERE expiresAt <= ?1),
            EXISTS (SELECT 1 FROM usedDigest WHERE until <= ?1)
            """)
        commit = prepare("COMMIT")
    }

    deinit {
        for statement in [begin, key, block, advance, ended, commit] { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    /// Steps the counters of some keys in one transaction.
    func advance(_ keys: ArraySlice<BareKey>, to counter: UInt32) {
        run(begin)
        for key in keys { advance(key, to: counter) }
        sqlite3_bind_int64(ended, 1, 0)
        require(
            sqlite3_step(ended) == SQLITE_ROW && sqlite3_column_int(ended, 0) == 0 && sqlite3_column_int(ended, 1) == 0,
            "something has ended")
        sqlite3_reset(ended)
        run(commit)
    }

    private func advance(_ wanted: BareKey, to counter: UInt32) {
        bind(key, BareKey.engine, wanted.identifier)
        require(
            sqlite3_step(key) == SQLITE_ROW && sqlite3_column_int64(key, 1) < Int64(counter),
            "a key is missing, or its counter is ahead")
        sqlite3_reset(key)
        bind(block, BareKey.kind, wanted.name)
        require(sqlite3_step(block) == SQLITE_DONE, "a key is blocked")
        sqlite3_reset(block)
        bind(advance, BareKey.engine, wanted.identifier)
        sqlite3_bind_int64(advance, 3, Int64(counter))
        run(advance)
        require(sqlite3_changes(connection) == 1, "a counter is not stepped")
    }

    private func bind(_ statement: OpaquePointer, _ first: BareKey.Value, _ second: BareKey.Value) {
        for (index, value) in [(Int32(1), first), (2, second)] {
            value.bytes.withUnsafeBytes { bytes in
                // What SQLite calls SQLITE_TRANSIENT: it takes a copy.
                let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                if value.isText {
                    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    sqlite3_bind_text(statement, index, text, Int32(bytes.count), copied)
                } else {
                    sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), copied)
                }
            }
        }
    }

    private func run(_ statement: OpaquePointer) {
        guard sqlite3_step(statement) == SQLITE_DONE else { stop(String(cString: sqlite3_errmsg(connection))) }
        sqlite3_reset(statement)
    }
}

/// A key as SQLite is asked for it.
struct BareKey: Sendable {
    struct Value: Sendable {
        let bytes: [UInt8]
        let isText: Bool
    }

    static let engine = Value(bytes: Array("app-attest".utf8), isText: true)
    static let kind = Value(bytes: Array("key".utf8), isText: true)

    let identifier: Value
    /// What it would be blocked under.
    let name: Value

    init(_ identifier: [UInt8]) {
        self.identifier = Value(bytes: identifier, isText: false)
        name = Value(bytes: Array(Data(identifier).base64EncodedString().utf8), isText: true)
    }
}
