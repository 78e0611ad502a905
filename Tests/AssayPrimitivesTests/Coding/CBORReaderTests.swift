import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("CBOR reader") struct CBORReaderTests {
    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    /// A map of `count` keys from 0 on, each with the value 0; `last` replaces the last key.
    private static func map(_ count: Int, last: String? = nil) -> String {
        var keys = (0..<count).map { $0 < 24 ? byte($0) : "18" + byte($0) }
        if let last { keys[count - 1] = last }
        return (count < 24 ? byte(0xA0 + count) : "b8" + byte(count)) + keys.map { $0 + "00" }.joined()
    }

    private static func byte(_ value: Int) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16)
    }

    static let refused: [Rejection] = [
        Rejection("", .truncated, 0, "an item is there"),
        Rejection("19ff", .truncated, 0, "an argument is complete"),
        Rejection("4301ff", .truncated, 0, "a string is complete"),
        Rejection("820043", .truncated, 2, "a nested string is complete"),
        Rejection("5bffffffffffffffff00", .truncated, 0, "a claimed length is not believed"),
        Rejection("9bffffffffffffffff00", .truncated, 0, "a claimed count of elements is not believed"),
        Rejection("bb7fffffffffffffff00", .truncated, 0, "a claimed count of pairs is not believed"),
        Rejection("a20000", .truncated, 0, "a map has two items for each pair"),
        Rejection("0000", .trailingBytes, 1, "one item and nothing after it"),
        Rejection("1c", .malformed, 0, "additional information 28 to 30 is reserved"),
        Rejection("81fc", .malformed, 1, "simple value 28 is reserved"),
        Rejection("f0", .malformed, 0, "simple values without a meaning are refused"),
        Rejection("f8ff", .malformed, 0, "simple values without a meaning are refused"),
        Rejection("ff", .malformed, 0, "a break ends nothing"),
        Rejection("1817", .notMinimal, 0, "integers are in their shortest form"),
        Rejection("811900ff", .notMinimal, 1, "integers are in their shortest form"),
        Rejection("1b00000000ffffffff", .notMinimal, 0, "integers are in their shortest form"),
        Rejection("3800", .notMinimal, 0, "negative integers are in their shortest form"),
        Rejection("580100", .notMinimal, 0, "lengths of byte strings are in their shortest form"),
        Rejection("780161", .notMinimal, 0, "lengths of text are in their shortest form"),
        Rejection("980100", .notMinimal, 0, "counts of arrays are in their shortest form"),
        Rejection("b8010000", .notMinimal, 0, "counts of maps are in their shortest form"),
        Rejection("5f4100ff", .indefiniteLength, 0, "byte strings are of definite length"),
        Rejection("7f6161ff", .indefiniteLength, 0, "text is of definite length"),
        Rejection("819fff", .indefiniteLength, 1, "arrays are of definite length"),
        Rejection("bfff", .indefiniteLength, 0, "maps are of definite length"),
        Rejection("61ff", .invalidText, 1, "text is UTF-8"),
        Rejection("8163c3a9ff", .invalidText, 4, "text is UTF-8, from the byte at which it is not"),
        Rejection("63eda080", .invalidText, 1, "UTF-8 has no surrogates"),
        Rejection("62c080", .invalidText, 1, "UTF-8 has no overlong forms"),
        Rejection("a161ff00", .invalidText, 2, "keys are UTF-8"),
        Rejection("a14000", .unexpectedType, 1, "keys are text or integers"),
        Rejection("a18000", .unexpectedType, 1, "keys are text or integers"),
        Rejection("a1f500", .unexpectedType, 1, "keys are text or integers"),
        Rejection("a200000000", .duplicateKey, 3, "keys are unique"),
        Rejection("a2616100616100", .duplicateKey, 4, "keys are unique"),
        Rejection("81a220002000", .duplicateKey, 4, "nested keys are unique"),
        Rejection(map(12, last: "0a"), .duplicateKey, 23, "keys of larger maps are unique"),
        Rejection(map(200, last: "18c6"), .duplicateKey, 2 + 24 * 2 + 175 * 3, "keys of large maps are unique"),
        Rejection("c000", .unexpected, 0, "tags are refused"),
        Rejection("81c000", .unexpected, 1, "nested tags are refused"),
        Rejection(repeated("81", 17) + "00", .tooDeep, 16, "depth is bounded"),
        Rejection(repeated("81", 16) + "80", .tooDeep, 16, "an empty array counts as a level"),
        Rejection(repeated("a100", 16) + "a0", .tooDeep, 32, "maps count as levels"),
    ]

    @Test("Skipping refuses violations with the byte offset", arguments: refused)
    func refusesWhenSkipping(_ rejection: Rejection) {
        let error = decodeError {
            var reader = CBORReader(rejection.hexBytes)
            try reader.skipItem()
            try reader.finish()
        }
        #expect(rejection.matches(error), "\(String(describing: error))")
    }

    @Test("Offsets are indices of the slice", arguments: refused)
    func offsetsAreIndices(_ rejection: Rejection) {
        let bytes = [0xFF, 0xFF, 0xFF] + rejection.hexBytes
        let error = decodeError {
            var reader = CBORReader(bytes[3...])
            try reader.skipItem()
            try reader.finish()
        }
        #expect(error?.offset == rejection.offset + 3)
    }

    static let accepted = [
        "00", "1818", "1bffffffffffffffff", "3bffffffffffffffff", "40", "60", "64f09f9880", "80", "a0", "f4", "f5",
        "f6",
        "f7", "f93c00", "fa3f800000", "fb3ff0000000000000", "fa7f800000", "a2000020f6", "a26161016162a10203",
        repeated("81", 15) + "80", map(200), "a26162006161f5", "a2010061310a",
    ]

    @Test(
        "Skipping accepts every type, keys in any order, and floating-point numbers of any width", arguments: accepted)
    func skips(_ hex: String) throws {
        var reader = CBORReader([UInt8](hex: hex) ?? [])
        try reader.skipItem()
        try reader.finish()
    }

    @Test("Values are read unchanged")
    func readsValues() throws {
        var reader = CBORReader([UInt8](hex: "83" + "1bffffffffffffffff" + "3b7fffffffffffffff" + "62c3a9") ?? [])
        #expect(reader.peekType() == .array)
        #expect(try reader.readArrayHeader() == 3)
        #expect(try reader.readUnsigned() == UInt64.max)
        #expect(try reader.readInteger() == Int64.min)
        #expect(reader.peekType() == .text)
        #expect(try reader.readText() == "é")
        #expect(reader.peekType() == nil)
        try reader.finish()
    }

    @Test("Byte strings are slices of the input, not copies")
    func byteStringsAreSlices() throws {
        let bytes: [UInt8] = [0x00, 0x43, 1, 2, 3]
        var reader = CBORReader(bytes[1...])
        let string = try reader.readByteString()
        #expect(string == [1, 2, 3])
        #expect(string.startIndex == 2)
    }

    @Test("A map is read key by key, in any order")
    func readsMaps() throws {
        // {"signature": h'01', -2: {"a": [1, 2]}, "other": null}
        let hex = "a3" + "697369676e6174757265" + "4101" + "21" + "a16161820102" + "656f74686572" + "f6"
        var reader = CBORReader([UInt8](hex: hex) ?? [])
        var signature: ArraySlice<UInt8> = []
        var numbers: [UInt64] = []
        var others: [String] = []
        try reader.readMap { (key, reader) throws(DecodeError) in
            switch key {
            case "signature": signature = try reader.readByteString()
            case -2:
                try reader.readMap { (_, reader) throws(DecodeError) in
                    try reader.readArray { (_, reader) throws(DecodeError) in numbers.append(try reader.readUnsigned())
                    }
                }
            default:
                others.append("\(key)@\(key.offset)")
                try reader.skipItem()
            }
        }
        try reader.finish()
        #expect(signature == [1])
        #expect(numbers == [1, 2])
        #expect(others == ["\"other\"@20"])
    }

    @Test("The body of a map must read exactly one item", arguments: ["a200010203", "a20081000100", "a1008100"])
    func bodiesReadOneItem(_ hex: String) {
        let bytes = [UInt8](hex: hex) ?? []
        let nothing = decodeError {
            var reader = CBORReader(bytes)
            try reader.readMap { (_, _) throws(DecodeError) in }
        }
        #expect(nothing?.reason == .unexpected)
        let tooMuch = decodeError {
            var reader = CBORReader(bytes)
            try reader.readMap { (_, reader) throws(DecodeError) in
                try reader.skipItem()
                try reader.skipItem()
            }
        }
        #expect(tooMuch?.reason == .unexpected)
        let headOnly = decodeError {
            var reader = CBORReader([UInt8](hex: "a1008100") ?? [])
            try reader.readMap { (_, reader) throws(DecodeError) in _ = try reader.readArrayHeader() }
        }
        #expect(headOnly?.reason == .unexpected)
    }

    @Test("Reading maps refuses duplicate keys and excessive depth, as skipping does")
    func mapsAreStrict() {
        func readDeep(_ reader: inout CBORReader) throws(DecodeError) {
            try reader.readMap { (_, reader) throws(DecodeError) in
                if reader.peekType() == .map { try readDeep(&reader) } else { try reader.skipItem() }
            }
        }
        for (hex, reason, offset) in [
            ("a200000000", DecodeError.Code.duplicateKey, 3), (Self.map(12, last: "0a"), .duplicateKey, 23),
            (Self.repeated("a100", 20) + "00", .tooDeep, 32),
            (Self.repeated("a100", 8) + "a14000", .unexpectedType, 17),
            (Self.repeated("a100", 8) + Self.repeated("81", 9) + "00", .tooDeep, 24),
            (Self.repeated("a100", 16) + "a0", .tooDeep, 32), (Self.repeated("a100", 15) + "8180", .tooDeep, 31),
        ] {
            let error = decodeError {
                var reader = CBORReader([UInt8](hex: hex) ?? [])
                try readDeep(&reader)
            }
            #expect(error?.reason == reason, "\(hex)")
            #expect(error?.offset == offset, "\(hex)")
        }
    }

    @Test("An array that is too deep is refused, even if it is empty, both when read and when skipped")
    func emptyArraysAreDeepToo() {
        func readDeep(_ reader: inout CBORReader) throws(DecodeError) {
            try reader.readArray { (_, reader) throws(DecodeError) in try readDeep(&reader) }
        }
        func skip(_ reader: inout CBORReader) throws(DecodeError) { try reader.skipItem() }
        for read in [readDeep, skip] {
            let deepest = decodeError {
                var reader = CBORReader([UInt8](hex: Self.repeated("81", 15) + "80") ?? [])
                try read(&reader)
            }
            #expect(deepest == nil)
            let tooDeep = decodeError {
                var reader = CBORReader([UInt8](hex: Self.repeated("81", 16) + "80") ?? [])
                try read(&reader)
            }
            #expect(tooDeep?.reason == .tooDeep)
            #expect(tooDeep?.offset == 16)
        }
    }

    @Test("Items of another type are refused, with the offset of their beginning")
    func typesAreDemanded() {
        func error(_ hex: String, _ read: (inout CBORReader) throws -> Void) -> DecodeError? {
            decodeError {
                var reader = CBORReader([UInt8](hex: "00" + hex) ?? [])
                try reader.skipItem()
                try read(&reader)
            }
        }
        let errors = [
            error("6161") { _ = try $0.readByteString() }, error("4161") { _ = try $0.readText() },
            error("20") { _ = try $0.readUnsigned() }, error("f6") { _ = try $0.readInteger() },
            error("a0") { _ = try $0.readArrayHeader() }, error("80") { _ = try $0.readMapHeader() },
            error("00") { _ = try $0.readTag() },
        ]
        for error in errors {
            #expect(error?.reason == .unexpectedType)
            #expect(error?.offset == 1)
        }
        #expect(error("1b8000000000000000") { _ = try $0.readInteger() }?.reason == .tooLarge)
    }

    @Test("Tags are read when requested, and an item must follow")
    func tagsOnRequest() throws {
        var reader = CBORReader([UInt8](hex: "82c100c2c34100") ?? [], allowingTags: true)
        try reader.skipItem()
        try reader.finish()
        reader = CBORReader([0xD8, 0x20, 0x00], allowingTags: true)
        #expect(try reader.readTag() == 32)
        #expect(throws: DecodeError.self) { try reader.finish() }
        #expect(try reader.readUnsigned() == 0)
        try reader.finish()
        reader = CBORReader([0x81, 0xC1], allowingTags: true)
        #expect(throws: DecodeError.self) { try reader.skipItem() }
    }

    @Test("Finishing requires that all items of arrays were read")
    func finishCountsElements() throws {
        var reader = CBORReader([0x82, 0x81, 0x00])
        _ = try reader.readArrayHeader()
        _ = try reader.readArrayHeader()
        _ = try reader.readUnsigned()
        #expect(throws: DecodeError.self) { try reader.finish() }
    }

    @Test("Long chains of tags and wide containers take linear time")
    func hostileShapesAreCheap() throws {
        let size = 1 << 20
        var tags = CBORReader([UInt8](repeating: 0xC1, count: size) + [0x00], allowingTags: true)
        try tags.skipItem()
        var pairs: [UInt8] = [0xBA, 0x00, 0x03, 0x0D, 0x40]
        for key in 0..<200_000 {
            pairs += [0x1A, 0x01, UInt8(key >> 16), UInt8(key >> 8 & 0xFF), UInt8(key & 0xFF), 0x00]
        }
        var wide = CBORReader(pairs)
        try wide.skipItem()
        try wide.finish()
    }
}
