import Foundation

/// Writes a report so that there is always a whole one: the new one, or what was there before.
public enum ReportFile {
    /// Why a report could not be written.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The file, what was tried, and what the system says.
        public let description: String
    }

    /// Writes to a file beside the one that is meant, has it brought to the disk, and puts it in the other's place. What is
    /// no regular file, such as a pipe, is written to as it is.
    ///
    /// - Parameters:
    ///   - text: what to write, as UTF-8.
    ///   - path: the file. What is there is replaced; a symbolic link is followed.
    /// - Throws: ``Failure``. Then what was there is untouched, and no new file remains.
    public static func write(_ text: String, to path: String) throws(Failure) {
        let bytes = Array(text.utf8)
        let target = unsafe realpath(path, nil).map { resolved in
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        let file = target ?? path
        var status = stat()
        let exists = unsafe stat(file, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG { return try writeThrough(bytes, to: file) }
        let folder = (file as NSString).deletingLastPathComponent
        let temporary = (folder.isEmpty ? "" : folder + "/") + ".assay-\(UUID().uuidString).tmp"
        let mode = exists ? status.st_mode & 0o777 : 0o666
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure(path, "cannot be written") }
        do throws(Failure) {
            defer { close(descriptor) }
            try write(bytes, to: descriptor, path)
            guard fsync(descriptor) == 0 else { throw failure(path, "cannot be written") }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        guard unsafe rename(temporary, file) == 0 else {
            let error = failure(path, "cannot be replaced")
            unsafe unlink(temporary)
            throw error
        }
        // The name is as durable as the contents once the folder is; not every file system can be asked for that.
        let parent = unsafe open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if parent >= 0 {
            fsync(parent)
            close(parent)
        }
    }

    private static func writeThrough(_ bytes: [UInt8], to path: String) throws(Failure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "cannot be written") }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]).baseAddress, buffer.count - written
                )
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw failure(path, "cannot be written")
            }
        }
    }

    private static func failure(_ path: String, _ what: String) -> Failure {
        let number = errno
        return Failure(description: "\(path) \(what): \(unsafe String(cString: strerror(number)))")
    }
}
