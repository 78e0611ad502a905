public import AssayCore

/// Reads JSON, RFC 8259, strictly: one document, in UTF-8, with unique keys.
///
/// Ours, because nothing at hand is strict. Foundation keeps the last of duplicate keys, and takes a byte order mark and
/// trailing commas; with either, two readers of a signed document may see different things. The C parsers cannot be
/// told otherwise, or are slower. One pass over the bytes; nesting is bounded by ``InputLimits/nestingDepth``, and with
/// it the recursion.
public enum JSONReader {
    /// How many values a document may have. A value takes many times the memory of the two bytes that it may be written
    /// with; the largest corpus that ``InputLimits/record`` lets in has far fewer.
    static let values = 1 << 20

    /// Reads the one value that some bytes consist of, white space around it allowed.
    ///
    /// Numbers are checked against the grammar and kept as written. Keys are the same when their bytes are, once
    /// unescaped, as RFC 8259 section 8.3 has it; that Unicode holds two of them to be the same text is for nobody here.
    /// - Parameters:
    ///   - bytes: the document; indices serve as offsets.
    ///   - limit: how many bytes are allowed.
    /// - Throws: ``DecodeError`` at the byte at which it shows.
    public static func read(_ bytes: ArraySlice<UInt8>, limit: Int) throws(DecodeError) -> RecordValue {
        guard bytes.count <= limit else {
            throw DecodeError(.tooLarge, at: bytes.startIndex + limit, "\(bytes.count) bytes, at most \(limit) allowed")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw DecodeError(.malformed, at: bytes.startIndex, "a byte order mark is not allowed in JSON")
        }
        var scanner = JSONScanner(bytes: bytes)
        let value = try scanner.value(depth: 0)
        scanner.skipSpace()
        guard scanner.position == bytes.endIndex else {
            throw DecodeError(
                .trailingBytes, at: scanner.position, "expected the end, found \(scanner.found)")
        }
        return value
    }

    /// Reads the one value that some bytes consist of, white space around it allowed.
    public static func read(_ bytes: [UInt8], limit: Int) throws(DecodeError) -> RecordValue {
        try read(bytes[...], limit: limit)
    }

    /// Reads a document that is an object.
    public static func readObject(_ bytes: ArraySlice<UInt8>, limit: Int) throws(DecodeError) -> RecordObject {
        let value = try read(bytes, limit: limit)
        guard case .object(let object) = value.content else {
            throw DecodeError(.unexpectedType, at: value.offset, "expected an object, found \(value.kindName)")
        }
        return object
    }

    /// Reads a document that is an object.
    public static func readObject(_ bytes: [UInt8], limit: Int) throws(DecodeError) -> RecordObject {
        try readObject(bytes[...], limit: limit)
    }
}

private struct JSONScanner {
    let bytes: ArraySlice<UInt8>
    var position: Int
    private var count = 0
    /// Whether the last string that was read had escapes.
    private var hadEscapes = false

    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    /// What stands at the current position, for messages.
    var found: String {
        guard let byte = current else { return "the end" }
        return (0x21...0x7E).contains(byte) ? "'\(Character(UnicodeScalar(byte)))'" : "byte \(byte)"
    }

    private func unexpected(_ expected: String) -> DecodeError {
        DecodeError(
            current == nil ? .truncated : .malformed, at: position, "expected \(expected), found \(found)")
    }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func value(depth: Int) throws(DecodeError) -> RecordValue {
        skipSpace()
        let start = position
        count += 1
        guard count <= JSONReader.values else {
            throw DecodeError(.tooLarge, at: start, "more than \(JSONReader.values) values")
        }
        switch current {
        case UInt8(ascii: "{"): return RecordValue(.object(try object(depth: depth + 1)), offset: start)
        case UInt8(ascii: "["): return RecordValue(.array(try array(depth: depth + 1)), offset: start)
        case UInt8(ascii: "\""):
            let text = try string()
            return RecordValue(.text(text), offset: start, hasEscapes: hadEscapes)
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"):
            return RecordValue(.number(try number()), offset: start)
        case UInt8(ascii: "t"): return RecordValue(try word("true", .flag(true)), offset: start)
        case UInt8(ascii: "f"): return RecordValue(try word("false", .flag(false)), offset: start)
        case UInt8(ascii: "n"): return RecordValue(try word("null", .null), offset: start)
        default: throw unexpected("a value")
        }
    }

    private mutating func word(
        _ word: StaticString, _ content: RecordValue.Content
    ) throws(DecodeError) -> RecordValue.Content {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.endIndex, word.withUTF8Buffer({ unsafe $0.elementsEqual(bytes[position..<end]) }) else {
            throw DecodeError(
                end <= bytes.endIndex ? .malformed : .truncated, at: position, "expected \(word), found something else")
        }
        position = end
        return content
    }

    private func demandDepth(_ depth: Int) throws(DecodeError) {
        guard depth <= InputLimits.nestingDepth else {
            throw DecodeError(.tooDeep, at: position, "values nest deeper than \(InputLimits.nestingDepth)")
        }
    }

    private mutating func array(depth: Int) throws(DecodeError) -> [RecordValue] {
        try demandDepth(depth)
        position += 1
        skipSpace()
        var elements: [RecordValue] = []
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw unexpected("',' or ']'")
            }
        }
    }

    private mutating func object(depth: Int) throws(DecodeError) -> RecordObject {
        try demandDepth(depth)
        let start = position
        position += 1
        skipSpace()
        var members: [RecordObject.Member] = []
        // Comparing is faster for the few keys that real objects have, the set for a hostile thousand.
        var names: Set<[UInt8]> = []
        if current == UInt8(ascii: "}") {
            position += 1
            return RecordObject(members, offset: start)
        }
        while true {
            skipSpace()
            let keyStart = position
            guard current == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
            let name = try string()
            if members.count == 16 { names = Set(members.map { Array($0.name.utf8) }) }
            let isNew =
                members.count < 16
                ? !members.contains { $0.name.isByteEqual(to: name) } : names.insert(Array(name.utf8)).inserted
            guard isNew else {
                throw DecodeError(.duplicateKey, at: keyStart, "the key \"\(name.excerpt)\" comes twice")
            }
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw unexpected("':'") }
            position += 1
            members.append(RecordObject.Member(name: name, offset: keyStart, value: try value(depth: depth)))
            skipSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return RecordObject(members, offset: start)
            default: throw unexpected("',' or '}'")
            }
        }
    }

    private mutating func number() throws(DecodeError) -> String {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
            if let byte = current, (0x30...0x39).contains(byte) {
                throw DecodeError(.notMinimal, at: start, "a number has no leading zeros")
            }
        } else {
            try digits()
        }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(DecodeError) {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw unexpected("a digit") }
    }

    private mutating func string() throws(DecodeError) -> String {
        position += 1
        hadEscapes = false
        let start = position
        var isASCII = true
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let text = bytes[start..<position]
                if !isASCII { try UTF8Text.validate(text) }
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case ..<0x20: throw unexpected("control characters to be escaped")
            case 0x80...: isASCII = false
            default: break
            }
            position += 1
        }
        throw unexpected("'\"'")
    }

    /// Reads on from the first escape of a string; what was copied is checked to be UTF-8 piece by piece.
    private mutating func escapedString(from start: Int) throws(DecodeError) -> String {
        hadEscapes = true
        var text: [UInt8] = []
        var plain = start
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                try UTF8Text.validate(bytes[plain..<position])
                text += bytes[plain..<position]
                if byte == UInt8(ascii: "\"") {
                    position += 1
                    return String(decoding: text, as: UTF8.self)
                }
                text += UTF8.encode(try escape()).map(Array.init) ?? []
                plain = position
                continue
            case ..<0x20: throw unexpected("control characters to be escaped")
            default: position += 1
            }
        }
        throw unexpected("'\"'")
    }

    private mutating func escape() throws(DecodeError) -> Unicode.Scalar {
        let start = position
        position += 1
        let kind = current
        let simple: Unicode.Scalar
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): simple = Unicode.Scalar(kind ?? 0)
        case UInt8(ascii: "b"): simple = "\u{8}"
        case UInt8(ascii: "f"): simple = "\u{C}"
        case UInt8(ascii: "n"): simple = "\n"
        case UInt8(ascii: "r"): simple = "\r"
        case UInt8(ascii: "t"): simple = "\t"
        case UInt8(ascii: "u"):
            position += 1
            return try unicodeEscape(from: start)
        default: throw unexpected("one of \"\\/bfnrtu")
        }
        position += 1
        return simple
    }

    /// Four digits, and those of the second half when they are the first half of a surrogate pair.
    private mutating func unicodeEscape(from start: Int) throws(DecodeError) -> Unicode.Scalar {
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, position + 1 < bytes.endIndex, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { throw DecodeError(.invalidText, at: start, "half of a surrogate pair") }
        position += 2
        let second = try hexUnit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw DecodeError(.invalidText, at: start, "half of a surrogate pair") }
        return scalar
    }

    private mutating func hexUnit() throws(DecodeError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw unexpected("four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
