import AssayCore

/// A hexadecimal dump as `xxd`, `hexdump -C` and `od -tx1` print it. Plain digits, as `xxd -p` prints them, belong to
/// ``Base64Format``.
package enum HexDumpFormat: BlobFormat {
    package static let name = "hexadecimal dump"

    /// The number of bytes examined for recognition.
    private static let recognised = 4096

    /// Recognises text whose first line has an offset and bytes.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        var beginning = LenientText.body(bytes)
        if beginning.count > recognised, let end = beginning.prefix(recognised).lastIndex(of: 0x0A) {
            beginning = beginning[..<end]
        }
        guard let dump = HexDump(beginning) else { return nil }
        return Recognition(
            dump.isCertain ? dump.problems.isEmpty ? .certain : .structure : .guess,
            because: "it begins with the offset and the bytes of a dump")
    }

    /// Names the dump. Its bytes become a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let dump = HexDump(LenientText.body(bytes)) else {
            return BlobContents([Annotation("text", at: bytes.indices, violation: "it is no dump")])
        }
        var annotation = Annotation("dump", at: dump.range, meaning: Words.count(dump.bytes.count, "byte"))
        annotation.violation = dump.problems.isEmpty ? nil : dump.problems.joined(separator: "; ")
        return BlobContents(
            [annotation],
            nested: [
                NestedBlob("dumped bytes", encoding: "hexadecimal dump", bytes: dump.bytes, at: dump.range)
            ])
    }
}

/// A dump by `xxd`, `hexdump -C` or `od -tx1`: each line has an offset, bytes in hexadecimal and usually the same bytes
/// as characters.
struct HexDump {
    /// The least limit for the decoded bytes. `*` stands for repeated lines, so a dump can decode to more bytes than it
    /// has.
    private static let repeatedBytes = 1 << 20

    private(set) var bytes: [UInt8] = []
    /// The errors in the dump, in the order of its lines.
    private(set) var problems: [String] = []
    /// The range of the dump without surrounding white space.
    let range: Range<Int>

    /// Whether more than one line looks like a line of a dump.
    let isCertain: Bool

    init?(_ input: ArraySlice<UInt8>) {
        let text = LenientText.trimmed(input)
        range = text.indices
        guard let first = Line(text.prefix { $0 != 0x0A }), !first.bytes.isEmpty else { return nil }
        let rows = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        // `od` writes seven digits, which are octal or, with -Ad, decimal. The digits of `xxd -d` are decimal.
        let radixes = first.offset.count == 7 ? [8, 10, 16] : [16, 10, 8]
        let fitting = radixes.first { HexDump.fits(rows, radix: $0) } ?? radixes.first { first.number(in: $0) != nil }
        guard let radix = fitting, let start = first.number(in: radix) else { return nil }
        isCertain = start == 0 || rows.count > 1
        read(rows, start: start, radix: radix)
    }

    /// Whether each line's offset equals the number of bytes before it.
    private static func fits(_ rows: [ArraySlice<UInt8>], radix: Int) -> Bool {
        var expected: Int?
        var repeats = false
        for row in rows {
            guard !isRepetition(row) else {
                repeats = true
                continue
            }
            guard let line = Line(row) else { continue }
            guard let offset = line.number(in: radix) else { return false }
            if let expected, repeats ? offset < expected : offset != expected { return false }
            expected = offset + line.bytes.count
            repeats = false
        }
        return true
    }

    private static func isRepetition(_ row: ArraySlice<UInt8>) -> Bool {
        LenientText.trimmed(row).elementsEqual([0x2A])
    }

    private mutating func read(_ rows: [ArraySlice<UInt8>], start: Int, radix: Int) {
        let limit = max(range.count, HexDump.repeatedBytes)
        var last: [UInt8] = []
        var repeats = false
        for (index, row) in rows.enumerated() {
            guard !HexDump.isRepetition(row) else {
                repeats = true
                continue
            }
            guard let line = Line(row), let offset = line.number(in: radix) else {
                if !LenientText.trimmed(row).isEmpty { note("line \(index + 1) is not of the form of the first") }
                continue
            }
            let place = offset - start
            if repeats, !last.isEmpty, place > bytes.count {
                guard place <= limit else {
                    note("from line \(index + 1) on nothing is read: its repeated lines are too many bytes")
                    return
                }
                bytes.reserveCapacity(place)
                for number in 0..<place - bytes.count { bytes.append(last[number % last.count]) }
            }
            repeats = false
            if place != bytes.count {
                note("line \(index + 1) has offset \(offset), expected \(start + bytes.count)")
            }
            bytes += line.bytes
            if !line.bytes.isEmpty { last = line.bytes }
        }
    }

    private mutating func note(_ problem: String) {
        if problems.count < 3 { problems.append(problem) }
    }
}

private struct Line {
    let offset: ArraySlice<UInt8>
    /// The bytes; none on the last line of `hexdump` and `od`.
    private(set) var bytes: [UInt8] = []

    init?(_ text: ArraySlice<UInt8>) {
        let text = LenientText.trimmed(text)
        offset = text.prefix { $0.hexadecimalValue != nil }
        // The programs write six to eight digits, and more for larger offsets.
        guard (6...12).contains(offset.count) else { return nil }
        var rest = text[offset.endIndex...]
        // Only `xxd` writes a colon, groups of several bytes, and two spaces before the characters.
        let isGrouped = rest.first == 0x3A
        if isGrouped { rest = rest.dropFirst() }
        guard rest.isEmpty ? !isGrouped : LenientText.isSpace(rest.first ?? 0) else { return nil }
        rest = rest.dropFirst()
        var spaces = 0
        while let first = rest.first {
            if LenientText.isSpace(first) {
                spaces += 1
                rest = rest.dropFirst()
                if isGrouped, spaces == 2, !bytes.isEmpty { return }
                continue
            }
            spaces = 0
            let group = rest.prefix { !LenientText.isSpace($0) }
            // `hexdump -C` writes the characters between |, and `od -tx1z` between > and <.
            if !isGrouped, first == 0x7C || first == 0x3E { return }
            guard isGrouped || group.count == 2, let decoded = [UInt8](hexadecimal: group) else { return nil }
            bytes += decoded
            rest = rest[group.endIndex...]
        }
    }

    /// The offset; nil if it is no number in the radix.
    func number(in radix: Int) -> Int? {
        var number = 0
        for digit in offset {
            guard let value = digit.hexadecimalValue, value < radix else { return nil }
            number = number * radix + Int(value)
        }
        return number
    }
}
