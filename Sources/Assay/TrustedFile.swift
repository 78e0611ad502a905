package import AssayPrimitives
import Foundation

/// Opens the files that decide what is accepted: policies, roots, key sets, status lists, certificates, configurations and
/// secrets.
///
/// The path is followed name by name, with every folder held open, so that what was looked at is what is read. Refused are:
/// - everything but regular files, without opening it: a pipe would block, and a device may act;
/// - a file that every user may write, unless its file system is mounted read-only, as Kubernetes mounts a ConfigMap;
/// - a file behind a folder that every user may write, be it a folder of the path or of a symbolic link on the way. With the
///   sticky bit, as in `/tmp`, the next name must belong to root, to this user or to the folder's owner;
/// - a file with a secret that others may read; see ``SecretFile``.
package enum TrustedFile {
    /// Linux resolves at most so many links (path_resolution(7)).
    private static let maximumLinks = 40
    /// `O_PATH`, which the C library declares in a form that Swift does not import.
    private static let onlyPath: Int32 = 0o10000000

    /// Reads a file of at most `limit` bytes.
    ///
    /// - Parameters:
    ///   - subject: what errors call the file.
    ///   - isSecret: whether other users may not read it.
    /// - Throws: ``SecretSourceError``: what is wrong, and what to do.
    package static func read(
        _ path: String, called subject: String = "the file", limit: Int, isSecret: Bool = false
    ) throws(SecretSourceError) -> SecretBytes {
        var walk = try Walk(path, subject)
        let file = try walk.openFile(isSecret: isSecret)
        return try contents(of: file, limit: limit, subject)
    }

    /// An open descriptor.
    private final class Descriptor {
        let number: Int32

        /// Nil if the system refuses, with the reason in `errno`.
        init?(_ number: Int32) {
            guard number >= 0 else { return nil }
            self.number = number
        }

        deinit { close(number) }

        var status: stat? {
            var status = stat()
            return fstat(number, &status) == 0 ? status : nil
        }

        var isReadOnly: Bool {
            var status = statvfs()
            return fstatvfs(number, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
        }
    }

    /// The way along a path.
    private struct Walk {
        let path: String
        let subject: String
        /// The names that are still to come, the next one last.
        private var names: [String] = []
        private var links = 0
        private var folder: Descriptor
        private var folderStatus: stat
        /// The path of the folder; empty for the root.
        private var place = ""

        init(_ path: String, _ subject: String) throws(SecretSourceError) {
            (self.path, self.subject) = (path, subject)
            guard !path.isEmpty, !path.utf8.contains(0) else { throw Self.failure(subject, ENOENT) }
            guard let root = Descriptor(open("/", onlyPath | O_DIRECTORY | O_CLOEXEC)), let status = root.status
            else { throw Self.failure(subject, errno) }
            (folder, folderStatus) = (root, status)
            push(path)
            if path.utf8.first != UInt8(ascii: "/") {
                let current = FileManager.default.currentDirectoryPath
                guard !current.isEmpty else { throw Self.failure(subject, ENOENT) }
                push(current)
            }
            try requireTrustedFolder()
        }

        private mutating func push(_ path: String) {
            names += path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
        }

        /// Opens the file at the end of the path for reading.
        mutating func openFile(isSecret: Bool) throws(SecretSourceError) -> Descriptor {
            while let name = names.popLast() {
                guard let child = Descriptor(openat(folder.number, name, onlyPath | O_NOFOLLOW | O_CLOEXEC)),
                    let status = child.status
                else { throw Self.failure(subject, errno) }
                try requireTrustedOwner(of: name, status)
                switch status.st_mode & S_IFMT {
                case S_IFLNK: try follow(child)
                case S_IFDIR:
                    guard !names.isEmpty else { throw notRegular("a folder") }
                    if name == ".." {
                        place = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? ""
                    } else {
                        place += "/\(name)"
                    }
                    (folder, folderStatus) = (child, status)
                    try requireTrustedFolder()
                case S_IFREG:
                    guard names.isEmpty else { throw Self.failure(subject, ENOTDIR) }
                    return try reopen(child, name, status, isSecret)
                default:
                    guard names.isEmpty else { throw Self.failure(subject, ENOTDIR) }
                    throw notRegular("a pipe, device or socket")
                }
            }
            throw notRegular("a folder")
        }

        private mutating func follow(_ link: Descriptor) throws(SecretSourceError) {
            links += 1
            guard links <= maximumLinks else { throw Self.failure(subject, ELOOP) }
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlinkat(link.number, "", &buffer, buffer.count)
            guard count > 0, count < buffer.count else { throw Self.failure(subject, count < 0 ? errno : ELOOP) }
            let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // The links of /proc/self/fd name no path but such as `pipe:[1234]`.
            if place.utf8.starts(with: "/proc/".utf8), target.contains(":[") {
                throw notRegular("a pipe, device or socket")
            }
            if target.utf8.first == UInt8(ascii: "/") {
                guard let root = Descriptor(open("/", onlyPath | O_DIRECTORY | O_CLOEXEC)),
                    let status = root.status
                else { throw Self.failure(subject, errno) }
                (folder, folderStatus, place) = (root, status, "")
            }
            push(target)
        }

        /// Opens the file that was found for reading.
        private func reopen(
            _ found: Descriptor, _ name: String, _ status: stat, _ isSecret: Bool
        ) throws(SecretSourceError) -> Descriptor {
            if isSecret {
                try SecretFile.requirePrivacy(of: path, status, isReadOnly: found.isReadOnly)
            } else if status.st_mode & S_IWOTH != 0, !found.isReadOnly {
                throw SecretSourceError(
                    .exposed,
                    "every user of this machine may write \(subject) (mode \(Self.text(status.st_mode))); run `chmod o-w` on it"
                )
            }
            let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            guard let file = Descriptor(openat(folder.number, name, flags)), let opened = file.status else {
                throw Self.failure(subject, errno)
            }
            guard opened.st_dev == status.st_dev, opened.st_ino == status.st_ino else {
                throw SecretSourceError(.unreadable, "\(subject) was replaced while it was opened; try again")
            }
            return file
        }

        // MARK: Rules

        private func requireTrustedFolder() throws(SecretSourceError) {
            guard folderStatus.st_mode & S_IWOTH != 0, folderStatus.st_mode & S_ISVTX == 0, !folder.isReadOnly else {
                return
            }
            throw SecretSourceError(
                .exposed,
                "every user of this machine may replace \(subject), because the folder \(shownFolder) has mode \(Self.text(folderStatus.st_mode)); run "
                    + "`chmod o-w` on the folder, or keep the file in another one")
        }

        /// In a folder with the sticky bit, every user may make files, but only replace those of their own.
        private func requireTrustedOwner(of name: String, _ status: stat) throws(SecretSourceError) {
            guard folderStatus.st_mode & S_IWOTH != 0, name != "..", !folder.isReadOnly else { return }
            let user = geteuid()
            guard ![0, user, folderStatus.st_uid].contains(status.st_uid) else { return }
            throw SecretSourceError(
                .exposed,
                "any user of this machine may have made \(subject): in the folder \(shownFolder) every user may make files, and "
                    + "\(name.excerpt) there belongs to user \(status.st_uid), neither to root nor to this user (\(user)); "
                    + "keep the file in another folder, or have root change the owner")
        }

        private var shownFolder: String { place.isEmpty ? "/" : place.excerpt(atMost: 1024) }

        private func notRegular(_ kind: String) -> SecretSourceError {
            SecretSourceError(
                .notRegular, "\(subject) cannot be read: it is \(kind), and no regular file; name a file")
        }

        private static func text(_ mode: mode_t) -> String { String(mode & 0o7777, radix: 8) }

        private static func failure(_ subject: String, _ number: Int32) -> SecretSourceError {
            TrustedFile.failure(subject, number)
        }
    }

    private static func failure(_ subject: String, _ number: Int32) -> SecretSourceError {
        let reason =
            switch number {
            case ENOENT, ENOTDIR: "it does not exist"
            case EACCES: "this user may not read it"
            default: String(cString: strerror(number))
            }
        return SecretSourceError(
            number == ENOENT || number == ENOTDIR ? .missing : .unreadable, "\(subject) cannot be read: \(reason)")
    }

    /// The bytes, read directly into their final memory.
    private static func contents(
        of file: Descriptor, limit: Int, _ subject: String
    ) throws(SecretSourceError) -> SecretBytes {
        guard let size = file.status?.st_size else { throw failure(subject, errno) }
        guard size <= limit else {
            throw SecretSourceError(.tooLarge, "\(subject) has more than the \(limit) bytes that are allowed")
        }
        let count = Int(size)
        var found = 0
        // One more byte, to detect that the file has grown.
        let buffer = try SecretBytes(count: count + 1) { buffer throws(SecretSourceError) in
            while found < buffer.count {
                let step = Foundation.read(
                    file.number, buffer.baseAddress.map { $0 + found }, buffer.count - found)
                if step == 0 { break }
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { throw failure(subject, errno) }
                found += step
            }
        }
        guard found == count else {
            throw SecretSourceError(.unreadable, "\(subject) was changed while it was read; try again")
        }
        return buffer.withUnsafeBytes { SecretBytes($0[..<count]) }
    }
}
