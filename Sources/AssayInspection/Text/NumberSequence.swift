import AssayCore

/// Finds the first sequence of numbers in a text that are the bytes of evidence: decimal, signed, hexadecimal, octal or
/// binary, also as words of 16 bits, behind the offsets of a dump, or behind their index.
struct NumberSequence {
    let bytes: [UInt8]
    /// How the numbers are written.
    let form: String

    private struct Token {
        let text: ArraySlice<UInt8>
        let beginsLine: Bool
    }

    /// The fewest numbers of a sequence, the most, and the longest number.
    private static let (minimum, maximum, longest) = (16, 1 << 20, 12)
    /// Text beyond is not scanned.
    private static let scanned = 4 * 1024 * 1024

    /// Searches a text; nil if no sequence in it is known bytes.
    init?(in text: ArraySlice<UInt8>) {
        var tokens: [Token] = []
        var beginsLine = true
        var position = text.startIndex
        let end = text.prefix(Self.scanned).endIndex
        while position < end {
            let byte = text[position]
            if LenientText.isSpace(byte) || [0x2C, 0x3B, 0x3A, 0x22, 0x27].contains(byte) {
                if byte == 0x0A { beginsLine = true }
                position += 1
            } else if text[position...].starts(with: "(byte)".utf8) {
                position += 6
            } else {
                let word = text[position..<end].prefix { Self.isOfWord($0) }
                if Self.isNumber(word), tokens.count < Self.maximum {
                    tokens.append(Token(text: word, beginsLine: beginsLine))
                } else {
                    if let found = Self.read(tokens) {
                        self = found
                        return
                    }
                    tokens.removeAll(keepingCapacity: true)
                }
                beginsLine = false
                position = max(word.endIndex, position + 1)
            }
        }
        guard let found = Self.read(tokens) else { return nil }
        self = found
    }

    private init(_ bytes: [UInt8], _ form: String) { (self.bytes, self.form) = (bytes, form) }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x5F || byte == 0x2D
    }

    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        guard (1...longest).contains(word.count) else { return false }
        let digits = word.first == 0x2D ? word.dropFirst() : hexadecimalDigits(word)
        return !digits.isEmpty && digits.allSatisfy { $0.hexadecimalValue != nil }
    }

    /// The digits behind `0x`, or the word.
    private static func hexadecimalDigits(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let head = word.prefix(2)
        return head.first == 0x30 && head.count == 2 && (head.last ?? 0) | 0x20 == 0x78 ? word.dropFirst(2) : word
    }

    // MARK: Forms

    private static func read(_ tokens: [Token]) -> NumberSequence? {
        guard tokens.count >= minimum else { return nil }
        let (words, lengths) = withoutOffsets(tokens)
        guard words.count >= minimum else { return nil }
        for form in [indexed, decimal, octal, binary, hexadecimal, littleEndian, octalWords] {
            guard var found = form(words) else { continue }
            // The last word of a dump is filled up with a zero; its last offset is the length.
            if lengths.contains(found.bytes.count - 1) { found = Self(found.bytes.dropLast(), found.form) }
            if StructuredBytes.isKnown(found.bytes) { return found }
        }
        return nil
    }

    /// The words of a dump without the offset that begins each line, and the offset of its last line: `od` writes it in
    /// octal, `hexdump` in hexadecimal.
    private static func withoutOffsets(_ tokens: [Token]) -> (words: [ArraySlice<UInt8>], lengths: [Int]) {
        let width = tokens[0].text.count
        guard tokens[0].beginsLine, width >= 7, tokens[1].text.count < width else { return (tokens.map(\.text), []) }
        let words = tokens.filter { !$0.beginsLine || $0.text.count != width }.map(\.text)
        guard let last = tokens.last, last.beginsLine else { return (words, []) }
        let text = String(decoding: last.text, as: UTF8.self)
        return (words, [8, 16].compactMap { Int(text, radix: $0) })
    }

    /// `'0': 163, '1': 99`.
    private static func indexed(_ words: [ArraySlice<UInt8>]) -> NumberSequence? {
        guard words.count % 2 == 0 else { return nil }
        for index in 0..<words.count / 2 where !words[index * 2].elementsEqual("\(index)".utf8) { return nil }
        return decimal(stride(from: 1, to: words.count, by: 2).map { words[$0] })
            .map { Self($0.bytes, "numbers, each behind its index") }
    }

    private static func decimal(_ words: [ArraySlice<UInt8>]) -> NumberSequence? {
        bytes(words) { ByteList.byte($0) }.map { Self($0, "numbers") }
    }

    private static func octal(_ words: [ArraySlice<UInt8>]) -> NumberSequence? {
        bytes(words) { number($0, radix: 8, digits: 3).flatMap(UInt8.init(exactly:)) }.map { Self($0, "octal bytes") }
    }

    private static func binary(_ words: [ArraySlice<UInt8>]) -> NumberSequence? {
        bytes(words) { number($0, radix: 2, digits: 8).flatMap(UInt8.init(exactly:)) }.map { Self($0, "binary bytes") }
    }

    /// Groups of whole bytes, all of one length but the last.
    private static func hexadecimal(_ words: [ArraySlice<UInt8>]) -> NumberSequence? {
        let width = words[0].count
        var bytes: [UInt8] = []
        for (index, word) in words.enumerated() {
            guard word.count == width || index == words.count - 1 && word.count < width else { return nil }
            guard let decoded = [UInt8](hexadecimal: word) else { return nil }
            bytes += decoded
        }
        return Self(bytes, "hexadecimal in groups")
    }

    private static func littleEndian(_ words: [ArraySlice<UInt8>]) -> NumberSequence? {
        wholeWords(words, radix: 16, digits: 4).map { Self($0, "hexadecimal words of 16 bits, the low byte first") }
    }

    private static func octalWords(_ words: [ArraySlice<UInt8>]) -> NumberSequence? {
        wholeWords(words, radix: 8, digits: 6).map { Self($0, "octal words of 16 bits, the low byte first") }
    }

    private static func wholeWords(_ words: [ArraySlice<UInt8>], radix: Int, digits: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        for word in words {
            guard let value = number(word, radix: radix, digits: digits), value <= 0xFFFF else { return nil }
            bytes += [UInt8(value & 0xFF), UInt8(value >> 8)]
        }
        return bytes
    }

    private static func bytes(
        _ words: [ArraySlice<UInt8>], _ byte: (ArraySlice<UInt8>) -> UInt8?
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        for word in words {
            guard let value = byte(word) else { return nil }
            bytes.append(value)
        }
        return bytes
    }

    /// A number of exactly so many digits.
    private static func number(_ word: ArraySlice<UInt8>, radix: Int, digits: Int) -> Int? {
        guard word.count == digits else { return nil }
        var value = 0
        for character in word {
            guard let digit = character.hexadecimalValue, digit < radix else { return nil }
            value = value * radix + Int(digit)
        }
        return value
    }
}
