import AssayCore
import Foundation
import GRDB

extension LedgerOutage {
    /// Describes a failure of the file at a path. The message has neither SQL nor values.
    ///
    /// Result codes: <https://www.sqlite.org/rescode.html>.
    init(_ error: any Error, path: String) {
        switch error {
        case let outage as LedgerOutage:
            self = outage
        case let error as StoredValueError:
            self.init(
                .corrupt,
                "\(path) holds \(error.column) in table \(error.table) that no ledger writes; "
                    + "restore the file, or see what `assay ledger check` finds")
        case let error as DatabaseError:
            self.init(error.resultCode, error.extendedResultCode, isMoved: error.message == LedgerMove.refusal, path)
        default:
            self.init(.internalError, "\(path) could not be used, for an unexpected \(type(of: error))")
        }
    }

    private init(_ code: ResultCode, _ extended: ResultCode, isMoved: Bool, _ path: String) {
        let number = "SQLite \(extended.rawValue)"
        if isMoved {
            self.init(
                .wrongLedger,
                "\(path) refuses the write (\(number)): the ledger was moved; name the one that it was moved to")
            return
        }
        switch code {
        case .SQLITE_FULL:
            self.init(.full, "there is no space left for \(path) (\(number)); free some on its disk")
        case .SQLITE_READONLY, .SQLITE_PERM:
            self.init(.readOnly, "\(path) may not be written to (\(number)); check its permissions and its disk")
        case .SQLITE_CANTOPEN where Self.isReadOnly(path):
            self.init(
                .readOnly,
                "\(path) may not be written to, or no file beside it (\(number)); check the permissions of the file and its folder, and their disk"
            )
        case .SQLITE_CANTOPEN, .SQLITE_AUTH, .SQLITE_NOLFS:
            self.init(.unreachable, "\(path) cannot be opened (\(number)): \(Self.obstacle(path))")
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
            self.init(.locked, "another process holds \(path) for too long (\(number)); see which one has it open")
        case .SQLITE_NOTADB:
            self.init(.corrupt, "\(path) is not a ledger, or its first page is damaged (\(number)); name another file")
        case .SQLITE_CORRUPT, .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_MISMATCH:
            self.init(.corrupt, "\(path) is damaged (\(number)); restore it, or see what `assay ledger check` finds")
        case .SQLITE_IOERR:
            self.init(.inputOutput, "reading or writing \(path) failed (\(number)); check its disk and the system log")
        case .SQLITE_NOMEM:
            self.init(.outOfMemory, "there is no memory left to use \(path) (\(number)); see what takes it")
        case .SQLITE_MISUSE:
            self.init(.unreachable, "\(path) has been closed")
        default:
            self.init(.internalError, "\(path) could not be used (\(number))")
        }
    }

    /// Whether a file can be read, but it or its folder, in which SQLite keeps two more files, cannot be written to.
    private static func isReadOnly(_ path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return access(path, R_OK) == 0 && (access(path, W_OK) != 0 || access(folder, W_OK) != 0)
    }

    /// The probable reason why a file cannot be opened, and what to do.
    static func obstacle(_ path: String) -> String {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            return isFolder.boolValue ? "it is a folder; name a file" : "check its permissions and those of its folder"
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return FileManager.default.fileExists(atPath: folder)
            ? "check the permissions of \(folder)" : "there is no folder \(folder); create it"
    }
}
