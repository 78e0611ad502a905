import Foundation

/// Writes a report atomically: the file has either the new content or the old one.
package enum ReportFile {
    /// Why a report could not be written.
    package struct Failure: Error, CustomStringConvertible {
        /// The file, what failed, and the system's reason.
        package let description: String
    }

    /// Writes a temporary file in the same folder, calls fsync, and renames it. Writes directly to a pipe or a device.
    ///
    /// - Parameter path: the file. Symbolic links are followed; an existing file keeps its mode.
    /// - Throws: ``Failure``. Then the old file is unchanged, and the temporary file is removed.
    package static func write(_ text: String, to path: String) throws(Failure) {
        let target = unsafe realpath(path, nil).map { resolved in
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        let file = target ?? path
        var status = stat()
        let exists = unsafe stat(file, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG {
            return try write(text, to: unsafe open(file, O_WRONLY | O_CLOEXEC), path)
        }
        let folder = (file as NSString).deletingLastPathComponent
        let temporary = (folder.isEmpty ? "" : folder + "/") + ".assay-\(UUID().uuidString).tmp"
        let mode = exists ? status.st_mode & 0o777 : 0o666
        do throws(Failure) {
            let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            try write(text, to: descriptor, path, isSynced: true)
            guard unsafe rename(temporary, file) == 0 else { throw failure(path, "cannot be replaced") }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        // Sync the folder, to persist the rename. Some file systems do not support this.
        let parent = unsafe open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if parent >= 0 {
            fsync(parent)
            close(parent)
        }
    }

    /// Writes to a descriptor and closes it. A negative descriptor means that `open` failed.
    private static func write(
        _ text: String, to descriptor: Int32, _ path: String, isSynced: Bool = false
    ) throws(Failure) {
        guard descriptor >= 0 else { throw failure(path, "cannot be written") }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure(path, "cannot be written")
            }
        }
        guard !isSynced || fsync(descriptor) == 0 else { throw failure(path, "cannot be written") }
    }

    private static func failure(_ path: String, _ what: String) -> Failure {
        let number = errno
        return Failure(description: "\(path) \(what): \(unsafe String(cString: strerror(number)))")
    }
}
