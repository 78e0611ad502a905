import AssayCore
import Foundation

/// Reads files with secrets: checks their permissions, and leaves no copies in memory.
package enum SecretFile {
    /// The mode argument of `chmod` that makes a file with a secret private; nil if the file is private.
    ///
    /// A file of this user must be accessible only to the user. A file of another owner, such as a secret of root that
    /// is mounted into a container, may be readable for its group and writable only for its owner.
    /// With access control lists, the group bits of `mode` are the mask of all entries, so the same rule holds.
    package static func objection(owner: UInt32, mode: UInt32, user: UInt32) -> String? {
        if owner == user { return mode & 0o077 == 0 ? nil : "600" }
        switch (mode & 0o020 != 0, mode & 0o007 != 0) {
        case (false, false): return nil
        case (true, false): return "g-w"
        case (false, true): return "o-rwx"
        case (true, true): return "g-w,o-rwx"
        }
    }

    /// Reads a regular file, or the target of a link. Checks the open file, not its path.
    static func read(_ path: String, limit: Int, isSecret: Bool) throws(SecretSourceError) -> SecretBytes {
        let name = path.excerpt(atMost: 1024)
        // Without O_NONBLOCK, opening a pipe would block until a writer opens it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let number = errno
            throw SecretSourceError(
                number == ENOENT || number == ENOTDIR ? .missing : .unreadable,
                "the file \(name) cannot be read: \(reason(number))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw SecretSourceError(.unreadable, "the file \(name) cannot be read: \(reason(errno))")
        }
        let format = status.st_mode & S_IFMT
        guard format == S_IFREG else {
            throw SecretSourceError(
                .notRegular,
                "\(name) is no regular file: it is a \(format == S_IFDIR ? "folder" : "pipe, device or socket"); "
                    + "name a file")
        }
        if isSecret {
            try demandPrivacy(of: path, status, isReadOnly: isReadOnly(descriptor))
        }
        guard status.st_size > 0 else { throw SecretSourceError(.empty, "the file \(name) is empty") }
        guard status.st_size <= limit else {
            throw SecretSourceError(
                .tooLarge, "the file \(name) has \(status.st_size) bytes, and at most \(limit) are allowed")
        }
        return try contents(of: descriptor, count: Int(status.st_size), name: name)
    }

    private static func demandPrivacy(
        of path: String, _ status: stat, isReadOnly: Bool
    ) throws(SecretSourceError) {
        let user = geteuid()
        guard let change = objection(owner: status.st_uid, mode: UInt32(status.st_mode), user: user) else { return }
        let word = ShellWord.quoted(path)
        let remedy: String
        if isReadOnly {
            remedy =
                "its file system is read-only, so have it mounted with less, or name a copy: "
                + "install -m 600 \(word) NEWPATH"
        } else if status.st_uid == user {
            remedy = "run: chmod \(change) \(word)"
        } else {
            remedy = "let its owner (user \(status.st_uid)) or root run: chmod \(change) \(word)"
        }
        let digits = String(status.st_mode & 0o777, radix: 8)
        throw SecretSourceError(
            .exposed,
            "others may read or replace \(path.excerpt(atMost: 1024)), which holds a secret (mode 0\(digits)); \(remedy)"
        )
    }

    private static func isReadOnly(_ descriptor: Int32) -> Bool {
        var status = statvfs()
        return fstatvfs(descriptor, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// The bytes, read directly into their final memory.
    private static func contents(
        of descriptor: Int32, count: Int, name: String
    ) throws(SecretSourceError) -> SecretBytes {
        var found = 0
        // One more byte, to detect that the file has grown.
        let buffer = try SecretBytes(count: count + 1) { buffer throws(SecretSourceError) in
            while found < buffer.count {
                let step = Foundation.read(
                    descriptor, buffer.baseAddress.map { $0 + found }, buffer.count - found)
                if step == 0 { break }
                if step < 0, errno == EINTR { continue }
                guard step > 0 else {
                    throw SecretSourceError(.unreadable, "the file \(name) cannot be read: \(reason(errno))")
                }
                found += step
            }
        }
        guard found == count else {
            throw SecretSourceError(.unreadable, "the file \(name) was changed while it was read; try again")
        }
        return buffer.withUnsafeBytes { SecretBytes($0[..<count]) }
    }

    private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
