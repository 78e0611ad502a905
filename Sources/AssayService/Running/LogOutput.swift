import Foundation
import Synchronization

/// Standard error, as the log's destination. A line that the system does not take at once is lost and counted: a program that does not
/// read its pipe, or a full disk, delays no verdict.
enum LogOutput {
    private enum Way: Sendable {
        /// A regular file, or a descriptor that cannot be examined.
        case file
        case socket
        /// A pipe or a terminal, opened again without waiting. The flag of the inherited description would also hold for other
        /// programs that share it.
        case own(Int32)
        /// A pipe or a terminal that cannot be opened again.
        case polled
    }

    private static let way: Way = {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return .file }
        switch status.st_mode & S_IFMT {
        case S_IFSOCK: return .socket
        case S_IFIFO, S_IFCHR:
            let own = Foundation.open("/proc/self/fd/\(STDERR_FILENO)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            return own >= 0 ? .own(own) : .polled
        default: return .file
        }
    }()

    /// `PIPE_BUF` of Linux, in bytes.
    private static let pipeBuffer = 4096

    /// Whether the last line was written in part.
    private static let isCut = Atomic(false)
    private static let uncounted = Atomic(0)
    private static let unreported = Atomic(0)

    /// How many lines were lost since the last call.
    static func takeUncounted() -> Int { uncounted.exchange(0, ordering: .relaxed) }

    /// How many lines were lost since the last call.
    static func takeUnreported() -> Int { unreported.exchange(0, ordering: .relaxed) }

    /// Writes a line at once, so that the lines of several threads do not mix.
    static func write(_ line: String) {
        let wasCut = isCut.exchange(false, ordering: .relaxed)
        let bytes = Array(((wasCut ? "\n" : "") + line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes(take)
            guard count > 0 || count < 0 && errno == EINTR else { break }
            written += max(0, count)
        }
        guard written < bytes.count else { return }
        if wasCut || written > 0 { isCut.store(true, ordering: .relaxed) }
        uncounted.add(1, ordering: .relaxed)
        unreported.add(1, ordering: .relaxed)
    }

    /// Writes what the system takes without waiting; negative for nothing.
    private static func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch way {
        case .file: return Foundation.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        case .socket:
            return send(STDERR_FILENO, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        case .own(let descriptor): return Foundation.write(descriptor, bytes.baseAddress, bytes.count)
        case .polled:
            var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 0) > 0 else { return 0 }
            // A pipe that is ready takes this many bytes (pipe(7)). If another writer fills it between the two calls, this
            // thread waits, and no other.
            return Foundation.write(STDERR_FILENO, bytes.baseAddress, min(bytes.count, pipeBuffer))
        }
    }
}
