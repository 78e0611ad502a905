import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of an open file, as they stand there.
///
/// A regular file may grow while it is read, and for ever. It is read as far as it went when it was opened; see
/// ``readsToLineEnd`` for what comes after that.
final class FileInput: ByteInput {
    private let descriptor: Int32
    private let isOwner: Bool
    /// How many bytes remain of those that a regular file had when it was opened; nil for others.
    private var remaining: Int?
    private var peeked: ArraySlice<UInt8> = []
    private var lastByte: UInt8?
    /// How many bytes more may be read in search of the end of a line.
    private var overtime = InputLimits.record
    /// How many bytes were handed out.
    private(set) var position = 0
    /// Whether the line amid which the file ended when it was opened is read to its end, if that has come by now. It was
    /// being written at that moment, and is no broken one.
    var readsToLineEnd = false

    private init(_ descriptor: Int32, isOwner: Bool) {
        self.descriptor = descriptor
        self.isOwner = isOwner
    }

    deinit { if isOwner { close(descriptor) } }

    /// Standard input, which stays open.
    static func standardInput() throws(InputFailure) -> FileInput {
        let input = FileInput(STDIN_FILENO, isOwner: false)
        try input.measure(demandingRegular: false)
        return input
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the bytes of its path.
    ///   - isNamed: whether somebody asked for this very file; one that was found must be a regular file, and opening it
    ///     waits for nobody.
    static func open(_ path: [UInt8], isNamed: Bool) throws(InputFailure) -> FileInput {
        var flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
        if !isNamed { flags |= O_NONBLOCK }
        let descriptor = unsafe path.withCPath { path in
            #if canImport(Glibc)
                unsafe Glibc.open(path, flags)
            #elseif canImport(Musl)
                unsafe Musl.open(path, flags)
            #else
                unsafe Darwin.open(path, flags)
            #endif
        }
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
        // Standard input may be a file of which somebody else has read a part.
        remaining = max(0, Int(status.st_size) - max(0, Int(lseek(descriptor, 0, SEEK_CUR))))
    }

    /// Whether reading waits for nobody, or will not in some milliseconds.
    func isReady(within milliseconds: Int) -> Bool {
        guard remaining == nil, peeked.isEmpty else { return true }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&request, 1, Int32(clamping: milliseconds))
            // A signal that is handled says nothing about the file.
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }

    /// The first bytes, which stay to be read: as many as asked for, or all there are.
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
        // A file that shrank has ended.
        self.remaining = count == 0 ? 0 : remaining - count
        if count > 0 { lastByte = unsafe buffer[count - 1] } else { overtime = 0 }
        return count
    }

    private func readToLineEnd(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        guard readsToLineEnd, overtime > 0, let lastByte, lastByte != UInt8(ascii: "\n") else { return 0 }
        var count = unsafe try readSome(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(overtime)))
        if let end = unsafe buffer.prefix(count).firstIndex(of: UInt8(ascii: "\n")) {
            count = end + 1
            overtime = 0
        } else {
            overtime = count == 0 ? 0 : overtime - count
        }
        return count
    }

    private func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        while true {
            #if canImport(Glibc)
                let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Whoever opened standard input may have made it one that does not wait.
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&request, 1, -1)
            default: throw InputFailure(message: "byte \(position): it cannot be read: \(systemError(errno))")
            }
        }
    }
}

/// The system's words for one of its errors.
func systemError(_ number: Int32) -> String {
    guard let words = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: words)
}

extension [UInt8] {
    /// Lends the bytes as a path for the system, which ends with a NUL.
    func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let characters = map { CChar(bitPattern: $0) } + [0]
        func lend(_ path: UnsafePointer<CChar>) -> Result { unsafe body(path) }
        return unsafe lend(characters)
    }
}
