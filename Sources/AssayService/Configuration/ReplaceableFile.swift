import AssayCore
import Foundation

/// Rejects configuration files that every user of the machine could change, because the policy decides what is
/// accepted.
enum ReplaceableFile {
    /// Refuses a file that every user may write, or replace because every user may write a folder above it. Links are followed:
    /// the folders of the link count as well as those of its target.
    ///
    /// Two kinds of folders with such a mode are safe: those with the sticky bit, such as `/tmp`, in which only owners replace files,
    /// and those of a file system that is mounted read-only, as Kubernetes mounts a ConfigMap. A file that is missing is not
    /// refused: reading it says so.
    ///
    /// - Throws: `PolicyError` that names the file or folder and its mode.
    static func refuse(_ path: String) throws(PolicyError) {
        let written = URL(fileURLWithPath: path).standardizedFileURL.path
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        if let mode = mode(of: resolved), mode & S_IFMT == S_IFREG, isWritable(resolved, mode) {
            throw PolicyError(
                file: path, field: "",
                "every user of this machine may write the file (mode \(text(mode))); run `chmod o-w` on it")
        }
        for file in written == resolved ? [written] : [written, resolved] {
            var folder = file
            while folder != "/", !folder.isEmpty {
                folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
                guard let mode = mode(of: folder), mode & S_ISVTX == 0, isWritable(folder, mode) else { continue }
                throw PolicyError(
                    file: path, field: "",
                    "every user of this machine may replace the file, because the folder \(folder) has mode \(text(mode)); run "
                        + "`chmod o-w` on the folder, or keep the file in another one")
            }
        }
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }

    private static func isWritable(_ path: String, _ mode: mode_t) -> Bool {
        guard mode & S_IWOTH != 0 else { return false }
        var system = statvfs()
        return statvfs(path, &system) != 0 || system.f_flag & UInt(ST_RDONLY) == 0
    }

    private static func text(_ mode: mode_t) -> String { String(mode & 0o7777, radix: 8) }
}
