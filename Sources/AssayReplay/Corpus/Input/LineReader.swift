import Foundation

/// Splits bytes into lines. Copies only lines that span two chunks.
struct LineReader {
    /// The bytes between line feeds.
    enum Line {
        /// A line, without its line feed.
        case bytes(ArraySlice<UInt8>)
        /// The length of a line over the limit. Its bytes are dropped.
        case tooLong(Int)
        /// A line over ``maximumSkipped`` times the limit. Nothing is to be read after it.
        case endless
    }

    /// How much to read.
    private enum Extent {
        case once
        /// Until a line feed, or until the buffer is full.
        case toLineFeed
        /// Until the buffer is full.
        case full
    }

    /// A line of this many times the limit ends the reading: a few kilobytes decompress to a line of gigabytes.
    static let maximumSkipped = 4

    private let input: any ByteInput
    private let chunkSize: Int
    private let limit: Int
    private var chunk: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The read error; nil at the end of the input.
    private(set) var failure: InputFailure?

    init(_ input: any ByteInput, chunkSize: Int, limit: Int) {
        self.input = input
        self.chunkSize = max(1, chunkSize)
        self.limit = limit
    }

    /// Bytes that were read but not returned yet.
    var unread: ArraySlice<UInt8> { chunk[start...] }

    /// Reads through the first line that is not blank, or up to the limit.
    mutating func readFirstLine() {
        while !isAtEnd, unread.count <= limit {
            if let first = unread.firstIndex(where: { !$0.isSpace }), lineFeed(from: first) != nil { return }
            readMore(.toLineFeed)
        }
    }

    /// Reads all input up to the limit. Returns whether it reached the end.
    mutating func readAll() -> Bool {
        while !isAtEnd, unread.count <= limit { readMore(.full) }
        return unread.count <= limit
    }

    /// Whether ``next()`` can return without reading.
    var hasLine: Bool { isAtEnd || lineFeed(from: start) != nil }

    /// Whether ``readOnce()``, which copies the unread bytes, is cheap.
    var isShort: Bool { unread.count <= min(limit, chunkSize) }

    /// Reads once. Blocks only while the input is empty.
    mutating func readOnce() {
        guard !isAtEnd else { return }
        readMore(.once)
    }

    /// The next complete line in the unread bytes.
    mutating func nextRead() -> Line? {
        guard let end = lineFeed(from: start) else { return nil }
        defer { start = end + 1 }
        return end - start <= limit ? .bytes(chunk[start..<end]) : overlong(end - start)
    }

    /// The next line; nil at the end, on a ``failure``, or after ``Line/endless``. A failure drops an unfinished line.
    mutating func next() -> Line? {
        while true {
            if let line = nextRead() { return line }
            if isAtEnd {
                let rest = unread
                chunk = []
                start = 0
                guard !rest.isEmpty, failure == nil else { return nil }
                return rest.count <= limit ? .bytes(rest) : overlong(rest.count)
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
                return overlong(count)
            }
            count += unread.count
            chunk = []
            start = 0
            if isAtEnd { return failure == nil ? overlong(count) : nil }
            if case .endless = overlong(count) { return .endless }
            readMore(.toLineFeed)
        }
    }

    private func overlong(_ count: Int) -> Line {
        count <= Self.maximumSkipped * limit ? .tooLong(count) : .endless
    }

    private func lineFeed(from position: Int) -> Int? {
        unsafe chunk.withUnsafeBytes { unsafe $0.firstLineFeed(from: position) }
    }

    /// Copies the unread bytes to a new buffer, because returned slices share the old one, and appends new bytes.
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
    /// The position of the first line feed at or after a position.
    fileprivate func firstLineFeed(from position: Int) -> Int? {
        guard position < count, let baseAddress,
            let found = unsafe memchr(baseAddress + position, 0x0A, count - position)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - baseAddress
    }
}

extension UInt8 {
    /// Whether it is JSON white space (RFC 8259 section 2).
    var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension [UInt8] {
    /// The bytes that `body` writes, as counted by it. Rethrows its error.
    static func reading(
        atMost capacity: Int, _ body: (UnsafeMutableRawBufferPointer, inout Int) throws(InputFailure) -> Void
    ) -> ([UInt8], InputFailure?) {
        var failure: InputFailure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            do throws(InputFailure) {
                // The allocated buffer may exceed the requested capacity.
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
