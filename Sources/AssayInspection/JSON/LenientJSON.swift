import AssayPrimitives

/// Reads JSON (RFC 8259) as far as possible, for inspection, in linear time; verification uses `JSONReader`. Accepts a byte order mark,
/// missing and trailing commas, duplicate keys, unknown words, strings with control characters, wrong escapes or invalid UTF-8, and
/// truncated documents. Beyond the nesting ``depth`` or the number ``values``, the rest is one broken value.
package enum LenientJSON {
    package static let depth = 64
    /// The maximum number of values. A value of one byte takes some hundred bytes of memory.
    package static let values = 1 << 18

    /// Reads the first value, and returns the index behind it and any white space; nil for input of only white space. Indices serve as
    /// offsets.
    package static func read(_ bytes: ArraySlice<UInt8>) -> (node: JSONNode, end: Int)? {
        var reader = LenientJSONReader(bytes)
        return reader.document()
    }
}

/// Reads the bytes once.
private struct LenientJSONReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var count = 0

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex + (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    }

    private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    mutating func document() -> (node: JSONNode, end: Int)? {
        skipSpace()
        guard current != nil else { return nil }
        let node = value(depth: 0)
        skipSpace()
        return (node, position)
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// A broken value up to the end of the input.
    private mutating func stop(_ reason: String) -> JSONNode {
        let start = position
        position = bytes.endIndex
        return JSONNode(.broken(reason), at: start..<position)
    }

    /// Reads a value that begins with a byte other than white space. Consumes at least one byte unless the input is
    /// empty.
    private mutating func value(depth: Int) -> JSONNode {
        count += 1
        guard count <= LenientJSON.values else { return stop("more than \(LenientJSON.values) values") }
        switch current {
        case nil: return stop("expected a value, found the end")
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < LenientJSON.depth else { return stop("values nest deeper than \(LenientJSON.depth)") }
            return current == UInt8(ascii: "{") ? object(depth: depth) : array(depth: depth)
        default: return word()
        }
    }

    private mutating func array(depth: Int) -> JSONNode {
        let start = position
        position += 1
        var elements: [JSONNode] = []
        let violation = items(until: UInt8(ascii: "]")) { reader in elements.append(reader.value(depth: depth + 1)) }
        return JSONNode(.array(elements), at: start..<position, violation: violation)
    }

    private mutating func object(depth: Int) -> JSONNode {
        let start = position
        position += 1
        var members: [(key: JSONNode, value: JSONNode)] = []
        let violation = items(until: UInt8(ascii: "}")) { reader in
            reader.count += 1
            guard reader.count <= LenientJSON.values else {
                let key = reader.stop("more than \(LenientJSON.values) values")
                members.append((key, reader.stop("not read")))
                return
            }
            let key = reader.current == UInt8(ascii: "\"") ? reader.string() : reader.word()
            reader.skipSpace()
            guard reader.current == UInt8(ascii: ":") else {
                let found = reader.current == nil ? "the end" : "something else"
                let place = reader.position..<reader.position
                members.append((key, JSONNode(.broken("expected ':' and a value, found \(found)"), at: place)))
                return
            }
            reader.position += 1
            reader.skipSpace()
            members.append((key, reader.value(depth: depth + 1)))
        }
        return JSONNode(.object(members), at: start..<position, violation: violation)
    }

    /// Reads items and separators up to a bracket. Returns the violation.
    private mutating func items(until bracket: UInt8, _ item: (inout LenientJSONReader) -> Void) -> String? {
        var violation: String?
        var isFirst = true
        while true {
            skipSpace()
            switch current {
            case nil: return violation ?? "it does not end"
            case bracket:
                position += 1
                return violation
            // The other bracket ends the enclosing array or object, or nothing.
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                return violation ?? "it does not end before byte \(position)"
            default: break
            }
            if !isFirst, current == UInt8(ascii: ",") {
                position += 1
                skipSpace()
                if current == bracket || current == UInt8(ascii: ",") {
                    violation = violation ?? "a comma with nothing after it at byte \(position)"
                    continue
                }
                if current == nil { continue }
            } else if !isFirst {
                violation = violation ?? "a comma is missing at byte \(position)"
            }
            let before = position
            item(&self)
            isFirst = false
            // Skip a byte that begins no item, such as a comma before the first item.
            if position == before { position += 1 }
        }
    }

    /// Reads a number or a word.
    private mutating func word() -> JSONNode {
        let start = position
        while let byte = current, LenientJSONReader.isInWord(byte) { position += 1 }
        if position == start, position < bytes.endIndex {
            position += 1
            return JSONNode(.broken("expected a value"), at: start..<position)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let content: JSONNode.Content =
            switch text {
            case "null": .null
            case "true": .flag(true)
            case "false": .flag(false)
            default: JSONNumber.isValid(bytes[start..<position]) ? .number(text) : .broken("no value of JSON")
            }
        return JSONNode(content, at: start..<position)
    }

    /// Bytes beyond ASCII belong to a word, so that a word in another script is one word.
    private static func isInWord(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte >= 0x80 || [0x2B, 0x2D, 0x2E, 0x5F].contains(byte)
    }

    private mutating func string() -> JSONNode {
        let start = position
        position += 1
        var text = LenientJSONText()
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return JSONNode(.text(text.finish()), at: start..<position, violation: text.violation)
            case UInt8(ascii: "\\"): position = text.escape(in: bytes, at: position)
            default: text.append(byte)
            }
        }
        return JSONNode(.text(text.finish()), at: start..<position, violation: "the string does not end")
    }
}
