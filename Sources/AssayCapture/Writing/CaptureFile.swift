import Foundation

/// One file of captures, open for appending.
final class CaptureFile {
    let path: String
    /// When its first record was received.
    let begin: Date
    private let descriptor: Int32
    /// Whether the last line is a broken one that could not be taken back.
    private var isTorn = false

    private init(_ descriptor: Int32, path: String, begin: Date) {
        self.descriptor = descriptor
        self.path = path
        self.begin = begin
    }

    deinit { close(descriptor) }

    /// Creates a file for its user alone; nil when there is one of that name.
    static func create(_ path: String, at now: Date) throws(CaptureError) -> CaptureFile? {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor < 0 else { return CaptureFile(descriptor, path: path, begin: now) }
        if errno == EEXIST { return nil }
        throw CaptureError(.file, "\(path) cannot be created: \(SystemCall.error())")
    }

    /// How many bytes the file has; nil when nobody can find it any more, as it was removed.
    func size() throws(CaptureError) -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CaptureError(.file, "\(path) cannot be looked at: \(SystemCall.error())")
        }
        return status.st_nlink == 0 ? nil : Int(status.st_size)
    }

    /// Appends a line with one write, so that a process that is killed leaves whole lines.
    ///
    /// - Parameter size: how many bytes the file has. When not all of the line can be written, the file has that many
    ///   afterwards or, when that cannot be either, the next line begins on a line of its own.
    func append(_ line: [UInt8], size: Int) throws(CaptureError) {
        let bytes = isTorn ? [UInt8(ascii: "\n")] + line : line
        guard size + bytes.count <= SystemCall.fileSizeLimit else {
            // The system would end the process with SIGXFSZ.
            throw CaptureError(.file, "\(path) cannot be written to: \(SystemCall.error(EFBIG))")
        }
        let count = SystemCall.retrying { bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        guard count != bytes.count else {
            isTorn = false
            return
        }
        let reason = SystemCall.error(count < 0 ? errno : ENOSPC)
        if count > 0, ftruncate(descriptor, off_t(size)) != 0 { isTorn = true }
        throw CaptureError(.file, "\(path) cannot be written to: \(reason)")
    }

    /// Waits until what was written would survive a power cut.
    func flush() throws(CaptureError) {
        guard SystemCall.retrying({ Int(fsync(descriptor)) }) == 0 else {
            throw CaptureError(.file, "\(path) cannot be written to: \(SystemCall.error())")
        }
    }
}

/// What the system is asked with.
enum SystemCall {
    /// The words for an error.
    static func error(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }

    /// Asks again when a signal came in between.
    static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            guard result < 0, errno == EINTR else { return result }
        }
    }

    /// How many bytes the system lets a file of this process have.
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
