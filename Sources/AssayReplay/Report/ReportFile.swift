import Foundation

/// Writes a report atomically: the file has either the new content or the old one.
package enum ReportFile {
    /// Why a report could not be written.
    package struct Failure: Error, CustomStringConvertible {
        /// The file, what failed, and the system's reason.
        package let description: String
    }

    /// The target of a path.
    private struct Target {
        /// The file after following symbolic links.
        let file: String
        let folder: String
        var mode: mode_t = 0o666
        /// Whether it is a pipe or a device, which is written directly. True for a folder too, where writing then
        /// fails.
        var isSpecial = false

        init(_ path: String) {
            let resolved = unsafe realpath(path, nil).map { resolved in
                defer { unsafe free(resolved) }
                return unsafe String(cString: resolved)
            }
            file = resolved ?? path
            let parent = (file as NSString).deletingLastPathComponent
            folder = parent.isEmpty ? "." : parent
            var status = stat()
            guard unsafe stat(file, &status) == 0 else { return }
            isSpecial = status.st_mode & S_IFMT != S_IFREG
            mode = status.st_mode & 0o777
        }

        /// Creates a new file beside the target. Returns its path and descriptor; a negative descriptor means an error.
        func makeTemporary() -> (path: String, descriptor: Int32) {
            let path = "\(folder)/.assay-\(UUID().uuidString).tmp"
            return (path, unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode))
        }
    }

    /// Checks before the replay that its report can be written. Creates and removes the temporary file of
    /// ``write(_:to:)``.
    package static func check(_ path: String) throws(Failure) {
        let target = Target(path)
        guard !target.isSpecial else {
            let descriptor = unsafe open(target.file, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            // ENXIO: the pipe has no reader yet.
            guard descriptor >= 0 || errno == ENXIO else { throw failure(path, "cannot be written") }
            close(descriptor)
            return
        }
        let (temporary, descriptor) = target.makeTemporary()
        guard descriptor >= 0 else { throw failure(path, "cannot be written") }
        close(descriptor)
        unsafe unlink(temporary)
    }

    /// Writes a temporary file in the same folder, calls fsync, and renames it; writes directly to a pipe or a device. Symbolic links
    /// are followed; an existing file keeps its mode, and its contents on a failure.
    package static func write(_ text: String, to path: String) throws(Failure) {
        let target = Target(path)
        guard !target.isSpecial else {
            return try write(text, to: unsafe open(target.file, O_WRONLY | O_CLOEXEC), path)
        }
        let (temporary, descriptor) = target.makeTemporary()
        do throws(Failure) {
            try write(text, to: descriptor, path, isSynced: true)
            guard unsafe rename(temporary, target.file) == 0 else { throw failure(path, "cannot be replaced") }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        // Sync the folder, to persist the rename. Some file systems do not support this.
        let parent = unsafe open(target.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
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
