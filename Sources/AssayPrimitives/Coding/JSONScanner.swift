/// One pass of ``JSONReader`` over a document. Positions count from the start of the span; offsets in errors and values
/// count from `origin`. Methods take the span as a parameter, because storing one needs experimental language features.
struct JSONScanner {
    /// The bytes of the span, for rare paths.
    private let bytes: ArraySlice<UInt8>
    /// The offset of the first byte.
    private let origin: Int
    private var position = 0
    private var count = 0
    /// Whether the last string read had escapes.
    private var hadEscapes = false
    /// The members of the outermost object whose texts the scanner withholds: it creates no `String` for them.
    private let withheldNames: [String]
    /// The withheld texts.
    private(set) var withheld: [WithheldText] = []

    init(_ bytes: ArraySlice<UInt8>, origin: Int, withholding names: [String] = []) {
        self.bytes = bytes
        self.origin = origin
        withheldNames = names
    }

    private func offset(_ position: Int) -> Int { origin + position }

    private func current(_ span: Span<UInt8>) -> UInt8? { position < span.count ? span[position] : nil }

    /// The byte at the current position, for error messages.
    private func found(_ span: Span<UInt8>) -> String {
        guard let byte = current(span) else { return "the end" }
        return (0x21...0x7E).contains(byte) ? "'\(Character(UnicodeScalar(byte)))'" : "byte \(byte)"
    }

    // Not inlined: keeps error and rare paths out of the hot code.
    @inline(never)
    private func unexpected(_ expected: String, _ span: Span<UInt8>) -> DecodeError {
        DecodeError(
            position < span.count ? .malformed : .truncated, at: offset(position),
            "expected \(expected), found \(found(span))")
    }

    mutating func document(_ span: Span<UInt8>) throws(DecodeError) -> RecordValue {
        let value = try value(span, depth: 0)
        skipSpace(span)
        guard position == span.count else {
            throw DecodeError(.trailingBytes, at: offset(position), "expected the end, found \(found(span))")
        }
        return value
    }

    private mutating func skipSpace(_ span: Span<UInt8>) {
        while position < span.count {
            let byte = span[position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    private mutating func value(_ span: Span<UInt8>, depth: Int) throws(DecodeError) -> RecordValue {
        skipSpace(span)
        let start = offset(position)
        count += 1
        guard count <= JSONReader.values else {
            throw DecodeError(.tooLarge, at: start, "more than \(JSONReader.values) values")
        }
        switch current(span) {
        case UInt8(ascii: "\""):
            let text = try string(span)
            return RecordValue(.text(text), offset: start, hasEscapes: hadEscapes)
        case UInt8(ascii: "{"): return RecordValue(.object(try object(span, depth: depth + 1)), offset: start)
        case UInt8(ascii: "["): return RecordValue(.array(try array(span, depth: depth + 1)), offset: start)
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"):
            return RecordValue(.number(try number(span)), offset: start)
        case UInt8(ascii: "t"): return RecordValue(try word("true", .flag(true), span), offset: start)
        case UInt8(ascii: "f"): return RecordValue(try word("false", .flag(false), span), offset: start)
        case UInt8(ascii: "n"): return RecordValue(try word("null", .null, span), offset: start)
        default: throw unexpected("a value", span)
        }
    }

    @inline(never)
    private mutating func word(
        _ word: String, _ content: RecordValue.Content, _ span: Span<UInt8>
    ) throws(DecodeError) -> RecordValue.Content {
        let start = position
        for byte in word.utf8 {
            guard start + word.utf8.count <= span.count, span[position] == byte else {
                throw DecodeError(
                    start + word.utf8.count <= span.count ? .malformed : .truncated, at: offset(start),
                    "expected \(word), found something else")
            }
            position += 1
        }
        return content
    }

    private func requireDepth(_ depth: Int) throws(DecodeError) {
        guard depth <= InputLimits.nestingDepth else {
            throw DecodeError(
                .tooDeep, at: offset(position), "values nest deeper than \(InputLimits.nestingDepth)")
        }
    }

    @inline(never)
    private mutating func array(_ span: Span<UInt8>, depth: Int) throws(DecodeError) -> [RecordValue] {
        try requireDepth(depth)
        position += 1
        skipSpace(span)
        var elements: [RecordValue] = []
        if current(span) == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            let element = try value(span, depth: depth)
            skipSpace(span)
            let end = current(span)
            if elements.isEmpty, end == UInt8(ascii: ",") { elements.reserveCapacity(4) }
            elements.append(element)
            switch end {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw unexpected("',' or ']'", span)
            }
        }
    }

    @inline(never)
    private mutating func object(_ span: Span<UInt8>, depth: Int) throws(DecodeError) -> RecordObject {
        try requireDepth(depth)
        let start = offset(position)
        position += 1
        skipSpace(span)
        var members: [RecordObject.Member] = []
        // Linear search is fastest for the few keys of real objects; the set bounds the cost of thousands of keys.
        var names: Set<[UInt8]> = []
        // One hash bit for each key so far: a key whose bit is clear is new.
        var seen: UInt64 = 0
        if current(span) == UInt8(ascii: "}") {
            position += 1
            return RecordObject(members, offset: start)
        }
        while true {
            skipSpace(span)
            let keyPosition = position
            let keyStart = offset(keyPosition)
            guard current(span) == UInt8(ascii: "\"") else { throw unexpected("a key in quotes", span) }
            let name = try string(span)
            if members.count == 16 { names = Set(members.map { Array($0.name.utf8) }) }
            let isNew: Bool
            if members.count < 16 {
                // An escape gives the same key other bytes, so the hash of the raw bytes cannot be used.
                let mark = hadEscapes ? .max : JSONScanner.mark(span, keyPosition + 1..<position - 1)
                isNew = seen & mark == 0 || !JSONScanner.contains(members, name)
                seen |= mark
            } else {
                isNew = names.insert(Array(name.utf8)).inserted
            }
            guard isNew else {
                throw DecodeError(.duplicateKey, at: keyStart, "the key \"\(name.excerpt)\" comes twice")
            }
            skipSpace(span)
            guard current(span) == UInt8(ascii: ":") else { throw unexpected("':'", span) }
            position += 1
            let value: RecordValue
            if depth == 1, !withheldNames.isEmpty, let withheld = try withheldValue(of: name, span, depth: depth) {
                value = withheld
            } else {
                value = try self.value(span, depth: depth)
            }
            let member = RecordObject.Member(name: name, offset: keyStart, value: value)
            skipSpace(span)
            let end = current(span)
            // Reserve only after a first comma: hostile documents have many objects with one member.
            if members.isEmpty, end == UInt8(ascii: ",") { members.reserveCapacity(depth == 1 ? 8 : 4) }
            members.append(member)
            switch end {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return RecordObject(members, offset: start)
            default: throw unexpected("',' or '}'", span)
            }
        }
    }

    /// Reads a withheld text and returns an empty one in its place. Returns nil, without reading, for other values.
    private mutating func withheldValue(
        of name: String, _ span: Span<UInt8>, depth: Int
    ) throws(DecodeError) -> RecordValue? {
        guard withheldNames.containsBytes(of: name) else { return nil }
        skipSpace(span)
        guard current(span) == UInt8(ascii: "\"") else { return nil }
        let start = offset(position)
        count += 1
        withheld.append(WithheldText(name: name, text: try secretString(span)))
        return RecordValue(.text(""), offset: start, hasEscapes: hadEscapes)
    }

    /// One bit by a hash of a key's length and first eight bytes; all bits if fewer than eight bytes follow its start.
    private static func mark(_ span: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        guard range.lowerBound + 8 <= span.count else { return .max }
        var word = unsafe UInt64(
            littleEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self))
        if range.count < 8 { word &= ~(.max << UInt64(range.count * 8)) }
        let mixed = (word &+ UInt64(range.count)) &* 0x9E37_79B9_7F4A_7C15
        return 1 << (mixed >> 58)
    }

    /// Searches by index, because `contains` copies each member.
    private static func contains(_ members: [RecordObject.Member], _ name: String) -> Bool {
        for index in members.indices where members[index].name.isByteEqual(to: name) { return true }
        return false
    }

    @inline(never)
    private mutating func number(_ span: Span<UInt8>) throws(DecodeError) -> String {
        let start = position
        if current(span) == UInt8(ascii: "-") { position += 1 }
        if current(span) == UInt8(ascii: "0") {
            position += 1
            if let byte = current(span), (0x30...0x39).contains(byte) {
                throw DecodeError(.notMinimal, at: offset(start), "a number has no leading zeros")
            }
        } else {
            try digits(span)
        }
        if current(span) == UInt8(ascii: ".") {
            position += 1
            try digits(span)
        }
        if current(span) == UInt8(ascii: "e") || current(span) == UInt8(ascii: "E") {
            position += 1
            if current(span) == UInt8(ascii: "+") || current(span) == UInt8(ascii: "-") { position += 1 }
            try digits(span)
        }
        return JSONScanner.text(span, start..<position)
    }

    private mutating func digits(_ span: Span<UInt8>) throws(DecodeError) {
        let start = position
        while let byte = current(span), (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw unexpected("a digit", span) }
    }

    /// The text of a range of valid UTF-8.
    private static func text(_ span: Span<UInt8>, _ range: Range<Int>) -> String {
        unsafe span.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a range. Throws unless they are UTF-8.
    @inline(never)
    private func validText(_ range: Range<Int>) throws(DecodeError) -> ArraySlice<UInt8> {
        let start = bytes.startIndex
        let piece = bytes[start + range.lowerBound..<start + range.upperBound]
        do {
            try UTF8Text.validate(piece)
        } catch {
            throw DecodeError(error.reason, at: offset(error.offset - start), error.message)
        }
        return piece
    }

    private mutating func string(_ span: Span<UInt8>) throws(DecodeError) -> String {
        hadEscapes = false
        let start = position + 1
        let (end, isASCII) = PlainText.end(span, from: start)
        position = end
        guard end < span.count else { throw unexpected("'\"'", span) }
        switch span[end] {
        case UInt8(ascii: "\""):
            if !isASCII { _ = try validText(start..<end) }
            position = end + 1
            return isASCII ? JSONScanner.asciiText(span, start..<end) : JSONScanner.text(span, start..<end)
        case UInt8(ascii: "\\"): return try escapedString(from: start, span)
        default: throw unexpected("control characters to be escaped", span)
        }
    }

    /// The text of a range of ASCII bytes. Swift stores up to 15 bytes inline.
    private static func asciiText(_ span: Span<UInt8>, _ range: Range<Int>) -> String {
        if range.count >= CommonTexts.shortest, let text = CommonTexts.text(span, range) { return text }
        return unsafe String(unsafeUninitializedCapacity: range.count) { text in
            unsafe span.extracting(range).withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
            }
            return range.count
        }
    }

    /// Reads the string that began at `start`, from its first escape on.
    @inline(never)
    private mutating func escapedString(from start: Int, _ span: Span<UInt8>) throws(DecodeError) -> String {
        hadEscapes = true
        var text: [UInt8] = []
        try unescape(from: start, span, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a string into memory that is wiped on release.
    private mutating func secretString(_ span: Span<UInt8>) throws(DecodeError) -> SecretBytes {
        position += 1
        let start = position
        var end = start
        while end < span.count, span[end] != UInt8(ascii: "\"") { end += span[end] == UInt8(ascii: "\\") ? 2 : 1 }
        hadEscapes = false
        var text: [UInt8] = []
        // Reserve first: an array that grows leaves copies behind. Unescaping never lengthens a text.
        text.reserveCapacity(end - start)
        defer { SecretBytes.wipe(&text) }
        try unescape(from: start, span, into: &text)
        return SecretBytes(text)
    }

    /// Unescapes the string that began at `start`, from the current position to its closing quote.
    private mutating func unescape(
        from start: Int, _ span: Span<UInt8>, into text: inout [UInt8]
    ) throws(DecodeError) {
        var plain = start
        while let byte = current(span) {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text += try validText(plain..<position)
                if byte == UInt8(ascii: "\"") {
                    position += 1
                    return
                }
                hadEscapes = true
                text += UTF8.encode(try escape(span)).map(Array.init) ?? []
                plain = position
                continue
            case ..<0x20: throw unexpected("control characters to be escaped", span)
            default: position += 1
            }
        }
        throw unexpected("'\"'", span)
    }

    private mutating func escape(_ span: Span<UInt8>) throws(DecodeError) -> Unicode.Scalar {
        let start = position
        position += 1
        let kind = current(span)
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
            return try unicodeEscape(from: start, span)
        default: throw unexpected("one of \"\\/bfnrtu", span)
        }
        position += 1
        return simple
    }

    /// Reads four digits, and a second escape if they are a high surrogate.
    private mutating func unicodeEscape(from start: Int, _ span: Span<UInt8>) throws(DecodeError) -> Unicode.Scalar {
        let unit = try hexUnit(span)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, position + 1 < span.count, span[position] == UInt8(ascii: "\\"),
            span[position + 1] == UInt8(ascii: "u")
        else { throw DecodeError(.invalidText, at: offset(start), "half of a surrogate pair") }
        position += 2
        let second = try hexUnit(span)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw DecodeError(.invalidText, at: offset(start), "half of a surrogate pair") }
        return scalar
    }

    private mutating func hexUnit(_ span: Span<UInt8>) throws(DecodeError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current(span), let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw unexpected("four hexadecimal digits", span)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
