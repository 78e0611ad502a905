import AssayPrimitives
import Testing

@Suite("Equality of text by bytes") struct ByteEqualityTests {
    @Test(
        "Texts are compared by bytes, not by canonical equivalence",
        arguments: [
            ("", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "abd", false), ("abc", "ab", false),
            ("requestPackageName", "requestPackageName", true), ("requestPackageName", "requestPackageNamf", false),
            ("\u{E9}", "\u{E9}", true), ("\u{E9}", "e\u{301}", false), ("\u{212B}", "\u{C5}", false),
            ("a\u{301}\u{323}", "a\u{323}\u{301}", false), ("a\u{0}", "a", false), ("\u{1F600}", "\u{1F600}", true),
        ])
    func equality(left: String, right: String, isEqual: Bool) {
        #expect(left.isByteEqual(to: right) == isEqual)
        #expect(right.isByteEqual(to: left) == isEqual)
        #expect(left[...].isByteEqual(to: right) == isEqual)
        #expect(Array(left.utf8)[...].isByteEqual(to: right) == isEqual)
        #expect([left].containsBytes(of: right) == isEqual)
    }

    @Test("Memory is compared byte by byte, at every alignment")
    func pieces() {
        let bytes = (0..<64).map { UInt8($0) }
        let shifted = [0xFF] + bytes
        for length in 0...64 {
            #expect(bytes[..<length].isByteEqual(to: shifted[1..<length + 1]))
            #expect(bytes[..<length].isByteEqual(to: Array(bytes[..<length])))
            #expect(length == 0 || !bytes[..<length].isByteEqual(to: bytes[..<(length - 1)]))
            for index in 0..<length {
                var other = Array(bytes[..<length])
                other[index] ^= 1
                #expect(!bytes[..<length].isByteEqual(to: other))
            }
        }
    }
}
