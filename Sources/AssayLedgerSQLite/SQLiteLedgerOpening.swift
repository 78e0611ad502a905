public import AssayCore
import Foundation
import GRDB

extension SQLiteLedger {
    /// Opens a ledger, and creates it if the file is missing or empty. Blocks the caller's thread.
    ///
    /// Opening writes to the file, so that a ledger that cannot be written to is noticed now. Several processes may
    /// open a new file at once.
    /// - Parameters:
    ///   - path: the file; its folder must exist. Only its user can read a new one, as it holds open challenges.
    ///     SQLite puts two more files, `-wal` and `-shm`, beside it, which may stay after closing.
    ///   - busyTimeout: how long an operation waits for other processes before it is a
    ///     ``OutageCode/locked`` outage.
    /// - Throws: ``LedgerOutage``: ``OutageCode/unreachable`` if the path is not a regular file,
    ///   ``OutageCode/corrupt`` for a file that is not a ledger, which is left as it is, and
    ///   ``OutageCode/newerSchema`` for a ledger of a newer version.
    public static func open(
        path: String, busyTimeout: Duration = defaultBusyTimeout
    ) throws(LedgerOutage) -> SQLiteLedger {
        try open(path: path, busyTimeout: busyTimeout, maximumPageCount: nil)
    }

    /// How long an operation waits for other processes by default.
    public static let defaultBusyTimeout = Duration.seconds(5)

    /// Opens a ledger with a limit of pages, so that tests can fill it, or with another clock for purging.
    package static func open(
        path: String, busyTimeout: Duration = defaultBusyTimeout, maximumPageCount: Int? = nil,
        purging: LedgerPurging = .byClock({ Date() }), isMoving: Bool = false
    ) throws(LedgerOutage) -> SQLiteLedger {
        // SQLite would open a temporary database, which is not durable.
        guard !path.isEmpty, !path.hasPrefix(":"), !path.hasPrefix("file:") else {
            throw LedgerOutage(.unreachable, "\"\(path)\" is not the path of a file")
        }
        let isNew = try LedgerFile.prepare(path)
        let deadline = ContinuousClock.now + busyTimeout
        while true {
            do {
                return try attempt(path, isNew: isNew, BusyWait(busyTimeout), maximumPageCount, purging, isMoving)
            } catch {
                guard isRace(error), ContinuousClock.now < deadline else { throw LedgerOutage(error, path: path) }
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }

    /// Opens a ledger to move it, also one that is marked as moved.
    package static func openToMove(path: String) throws(LedgerOutage) -> SQLiteLedger {
        try open(path: path, purging: .never, isMoving: true)
    }

    /// Whether an error may come from processes that create, open or close the same file at the same time, in steps for which
    /// SQLite does not wait.
    private static func isRace(_ error: any Error) -> Bool {
        if let error = error as? DatabaseError {
            return [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CONSTRAINT].contains(error.resultCode)
        }
        // GRDB asks for the size of a write-ahead log that another process has removed meanwhile, by closing the file last.
        let error = error as NSError
        return error.domain == CocoaError.errorDomain
            && [.fileReadNoSuchFile, .fileNoSuchFile].contains(CocoaError.Code(rawValue: error.code))
    }

    private static func attempt(
        _ path: String, isNew: Bool, _ busyWait: BusyWait, _ maximumPageCount: Int?, _ purging: LedgerPurging,
        _ isMoving: Bool
    ) throws -> SQLiteLedger {
        let configuration = configuration(busyWait, maximumPageCount)
        // A pool turns the file to write-ahead mode before it can be asked what it is; a foreign file must not be
        // changed at all. (Reading the header without SQLite would not do: closing a file drops SQLite's locks on it.)
        if !isNew {
            let probe = try DatabaseQueue(path: path, configuration: configuration)
            // One snapshot: between two reads another process may make an empty file a ledger.
            try probe.read { db in _ = try LedgerSchema.recognise(db, path, isMoving: isMoving) }
            try probe.close()
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // GRDB sets NORMAL, which may lose the last transactions in a power cut. The others matter on Darwin only.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            // SQLite keeps the old mode if it cannot convert the file, and reports the mode only on request. In
            // another mode a power cut could take back what was answered, `synchronous` or not.
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else {
                throw LedgerOutage(
                    .inputOutput, "\(path) cannot be turned to write-ahead mode; check its disk and the system log")
            }
            try db.inTransaction(.immediate) {
                if try LedgerSchema.recognise(db, path, isMoving: isMoving) == nil { try LedgerSchema.claim(db) }
                // Writing it proves that the ledger can be written to.
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                try db.execute(sql: "PRAGMA user_version = \(version)")
                return .commit
            }
        }
        try LedgerSchema.migrator(purging.clock).migrate(pool)
        return SQLiteLedger(pool: pool, busyWait: busyWait, purging: purging)
    }

    private static func configuration(_ busyWait: BusyWait, _ maximumPageCount: Int?) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = busyWait.mode
        configuration.foreignKeysEnabled = true
        configuration.label = "AssayLedger"
        configuration.prepareDatabase { db in
            // GRDB has the readers of a pool wait for ten seconds, whatever the mode says.
            if db.configuration.readonly {
                try db.execute(sql: "PRAGMA busy_timeout = \(busyWait.milliseconds)")
            }
            if let maximumPageCount { try db.execute(sql: "PRAGMA max_page_count = \(maximumPageCount)") }
        }
        return configuration
    }
}
