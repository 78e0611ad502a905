import AssayCore
import CoreMetrics
import GRDB
import GRDBSQLite

/// Makes checkpoints copy the whole log again after a sync of the ledger's file that failed.
///
/// A checkpoint beside a reader, or beside a commit of another process, copies a part of the log into the file and counts its frames as
/// copied, without a sync. If a later sync fails, the system may have dropped these pages: Linux does not write them again. SQLite would
/// go on after the counted frames, and overwrite the log once a sync succeeds: acknowledged commits would be lost.
/// <https://www.sqlite.org/walformat.html#the_wal_index_file_format>, <https://wiki.postgresql.org/wiki/Fsync_Errors>
enum FileSync {
    /// Where the index of the log has the number of copied frames (`nBackfill`).
    private static let copiedFrames = 96

    /// The functions of the file. The first are ours, where SQLite finds them.
    private struct Watch {
        let ours, original: sqlite3_io_methods
        let failures: Counter

        static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<Watch>? {
            UnsafeMutableRawPointer(mutating: file?.pointee.pMethods)?.assumingMemoryBound(to: Watch.self)
        }
    }

    /// What counts the syncs that failed. SQLite tells nobody of a checkpoint of its own that fails.
    static func counter() -> Counter { Counter(label: MetricName.ledgerFailedSyncs.rawValue) }

    /// Watches the syncs of a connection's file, which must be in write-ahead mode. Then only checkpoints sync it.
    static func watch(_ db: Database, counting failures: Counter) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &found)
        guard code == SQLITE_OK, let file = found, let original = file.pointee.pMethods else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        var ours = original.pointee
        ours.xSync = { file, flags in
            guard let watch = Watch.of(file) else { return SQLITE_MISUSE }
            let original = watch.pointee.original
            let code = original.xSync(file, flags)
            if code != SQLITE_OK { watch.pointee.failures.increment() }
            var index: UnsafeMutableRawPointer?
            // The checkpoint has the locks under which the number may change. Transactions that are open keep the number with which
            // they began.
            if code != SQLITE_OK, original.xShmMap(file, 0, WriteAheadIndex.partLength, 0, &index) == SQLITE_OK {
                index?.storeBytes(of: 0, toByteOffset: FileSync.copiedFrames, as: UInt32.self)
            }
            return code
        }
        ours.xClose = { file in
            guard let watch = Watch.of(file) else { return SQLITE_MISUSE }
            defer {
                watch.deinitialize(count: 1)
                watch.deallocate()
            }
            return watch.pointee.original.xClose(file)
        }
        let watch = UnsafeMutablePointer<Watch>.allocate(capacity: 1)
        watch.initialize(to: Watch(ours: ours, original: original.pointee, failures: failures))
        file.pointee.pMethods = UnsafeRawPointer(watch).assumingMemoryBound(to: sqlite3_io_methods.self)
    }
}
