import AssayCore
import AssayPrimitives
import GRDB
import GRDBSQLite
import Synchronization

/// Connections for short lookups on the caller's thread. Each query sees all earlier commits.
///
/// GRDB's readers take ten times as long for a key: they change threads and query the schema version each time.
final class LookUpConnections: Sendable {
    private struct State: ~Copyable {
        var connection: LookUpConnection?
        var isClosed = false
    }

    private final class Slot: Sendable {
        let state = Mutex(State())
        private let gap = ThreadGroup.Gap()
    }

    private let path: String
    private let busyTimeout: Int32
    private let watch: LedgerWatch
    private let slots = (0..<4).map { _ in Slot() }
    private let queriesForAnyStanding = Atomic<Int>(0)
    private let queriesForOperators = Atomic<Int>(0)

    /// - Parameter busyTimeout: how long a query waits for a process that recovers the file, in milliseconds.
    init(path: String, busyTimeout: Int32, watch: LedgerWatch) {
        (self.path, self.busyTimeout, self.watch) = (path, busyTimeout, watch)
    }

    /// Calls `body` with a connection that no other thread uses.
    ///
    /// - Parameter now: the time, of ``LedgerWatch/now``.
    /// - Throws: `DatabaseError`, also after closing, and the errors of `body`.
    func find<Value: Sendable>(
        at now: UInt64, _ body: @Sendable (any RowFinder) throws -> Value
    ) throws -> Value {
        if watch.isDue(at: now) { try look(at: now) }
        return try withConnection { connection in try body(connection) }
    }

    /// Reads the first row of each table on a new connection, which has none of their pages in memory, and looks whether the file is
    /// still the ledger.
    func prove() throws {
        let connection = try LookUpConnection(path: path, busyTimeout: busyTimeout)
        try connection.readTables()
        try watch.check(at: LedgerWatch.now, connection, isLatest: true)
    }

    /// Whether no block and no allowance exists. Runs a query only if a process has committed since the last one.
    func isWithoutStandings(at now: UInt64) throws -> Bool {
        if watch.isDue(at: now) { try look(at: now) }
        return try withConnection { connection in
            if connection.isKnownToBeWithoutStandings { return true }
            queriesForAnyStanding.add(1, ordering: .relaxed)
            return try connection.isWithoutStandings()
        }
    }

    /// The operator with the hash of a token, in any state. Runs a query only if a process has committed since it was found.
    func storedOperator(tokenHash: [UInt8], at now: UInt64) throws -> LedgerOperator? {
        if watch.isDue(at: now) { try look(at: now) }
        return try withConnection { connection in
            if let known = connection.knownOperator(tokenHash: tokenHash) { return known }
            queriesForOperators.add(1, ordering: .relaxed)
            return try connection.findOperator(tokenHash: tokenHash)
        }
    }

    /// How many queries have looked for an operator.
    var countOfQueriesForOperators: Int { queriesForOperators.load(ordering: .relaxed) }

    /// How many queries have looked whether any standing exists.
    var countOfQueriesForAnyStanding: Int { queriesForAnyStanding.load(ordering: .relaxed) }

    /// Looks whether the file is still the ledger.
    private func look(at now: UInt64) throws {
        try watch.requireFiles()
        try withConnection { connection in try watch.check(at: now, connection, isLatest: true) }
    }

    private func withConnection<Value: Sendable>(_ body: (LookUpConnection) throws -> Value) throws -> Value {
        let own = ThreadGroup.current
        for number in slots.indices {
            let result = try slots[(own + number) % slots.count].state.withLockIfAvailable { state in
                try body(connection(&state))
            }
            if let result { return result }
        }
        return try slots[own % slots.count].state.withLock { state in try body(connection(&state)) }
    }

    private func connection(_ state: inout State) throws -> LookUpConnection {
        guard !state.isClosed else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        if let connection = state.connection { return connection }
        let connection = try LookUpConnection(path: path, busyTimeout: busyTimeout)
        state.connection = connection
        return connection
    }

    /// Closes all connections. Later queries are errors.
    func close() {
        for slot in slots {
            slot.state.withLock { state in
                state.isClosed = true
                state.connection = nil
            }
        }
    }
}

/// One read-only connection.
private final class LookUpConnection: RowFinder {
    private let handle: OpaquePointer
    private var prepared: [(sql: LedgerSQL, statement: OpaquePointer)] = []
    private var index: WriteAheadIndex?
    /// The state of the file in which no standing exists.
    private var stateWithoutStandings: WriteAheadIndex.State?
    /// The operators that were found in a state of the file.
    private var operators: (state: WriteAheadIndex.State, found: [(tokenHash: [UInt8], operator: LedgerOperator)])?
    /// The most operators that are kept: a service has few callers.
    private static let operatorLimit = 16

    init(path: String, busyTimeout: Int32) throws {
        var opened: OpaquePointer?
        // A lock protects each connection, so SQLite needs no mutex.
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        handle = opened
        sqlite3_busy_timeout(opened, busyTimeout)
    }

    deinit {
        for entry in prepared { sqlite3_finalize(entry.statement) }
        sqlite3_close_v2(handle)
    }

    /// Whether the file is still in the state in which no standing existed.
    var isKnownToBeWithoutStandings: Bool {
        guard let state = index?.state else { return false }
        return state == stateWithoutStandings
    }

    /// Looks whether no block and no allowance exists, and keeps the state of the file if so.
    func isWithoutStandings() throws -> Bool {
        let state = index?.state
        let isWithout = try hasNoStanding()
        // SQLite has mapped the index by now.
        index = index ?? WriteAheadIndex(of: handle)
        stateWithoutStandings = isWithout && index?.state == state ? state : nil
        return isWithout
    }

    /// The operator with the hash of a token, if it was found in the present state of the file.
    func knownOperator(tokenHash: [UInt8]) -> LedgerOperator? {
        guard let operators, let state = index?.state, state == operators.state else { return nil }
        return operators.found.first { $0.tokenHash == tokenHash }?.operator
    }

    /// Looks for the operator with the hash of a token, and keeps it with the state of the file.
    func findOperator(tokenHash: [UInt8]) throws -> LedgerOperator? {
        let state = index?.state
        let found = try storedOperator(tokenHash: tokenHash)
        // SQLite has mapped the index by now.
        index = index ?? WriteAheadIndex(of: handle)
        guard let found, let state, index?.state == state else { return found }
        var kept = operators?.state == state ? operators?.found ?? [] : []
        if kept.count >= Self.operatorLimit { kept = [] }
        operators = (state, kept + [(tokenHash, found)])
        return found
    }

    func readTables() throws {
        for table in LedgerSchema.tables {
            _ = try statement(LedgerSQL("SELECT * FROM \(table) LIMIT 1")).first({ _ in }, reading: { _ in true })
        }
    }

    func statement(_ sql: LedgerSQL) throws -> StoredStatement {
        for entry in prepared where entry.sql === sql { return StoredStatement(handle: entry.statement) }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        prepared.append((sql, statement))
        return StoredStatement(handle: statement)
    }
}

/// The beginning of the index of the write-ahead log, which all processes with the file share in memory. Each commit of any of them
/// changes it before it is answered, so that what was read stays true as long as it stays the same.
///
/// <https://www.sqlite.org/walformat.html#the_wal_index_header>
struct WriteAheadIndex {
    /// The header: counters of commits and frames, sizes, and checksums of all frames.
    struct State: Equatable {
        private let words: (SIMD4<UInt64>, SIMD2<UInt64>)

        fileprivate init(_ start: UnsafeRawPointer) {
            words = (
                start.loadUnaligned(as: SIMD4<UInt64>.self),
                start.loadUnaligned(fromByteOffset: 32, as: SIMD2<UInt64>.self)
            )
        }

        /// A counter of commits, from 0 in a new index.
        fileprivate var commits: UInt32 { UInt32(truncatingIfNeeded: words.0[1]) }

        static func == (one: State, other: State) -> Bool { one.words == other.words }
    }

    private static let headerLength = 48
    /// The length of the part that SQLite maps at once.
    static let partLength: Int32 = 32_768
    private let start: UnsafeRawPointer

    /// - Parameter connection: one that has read the file. The index must not be used after it is closed.
    /// - Returns: nil without an index, as in other modes of the journal.
    init?(of connection: OpaquePointer) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var part: UnsafeMutableRawPointer?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods?.pointee, methods.iVersion >= 2, let map = methods.xShmMap,
            map(file, 0, Self.partLength, 0, &part) == SQLITE_OK, let part
        else { return nil }
        start = UnsafeRawPointer(part)
    }

    /// The present state; nil while a process changes it, and while nothing was written since it was made anew: such an index of another
    /// file content could be equal.
    var state: State? {
        // A writer changes the copy behind it first, and SQLite reads in this order too.
        let state = State(start)
        atomicMemoryFence(ordering: .acquiring)
        return State(start + Self.headerLength) == state && state.commits != 0 ? state : nil
    }
}
