import AssayCore
import Foundation

/// Creates files without overwriting, or replaces them as a whole.
enum NewFile {
    /// Creates a file that has `mode` from its creation. Throws ``CommandFailure`` if it exists or cannot be written.
    static func write(_ bytes: SecretBytes, to path: String, mode: mode_t) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it exists already" : SystemError.text(errno)
            throw CommandFailure(.output, "\(path) cannot be made: \(reason)")
        }
        defer { close(descriptor) }
        var failure: Int32 = 0
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count, failure == 0 {
                let count = Foundation.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
                if count > 0 { done += count } else if errno != EINTR { failure = errno }
            }
        }
        if failure == 0, fsync(descriptor) != 0, errno != EINVAL { failure = errno }
        guard failure == 0 else {
            unlink(path)
            throw CommandFailure(.output, "\(path) cannot be written: \(SystemError.text(failure))")
        }
    }
    /// Replaces a file by one that has `mode`; a reader sees the old or the new one. Throws ``CommandFailure`` if it cannot be written.
    static func replace(_ path: String, with bytes: SecretBytes, mode: mode_t) throws(CommandFailure) {
        let new = "\(path).\(getpid()).new"
        // Of a killed process that had the same number.
        unlink(new)
        try write(bytes, to: new, mode: mode)
        guard rename(new, path) == 0 else {
            let reason = SystemError.text(errno)
            unlink(new)
            throw CommandFailure(.output, "\(path) cannot be replaced: \(reason)")
        }
    }
}
