import AssayCore
import Foundation

/// The permissions of files with secrets.
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

    /// Refuses a file that others may read or replace.
    static func requirePrivacy(of path: String, _ status: stat, isReadOnly: Bool) throws(SecretSourceError) {
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
}
