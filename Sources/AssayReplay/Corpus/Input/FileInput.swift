import AssayCore
import Foundation

/// A stream of bytes.
protocol ByteInput: AnyObject {
    /// Reads at least one byte, unless there are no more. Blocks the thread.
    /// - Returns: the number of bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int
}

/// A stream that counts its bytes.
protocol PositionedInput: ByteInput {
    var position: Int { get }
}

/// Why a stream cannot be read further.
package struct InputFailure: Error {
    /// The message, with the byte position if known.
    package let message: String
}

/// An open file. A regular one is read up to its size at opening, because it may grow without end; see ``readsToLineEnd``.
final class FileInput: PositionedInput {
    private let descriptor: Int32
    private let isOwner: Bool
    /// The unread bytes of a regular file, by its size at opening; nil for other files.
    private var remaining: Int?
    private var peeked: ArraySlice<UInt8> = []
    private var lastByte: UInt8?
    /// The most bytes to read beyond that size to finish a line.
    private var lineReserve = InputLimits.record
    private(set) var position = 0
    /// Whether to read beyond the size at opening to the end of the line.
    var readsToLineEnd = false

    private init(_ descriptor: Int32, isOwner: Bool) {
        self.descriptor = descriptor
        self.isOwner = isOwner
    }

    deinit { if isOwner { close(descriptor) } }

    /// Standard input. It is not closed afterwards.
    static func standardInput() throws(InputFailure) -> FileInput {
        let input = FileInput(STDIN_FILENO, isOwner: false)
        try input.measure(demandingRegular: false)
        return input
    }

    /// Opens a file. If the user did not give its path, it must be regular, and opening does not block.
    static func open(_ path: [UInt8], isNamed: Bool) throws(InputFailure) -> FileInput {
        var flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
        if !isNamed { flags |= O_NONBLOCK }
        let descriptor = unsafe path.withCPath { unsafe Foundation.open($0, flags) }
        guard descriptor >= 0 else { throw InputFailure(message: "it cannot be opened: \(systemError(errno))") }
        let input = FileInput(descriptor, isOwner: true)
        try input.measure(demandingRegular: !isNamed)
        return input
    }

    private func measure(demandingRegular: Bool) throws(InputFailure) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw InputFailure(message: "it cannot be looked at: \(systemError(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            if demandingRegular { throw InputFailure(message: "it is no regular file any more") }
            return
        }
        // Another process may have consumed part of standard input.
        remaining = max(0, Int(status.st_size) - max(0, Int(lseek(descriptor, 0, SEEK_CUR))))
    }

    /// Whether a read would not block, now or within the given time.
    func isReady(within milliseconds: Int) -> Bool {
        guard remaining == nil, peeked.isEmpty else { return true }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&request, 1, Int32(clamping: milliseconds))
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }

    /// The next `count` bytes without consuming them; fewer at the end.
    func peek(_ count: Int) throws(InputFailure) -> ArraySlice<UInt8> {
        while peeked.count < count {
            let (more, failure) = unsafe [UInt8].reading(atMost: 4096) { (buffer, count) throws(InputFailure) in
                count = unsafe try self.readFile(into: buffer)
            }
            if let failure { throw failure }
            guard !more.isEmpty else { break }
            peeked += more
        }
        return peeked.prefix(count)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        let count: Int
        if peeked.isEmpty {
            count = unsafe try readFile(into: buffer)
        } else {
            let piece = peeked.prefix(buffer.count)
            unsafe buffer.copyBytes(from: piece)
            peeked = peeked.dropFirst(piece.count)
            count = piece.count
        }
        position += count
        return count
    }

    private func readFile(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        guard let remaining else { return unsafe try readSome(into: buffer) }
        guard remaining > 0 else { return unsafe try readToLineEnd(into: buffer) }
        let count = unsafe try readSome(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(remaining)))
        // A file that shrank ends here.
        self.remaining = count == 0 ? 0 : remaining - count
        if count > 0 { lastByte = unsafe buffer[count - 1] } else { lineReserve = 0 }
        return count
    }

    private func readToLineEnd(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        guard readsToLineEnd, lineReserve > 0, let lastByte, lastByte != UInt8(ascii: "\n") else { return 0 }
        var count = unsafe try readSome(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(lineReserve)))
        if let end = unsafe buffer.prefix(count).firstIndex(of: UInt8(ascii: "\n")) {
            count = end + 1
            lineReserve = 0
        } else {
            lineReserve = count == 0 ? 0 : lineReserve - count
        }
        return count
    }

    private func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        while true {
            let count = unsafe Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Standard input may be in non-blocking mode: wait for data.
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&request, 1, -1)
            default: throw InputFailure(message: "byte \(position): it cannot be read: \(systemError(errno))")
            }
        }
    }
}

func systemError(_ number: Int32) -> String {
    guard let words = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: words)
}

extension [UInt8] {
    /// Calls `body` with the bytes as a NUL-terminated path.
    func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let characters = map { CChar(bitPattern: $0) } + [0]
        func lend(_ path: UnsafePointer<CChar>) -> Result { unsafe body(path) }
        return unsafe lend(characters)
    }
}
