/// Finds the end of the unescaped part of a JSON string.
enum PlainText {
    /// The index of the first quote, backslash or control character, and whether all bytes before it are ASCII. Scans
    /// eight bytes at a time, one in each lane of a 64-bit word.
    static func end(_ span: Span<UInt8>, from start: Int) -> (end: Int, isASCII: Bool) {
        var end = start
        // The high bit of a lane is set if a byte in it was not ASCII.
        var seen: UInt64 = 0
        while span.count - end >= 8 {
            let word = unsafe UInt64(
                littleEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self))
            let stops =
                less(word ^ lanes(UInt8(ascii: "\"")), 1) | less(word ^ lanes(UInt8(ascii: "\\")), 1) | less(word, 0x20)
            guard stops == 0 else {
                // Only the bytes before the first match.
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

    /// The high bit of each lane.
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// `byte` in each lane.
    private static func lanes(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

    /// Sets the high bit of each lane that is less than `limit`, at most 0x80. Only the lowest set bit is reliable: a
    /// borrow can set bits in lanes above it.
    private static func less(_ word: UInt64, _ limit: UInt8) -> UInt64 { (word &- lanes(limit)) & ~word & highs }
}
