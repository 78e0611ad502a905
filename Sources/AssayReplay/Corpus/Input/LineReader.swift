#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Cuts bytes into lines. No line is copied, unless it stands where two pieces meet that were read one after the other.
struct LineReader {
    /// What stands between two line feeds.
    enum Line {
        /// A line, without its line feed.
        case bytes(ArraySlice<UInt8>)
        /// A line of so many bytes, which are more than are allowed. None of them is kept.
        case tooLong(Int)
    }

    /// How far one piece is read.
    private enum Extent {
        /// What is there.
        case once
        /// Until a line feed is among it, or its memory is full.
        case toLineFeed
        /// Until its memory is full.
        case full
    }

    private let input: any ByteInput
    private let chunkSize: Int
    private let limit: Int
    private var chunk: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// Why nothing more can be read.
    private(set) var failure: InputFailure?

    /// - Parameters:
    ///   - chunkSize: how many bytes are read at once.
    ///   - limit: how many bytes a line may have.
    init(_ input: any ByteInput, chunkSize: Int, limit: Int) {
        self.input = input
        self.chunkSize = max(1, chunkSize)
        self.limit = limit
    }

    /// What was read and not handed out yet.
    var unread: ArraySlice<UInt8> { chunk[start...] }

    /// Reads on until a line that is not blank is among what is unread, up to the limit.
    mutating func readFirstLine() {
        while !isAtEnd, unread.count <= limit {
            if let first = unread.firstIndex(where: { !$0.isSpace }), lineFeed(from: first) != nil { return }
            readMore(.toLineFeed)
        }
    }

    /// Reads on until all is unread that there is, up to the limit. Returns whether it is.
    mutating func readAll() -> Bool {
        while !isAtEnd, unread.count <= limit { readMore(.full) }
        return unread.count <= limit
    }

    /// Whether ``next()`` reads nothing more.
    var hasLine: Bool { isAtEnd || lineFeed(from: start) != nil }

    /// Whether so little of a line has been read that ``readOnce()`` is quick, which copies it.
    var isShort: Bool { unread.count <= min(limit, chunkSize) }

    /// Reads what the input has. Blocks only as long as it has nothing.
    mutating func readOnce() {
        guard !isAtEnd else { return }
        readMore(.once)
    }

    /// The next line of what was read, and nil when it does not hold a whole one.
    mutating func nextRead() -> Line? {
        guard let end = lineFeed(from: start) else { return nil }
        defer { start = end + 1 }
        return end - start <= limit ? .bytes(chunk[start..<end]) : .tooLong(end - start)
    }

    /// The next line, and nil at the end or when nothing more can be read: ``failure`` tells. A line that broke off then
    /// is left out.
    mutating func next() -> Line? {
        while true {
            if let line = nextRead() { return line }
            if isAtEnd {
                let rest = unread
                chunk = []
                start = 0
                guard !rest.isEmpty, failure == nil else { return nil }
                return rest.count <= limit ? .bytes(rest) : .tooLong(rest.count)
            }
            if unread.count > limit { return skipLine() }
            readMore(.toLineFeed)
        }
    }

    private mutating func skipLine() -> Line? {
        var count = 0
        while true {
            if let end = lineFeed(from: start) {
                count += end - start
                start = end + 1
                return .tooLong(count)
            }
            count += unread.count
            chunk = []
            start = 0
            if isAtEnd { return failure == nil ? .tooLong(count) : nil }
            readMore(.toLineFeed)
        }
    }

    private func lineFeed(from position: Int) -> Int? {
        unsafe chunk.withUnsafeBytes { unsafe $0.firstLineFeed(from: position) }
    }

    /// Puts what is unread into a new piece of memory, as slices of the old one are with others, and reads on behind it.
    private mutating func readMore(_ extent: Extent) {
        let rest = unread
        let capacity = max(chunkSize, min(2 * rest.count, limit + chunkSize), rest.count + 1)
        let input = input
        var hasEnded = false
        let (bytes, failure) = unsafe [UInt8].reading(atMost: capacity) { (buffer, count) throws(InputFailure) in
            unsafe buffer.copyBytes(from: rest)
            count = rest.count
            while count < buffer.count {
                let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                let more = unsafe try input.read(into: target)
                count += more
                hasEnded = more == 0
                if hasEnded || extent == .once { break }
                if extent == .toLineFeed,
                    unsafe UnsafeRawBufferPointer(rebasing: target.prefix(more)).firstLineFeed(from: 0) != nil
                {
                    break
                }
            }
        }
        chunk = bytes
        start = 0
        self.failure = failure
        isAtEnd = hasEnded || failure != nil
    }
}

extension UnsafeRawBufferPointer {
    /// Where the first line feed stands at a position or after it.
    fileprivate func firstLineFeed(from position: Int) -> Int? {
        guard position < count, let baseAddress,
            let found = unsafe memchr(baseAddress + position, 0x0A, count - position)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - baseAddress
    }
}

extension UInt8 {
    /// Whether it is white space of JSON (RFC 8259 section 2).
    var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension [UInt8] {
    /// The bytes that `body` writes into memory and counts, and why there are no more if it fails.
    static func reading(
        atMost capacity: Int, _ body: (UnsafeMutableRawBufferPointer, inout Int) throws(InputFailure) -> Void
    ) -> ([UInt8], InputFailure?) {
        var failure: InputFailure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            do throws(InputFailure) {
                // More memory may be there than was asked for.
                let asked = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer).prefix(capacity))
                unsafe try body(asked, &count)
            } catch {
                failure = error
            }
        }
        return (bytes, failure)
    }
}
