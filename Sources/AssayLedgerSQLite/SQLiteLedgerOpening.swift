public import AssayCore
import Foundation
import GRDB

extension SQLiteLedger {
    /// Opens a ledger, and creates it if the file is missing or empty. Blocks the caller's thread.
    ///
    /// Opening writes to the file, to detect a read-only ledger immediately. Several processes may open a new file at
    /// once.
    /// - Parameters:
    ///   - path: the file. Its folder must exist. A new file has mode 0600, because it stores open challenges. SQLite
    ///     creates two more files, `-wal` and `-shm`, beside it, which may remain after closing.
    ///   - busyTimeout: how long an operation waits for other processes before it fails with the outage
    ///     ``OutageCode/locked``.
    /// - Throws: ``LedgerOutage``: ``OutageCode/unreachable`` if the path is not a regular file, ``OutageCode/corrupt``
    ///   for a file that is not a ledger of a release, which stays unchanged, ``OutageCode/newerSchema`` for a ledger of a newer
    ///   version, and ``OutageCode/wrongLedger`` for a ledger that was moved, and for a file with several names: hard
    ///   links, or a mount of the single file.
    public static func open(
        path: String, busyTimeout: Duration = defaultBusyTimeout
    ) throws(LedgerOutage) -> SQLiteLedger {
        try open(path: path, busyTimeout: busyTimeout, maximumPageCount: nil)
    }

    /// The default time that an operation waits for other processes.
    public static let defaultBusyTimeout = Duration.seconds(5)

    /// Opens a ledger with a maximum number of pages, so that tests can fill it, or with another clock for purging.
    package static func open(
        path: String, busyTimeout: Duration = defaultBusyTimeout, maximumPageCount: Int? = nil,
        purging: LedgerPurging = .byClock({ Date() }), isMoving: Bool = false
    ) throws(LedgerOutage) -> SQLiteLedger {
        // For these paths SQLite would open a temporary database, which is not durable.
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

    /// Opens a ledger to move it, even if it is marked as moved.
    package static func openToMove(path: String) throws(LedgerOutage) -> SQLiteLedger {
        try open(path: path, purging: .never, isMoving: true)
    }

    /// Whether an error may come from processes that create, open or close the same file at the same time. SQLite does
    /// not wait in some of these steps.
    private static func isRace(_ error: any Error) -> Bool {
        if let error = error as? DatabaseError {
            return [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CONSTRAINT].contains(error.resultCode)
        }
        // GRDB reads the size of a write-ahead log that another process has just removed by closing the file.
        let error = error as NSError
        return error.domain == CocoaError.errorDomain
            && [.fileReadNoSuchFile, .fileNoSuchFile].contains(CocoaError.Code(rawValue: error.code))
    }

    private static func attempt(
        _ path: String, isNew: Bool, _ busyWait: BusyWait, _ maximumPageCount: Int?, _ purging: LedgerPurging,
        _ isMoving: Bool
    ) throws -> SQLiteLedger {
        let configuration = configuration(busyWait, maximumPageCount)
        // Check the file first: a pool switches it to write-ahead mode when it opens it, and another program's file
        // must not be changed. Read the header with SQLite, because closing a descriptor would release SQLite's locks.
        if !isNew {
            let probe = try DatabaseQueue(path: path, configuration: configuration)
            // One snapshot: between two reads another process may turn an empty file into a ledger.
            try probe.read { db in _ = try LedgerSchema.recognise(db, path, isMoving: isMoving) }
            try probe.close()
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        let failedSyncs = FileSync.counter()
        try pool.writeWithoutTransaction { db in
            // GRDB sets NORMAL, which can lose the last transactions in a power cut. The other two settings only affect
            // Darwin.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            // If SQLite cannot convert the file, it keeps the old mode without an error. In another mode a power cut
            // could undo answered writes, despite `synchronous`.
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else {
                throw LedgerOutage(
                    .inputOutput, "\(path) cannot be turned to write-ahead mode; check its disk and the system log")
            }
            try FileSync.watch(db, counting: failedSyncs)
            try db.inTransaction(.immediate) {
                try LedgerSchema.update(db, from: LedgerSchema.recognise(db, path, isMoving: isMoving))
                return .commit
            }
        }
        // From here on this process keeps the log and its index open.
        let watch = LedgerWatch(try LedgerFiles(path), path: path, isMoving: isMoving)
        try pool.writeWithoutTransaction { db in try watch.check(at: LedgerWatch.now, LedgerTables(db), isLatest: true)
        }
        return SQLiteLedger(pool: pool, busyWait: busyWait, purging: purging, watch: watch)
    }

    private static func configuration(_ busyWait: BusyWait, _ maximumPageCount: Int?) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = busyWait.mode
        configuration.foreignKeysEnabled = true
        configuration.label = "AssayLedger"
        configuration.prepareDatabase { db in
            // GRDB makes the readers of a pool wait for ten seconds, whatever the configuration says.
            if db.configuration.readonly {
                try db.execute(sql: "PRAGMA busy_timeout = \(busyWait.milliseconds)")
            }
            if let maximumPageCount { try db.execute(sql: "PRAGMA max_page_count = \(maximumPageCount)") }
        }
        return configuration
    }
}
