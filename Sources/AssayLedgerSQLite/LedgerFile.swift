import AssayCore
import Foundation
import Synchronization

/// Checks and creates the file of a ledger before SQLite opens it.
enum LedgerFile {
    /// Closing a descriptor releases all locks of the process on its file (POSIX, fcntl). So no thread of this process
    /// may open the file with SQLite before the creating descriptor is closed.
    private static let creation = Mutex(())

    /// Creates the file if it is missing. Only its user can read it; SQLite gives its `-wal` and `-shm` the same mode.
    ///
    /// - Returns: whether it was created.
    /// - Throws: ``LedgerOutage`` when it cannot be created; for anything but a regular file, or a symbolic link to one:
    ///   SQLite would put a journal beside a device, and wait at a pipe; and for a file with several names.
    static func prepare(_ path: String) throws(LedgerOutage) -> Bool {
        let failure = creation.withLock { _ in create(path) }
        guard failure != 0 else {
            try LedgerFiles.requireOneName(path)
            return true
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw outage(failure, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            throw LedgerOutage(
                .unreachable,
                "\(path) is no regular file: it is a \(isFolder ? "folder" : "device, pipe or socket"); "
                    + "name a file")
        }
        try LedgerFiles.requireOneName(path)
        return false
    }

    /// Returns 0 or the error number.
    private static func create(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    private static func outage(_ failure: Int32, _ path: String) -> LedgerOutage {
        switch failure {
        case ENOSPC, EDQUOT:
            LedgerOutage(.full, "there is no space left for \(path); free some on its disk")
        case EEXIST:
            // SQLite would create the target of the link, in a folder that may be missing for a reason.
            LedgerOutage(.unreachable, "\(path) is a link to a file that is missing; name the file itself")
        default:
            LedgerOutage(
                [EROFS, EACCES, EPERM].contains(failure) ? .readOnly : .unreachable,
                "\(path) cannot be created (\(String(cString: strerror(failure)))): \(LedgerOutage.obstacle(path))")
        }
    }
}
