import Foundation

/// A capture file, open for appending.
final class CaptureFile {
    let path: String
    /// The time of the first record.
    let begin: Date
    private let descriptor: Int32
    /// Whether the last line is incomplete and could not be truncated.
    private var isTorn = false
    /// The number of appended lines.
    private(set) var lines = 0

    private init(_ descriptor: Int32, path: String, begin: Date) {
        (self.descriptor, self.path, self.begin) = (descriptor, path, begin)
    }

    deinit { close(descriptor) }

    /// Creates a file with mode 0600; nil if the name exists.
    static func create(_ path: String, at now: Date) throws(CaptureError) -> CaptureFile? {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor < 0 else { return CaptureFile(descriptor, path: path, begin: now) }
        if errno == EEXIST { return nil }
        throw CaptureError(.file, "\(path) cannot be created: \(SystemCall.error())")
    }

    /// The size in bytes; nil if the file was removed.
    func size() throws(CaptureError) -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CaptureError(.file, "\(path) cannot be looked at: \(SystemCall.error())")
        }
        return status.st_nlink == 0 ? nil : Int(status.st_size)
    }

    /// Appends a line with one write, so that a killed process leaves whole lines.
    ///
    /// - Parameter size: the size of the file. After an incomplete write the file is truncated to it; if that fails,
    ///   the next line starts with a line feed.
    func append(_ line: [UInt8], size: Int) throws(CaptureError) {
        let bytes = isTorn ? [UInt8(ascii: "\n")] + line : line
        guard size + bytes.count <= SystemCall.fileSizeLimit else {
            // Otherwise the system kills the process with SIGXFSZ.
            throw CaptureError(.file, "\(path) cannot be written to: \(SystemCall.error(EFBIG))")
        }
        let count = SystemCall.retrying { bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        guard count != bytes.count else {
            isTorn = false
            lines += 1
            return
        }
        let reason = SystemCall.error(count < 0 ? errno : ENOSPC)
        if count > 0, ftruncate(descriptor, off_t(size)) != 0 { isTorn = true }
        throw CaptureError(.file, "\(path) cannot be written to: \(reason)")
    }

    /// Syncs the file to the disk.
    func flush() throws(CaptureError) {
        guard SystemCall.retrying({ Int(fsync(descriptor)) }) == 0 else {
            throw CaptureError(.file, "\(path) cannot be written to: \(SystemCall.error())")
        }
    }
}

/// Helpers for system calls.
enum SystemCall {
    /// The description of an error number.
    static func error(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }

    /// Repeats a call that a signal interrupted.
    static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            guard result < 0, errno == EINTR else { return result }
        }
    }

    /// The file size limit of this process, in bytes.
    static var fileSizeLimit: Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }
}
