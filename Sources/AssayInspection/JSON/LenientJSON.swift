import AssayCore

/// Reads JSON as far as it goes, where ``AssayPrimitives/JSONReader`` reads it strictly.
///
/// Takes a byte order mark, trailing commas, duplicate names, control characters in strings, text that is no UTF-8, and
/// ends that are missing. One pass; linear time.
public enum LenientJSON {
    /// How deep values may nest; what is deeper is passed over.
    static let depth = 64
    /// How many values are read; a value takes many times the memory of the two bytes that it may be written with.
    static let values = 200_000

    /// Reads the value at the beginning of some bytes, after white space.
    ///
    /// - Returns: the value, with offsets into the whole array, and the first byte that is not of it.
    public static func read(_ bytes: ArraySlice<UInt8>) -> (node: JSONNode, end: Int) {
        var reader = LenientJSONReader(bytes)
        let node = reader.value(depth: 0)
        return (node, reader.position)
    }

    /// Reads the value at the beginning of some bytes.
    public static func read(_ bytes: [UInt8]) -> (node: JSONNode, end: Int) { read(bytes[...]) }
}

/// One pass over a document.
private struct LenientJSONReader {
    let bytes: ArraySlice<UInt8>
    var position: Int
    var count = 0
    /// Whether nothing more can be made of the rest.
    var isLost = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    }

    private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func lose(_ reason: String, from start: Int) -> JSONNode {
        isLost = true
        return JSONNode(.broken(reason), at: min(start, position)..<position)
    }

    mutating func value(depth: Int) -> JSONNode {
        skipSpace()
        let start = position
        count += 1
        guard count <= LenientJSON.values else {
            position = bytes.endIndex
            return lose("more than \(LenientJSON.values) values; the rest is not read", from: start)
        }
        switch current {
        case nil: return lose("the text ends where a value is expected", from: start)
        case UInt8(ascii: "\""):
            let text = string()
            return JSONNode(.text(text), at: start..<position, broken: isLost ? "the string does not end" : nil)
        case UInt8(ascii: "{"): return depth < LenientJSON.depth ? object(depth: depth + 1) : passOver()
        case UInt8(ascii: "["): return depth < LenientJSON.depth ? array(depth: depth + 1) : passOver()
        default: return word()
        }
    }

    /// Passes over an array or object that is nested too deep, by its brackets.
    private mutating func passOver() -> JSONNode {
        let start = position
        var open = 0
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                skipString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
            default: break
            }
            position += 1
            if open == 0 { break }
        }
        isLost = open > 0
        return JSONNode(
            .broken("values nest deeper than \(LenientJSON.depth); this one is passed over"), at: start..<position)
    }

    private mutating func skipString() {
        position += 1
        while let byte = current, byte != UInt8(ascii: "\"") {
            position = min(position + (byte == UInt8(ascii: "\\") ? 2 : 1), bytes.endIndex)
        }
        position = min(position + 1, bytes.endIndex)
    }

    /// A number, a word, or what stands in their place up to the next character with a meaning.
    private mutating func word() -> JSONNode {
        let start = position
        while let byte = current, !" \t\r\n,:[]{}\"".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let range = start..<position
        switch text {
        case "null": return JSONNode(.null, at: range)
        case "true": return JSONNode(.flag(true), at: range)
        case "false": return JSONNode(.flag(false), at: range)
        default: break
        }
        let isNumber =
            text.utf8.contains { (0x30...0x39).contains($0) }
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        if isNumber { return JSONNode(.number(text), at: range) }
        return lose(text.isEmpty ? "no value is here" : "no JSON value is written like this", from: start)
    }

    private mutating func array(depth: Int) -> JSONNode {
        let start = position
        position += 1
        var elements: [JSONNode] = []
        while true {
            skipSpace()
            guard let byte = current else { return incomplete(.array(elements), from: start) }
            if byte == UInt8(ascii: "]") {
                position += 1
                return JSONNode(.array(elements), at: start..<position)
            }
            elements.append(value(depth: depth))
            if isLost { return JSONNode(.array(elements), at: start..<position) }
            skipSpace()
            if current == UInt8(ascii: ",") { position += 1 }
        }
    }

    private mutating func object(depth: Int) -> JSONNode {
        let start = position
        position += 1
        var members: [JSONNode.Member] = []
        while true {
            skipSpace()
            guard let byte = current else { return incomplete(.object(members), from: start) }
            if byte == UInt8(ascii: "}") {
                position += 1
                return JSONNode(.object(members), at: start..<position)
            }
            let nameStart = position
            guard byte == UInt8(ascii: "\"") else {
                return incomplete(.object(members), from: start, "a name in quotes is expected here")
            }
            let name = string()
            let nameRange = nameStart..<position
            guard !isLost else { return JSONNode(.object(members), at: start..<position, broken: "a name does not end") }
            skipSpace()
            guard current == UInt8(ascii: ":") else {
                return incomplete(.object(members), from: start, "a colon is expected after the name")
            }
            position += 1
            members.append(JSONNode.Member(name, at: nameRange, value(depth: depth)))
            if isLost { return JSONNode(.object(members), at: start..<position) }
            skipSpace()
            if current == UInt8(ascii: ",") { position += 1 }
        }
    }

    private mutating func incomplete(
        _ content: JSONNode.Content, from start: Int, _ reason: String = "the text ends before it is complete"
    ) -> JSONNode {
        isLost = true
        return JSONNode(content, at: start..<position, broken: reason)
    }

    /// Reads a string; one that does not end leaves nothing more to read.
    private mutating func string() -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                escape(into: &text)
            default:
                text.append(byte)
                position += 1
            }
        }
        isLost = true
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape(into text: inout [UInt8]) {
        guard let kind = current else { return }
        position += 1
        switch kind {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let unit = hexUnit() else { return text.append(kind) }
            var scalar = Unicode.Scalar(unit)
            if scalar == nil, unit < 0xDC00, position + 1 < bytes.endIndex, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            {
                position += 2
                let low = UInt32(hexUnit() ?? 0)
                if (0xDC00...0xDFFF).contains(low) {
                    scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (low - 0xDC00))
                }
            }
            text += Array(String(scalar ?? "\u{FFFD}").utf8)
        default: text.append(kind)
        }
    }

    private mutating func hexUnit() -> UInt16? {
        guard position + 4 <= bytes.endIndex else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = byte.hexadecimalValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }
}
