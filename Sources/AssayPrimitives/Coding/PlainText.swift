/// Finds the end of what stands for itself in a string of JSON.
enum PlainText {
    /// Where the first byte is that ends a string, begins an escape or is not allowed in one, and whether all before it
    /// are ASCII.
    ///
    /// Eight bytes are looked at at once, each in its lane of one word.
    static func end(_ span: Span<UInt8>, from start: Int) -> (end: Int, isASCII: Bool) {
        var end = start
        // Has the highest bit of a byte set that is not ASCII.
        var seen: UInt64 = 0
        while span.count - end >= 8 {
            let word = unsafe UInt64(
                littleEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self))
            let stops =
                less(word ^ lanes(UInt8(ascii: "\"")), 1) | less(word ^ lanes(UInt8(ascii: "\\")), 1) | less(word, 0x20)
            guard stops == 0 else {
                // Those before the first.
                seen |= word & (stops & (0 &- stops) &- 1)
                return (end + stops.trailingZeroBitCount / 8, seen & highs == 0)
            }
            seen |= word
            end += 8
        }
        while end < span.count {
            let byte = span[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            seen |= UInt64(byte)
            end += 1
        }
        return (end, seen & highs == 0)
    }

    /// The highest bit of each lane.
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// A byte in each lane.
    private static func lanes(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

    /// The highest bit of each lane that is less than a limit, which is at most 0x80. The lowest of these bits is right; a
    /// borrow may set others above it.
    private static func less(_ word: UInt64, _ limit: UInt8) -> UInt64 { (word &- lanes(limit)) & ~word & highs }
}
