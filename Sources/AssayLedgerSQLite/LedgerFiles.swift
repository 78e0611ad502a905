import AssayCore
import Foundation
import Synchronization

/// The three files of an open ledger: its file, and the write-ahead log and the log's index beside it.
///
/// SQLite finds the log and the index by the name of the file. A process that opens the same file by another name has another log:
/// both would accept one piece of evidence. So the file has one name, and a name leads to the file that is open.
/// <https://www.sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file>
struct LedgerFiles: Sendable {
    /// What a name leads to.
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
    }

    private static let suffixes = ["", "-wal", "-shm"]
    /// Linux's O_PATH, which the module of the C library lacks. Closing such a descriptor releases no lock of SQLite on the file.
    private static let pathOnly: Int32 = 0o10_000_000

    /// The path as the caller names it, which may be a symbolic link.
    private let path: String
    /// The path without symbolic links.
    private let file: String
    private let identities: [Identity]

    /// Records the files of a ledger that this process has open.
    init(_ path: String) throws(LedgerOutage) {
        file = try Self.requireOneName(path)
        // Absolute: the process may change its folder.
        self.path = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        var identities: [Identity] = []
        for suffix in Self.suffixes {
            var status = stat()
            guard lstat(file + suffix, &status) == 0 else { throw Self.outage(path, "\(file)\(suffix) is missing") }
            identities.append(Identity(status))
        }
        self.identities = identities
        if let objection { throw objection }
        guard Self.areOpen(identities) else { throw Self.outage(path, "another file has taken its place") }
    }

    /// Refuses a file with several names, before it is opened.
    ///
    /// - Returns: the path without symbolic links.
    @discardableResult
    static func requireOneName(_ path: String) throws(LedgerOutage) -> String {
        guard let resolved = realpath(path, nil) else { throw outage(path, "it is missing") }
        defer { free(resolved) }
        let file = String(cString: resolved)
        for suffix in suffixes {
            var status = stat()
            guard lstat(file + suffix, &status) == 0 else { continue }
            if let objection = objection(to: status) { throw outage(path, "\(file)\(suffix) \(objection)") }
        }
        if let objection = objectionToMount(of: file) { throw outage(path, objection) }
        return file
    }

    /// Why the open ledger is not the one at its path, or not there alone; nil if it is.
    var objection: LedgerOutage? {
        var status = stat()
        guard stat(path, &status) == 0 else { return Self.outage(path, "it", errno) }
        guard Identity(status) == identities[0] else { return Self.outage(path, "another file has taken its place") }
        for (suffix, identity) in zip(Self.suffixes, identities) {
            let name = file + suffix
            guard lstat(name, &status) == 0 else { return Self.outage(path, name, errno) }
            guard Identity(status) == identity else {
                return Self.outage(path, "another file has taken the place of \(name)")
            }
            if let objection = Self.objection(to: status) { return Self.outage(path, "\(name) \(objection)") }
        }
        return Self.objectionToMount(of: file).map { Self.outage(path, $0) }
    }

    /// The outage for a file that cannot be looked at. It is lost only if it is not there.
    private static func outage(_ path: String, _ name: String, _ error: Int32) -> LedgerOutage {
        if error == ENOENT || error == ENOTDIR { return outage(path, "\(name) was removed") }
        return LedgerOutage(
            .inputOutput,
            "\(path) cannot be looked at: \(String(cString: strerror(error))); check the rights of its folders, and its disk"
        )
    }

    private static func objection(to status: stat) -> String? {
        guard status.st_mode & S_IFMT == S_IFREG else { return "is no regular file" }
        return status.st_nlink == 1 ? nil : "has \(status.st_nlink) names (hard links); leave it one"
    }

    /// A file that is mounted alone has another name elsewhere, where its log is not.
    private static func objectionToMount(of file: String) -> String? {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        guard let own = mount(of: file), let other = mount(of: folder), own != other else { return nil }
        return "the single file is mounted; mount its folder"
    }

    /// The number of the mount of a path; nil if the system does not state it.
    private static func mount(of path: String) -> Int? {
        #if os(Linux)
            let descriptor = open(path, pathOnly | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            let text = try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
            let line = text?.split(separator: "\n").first { $0.hasPrefix("mnt_id:") }
            return line?.split(separator: "\t").last.flatMap { Int($0) }
        #else
            return nil
        #endif
    }

    /// Whether each is a file of which this process has a descriptor.
    private static func areOpen(_ identities: [Identity]) -> Bool {
        var missing = identities
        var status = stat()
        for descriptor in 0..<Int32(65_536) where fstat(descriptor, &status) == 0 {
            let found = Identity(status)
            missing.removeAll { $0 == found }
            if missing.isEmpty { return true }
        }
        return false
    }

    /// The outage for an older ledger in the open file.
    ///
    /// - Parameter lost: what it lacks, such as "entry 7 of the audit trail".
    static func olderContents(_ path: String, lacking lost: String) -> LedgerOutage {
        LedgerOutage(
            .wrongLedger,
            "\(path) lacks \(lost): an older ledger was written into the file. Stop all processes that use it, put it in quarantine with "
                + "`assay ledger quarantine`, and start them again")
    }

    static func outage(_ path: String, _ what: String) -> LedgerOutage {
        LedgerOutage(
            .wrongLedger,
            "\(path) is not, or not alone, the ledger that is open: \(what). Stop all processes that use it, see which file is "
                + "right, and start them again")
    }
}

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
