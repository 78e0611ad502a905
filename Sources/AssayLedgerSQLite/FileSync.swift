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

    /// Watches the syncs of a connection's file, which must be in write-ahead mode. Then only checkpoints sync it.
    static func watch(_ db: Database) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &found)
        guard code == SQLITE_OK, let file = found, let original = file.pointee.pMethods else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        // Ours, and behind them the original ones, where the functions find them.
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 2)
        methods.initialize(repeating: original.pointee, count: 2)
        methods.pointee.xSync = { file, flags in
            guard let file, let original = file.pointee.pMethods?[1] else { return SQLITE_MISUSE }
            let code = original.xSync(file, flags)
            var index: UnsafeMutableRawPointer?
            // The checkpoint has the locks under which the number may change. Transactions that are open keep the number with which
            // they began.
            if code != SQLITE_OK, original.xShmMap(file, 0, WriteAheadIndex.partLength, 0, &index) == SQLITE_OK {
                index?.storeBytes(of: 0, toByteOffset: FileSync.copiedFrames, as: UInt32.self)
            }
            return code
        }
        methods.pointee.xClose = { file in
            guard let file, let methods = file.pointee.pMethods else { return SQLITE_MISUSE }
            defer { methods.deallocate() }
            return methods[1].xClose(file)
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }
}
