package import FoundationEssentials

/// Writes JSON (RFC 8259) as UTF-8 into one buffer, without intermediate strings. The caller writes commas and
/// brackets.
package struct JSONBytes: Sendable {
    /// The written bytes.
    package private(set) var bytes: [UInt8] = []

    /// Starts an empty buffer with room for `capacity` bytes.
    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes JSON text unchanged.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { text in append(upTo: text.count) { Self.copy(text, to: $0) } }
    }

    /// Writes a text of the program that needs no escapes, such as the name of a check, between JSON text.
    mutating func unescaped(_ before: StaticString, _ text: String, _ after: StaticString) {
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { text in
            before.withUTF8Buffer { before in
                after.withUTF8Buffer { after in
                    append(upTo: before.count + text.count + after.count) { target in
                        let start = Self.copy(before, to: target)
                        let end = start + Self.copy(text, to: target + start)
                        return end + Self.copy(after, to: target + end)
                    }
                }
            }
        }
        guard isWritten == nil else { return }
        raw(before)
        bytes.append(contentsOf: text.utf8)
        raw(after)
    }

    /// Appends the bytes that `write` stores, and of which it returns the number, at most `count`.
    @inline(__always)
    private mutating func append(upTo count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        bytes.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { target, written in
                if let start = target.baseAddress { written = write(start) }
            }
        }
    }

    /// Copies bytes, and returns their number.
    @inline(__always)
    private static func copy(_ bytes: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) -> Int {
        if let source = bytes.baseAddress { target.update(from: source, count: bytes.count) }
        return bytes.count
    }

    package mutating func raw(_ byte: UInt8) {
        bytes.append(byte)
    }

    package mutating func integer(_ value: some FixedWidthInteger) {
        if value < 10, value >= 0 {
            raw(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
        } else {
            for digit in String(value).utf8 { raw(digit) }
        }
    }

    /// Writes `true` or `false`.
    package mutating func flag(_ value: Bool) { value ? raw("true") : raw("false") }

    /// Writes a time as a string; see ``AssayCore/RFC3339``.
    package mutating func time(_ date: Date) {
        raw("\"")
        RFC3339.append(date, to: &bytes)
        raw("\"")
    }

    /// Writes an array of strings.
    package mutating func strings(_ texts: some Sequence<String>) {
        raw("[")
        var isFirst = true
        for text in texts {
            if !isFirst { raw(",") }
            isFirst = false
            string(text)
        }
        raw("]")
    }

    /// Writes a string. Escapes what JSON requires, and what terminals and line readers interpret: controls, line
    /// separators, invisible formatting.
    package mutating func string(_ text: String) {
        let isWritten = text.utf8.withContiguousStorageIfAvailable { plain($0) }
        if isWritten == true { return }
        raw("\"")
        for scalar in text.unicodeScalars { escape(scalar) }
        raw("\"")
    }

    /// Writes a string of printable ASCII without escapes; writes nothing and returns false for any other string.
    private mutating func plain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var isPlain = false
        append(upTo: text.count + 2) { target in
            isPlain = Self.isPlain(text)
            guard isPlain else { return 0 }
            target[0] = UInt8(ascii: "\"")
            target[1 + Self.copy(text, to: target + 1)] = UInt8(ascii: "\"")
            return text.count + 2
        }
        return isPlain
    }

    /// Whether all bytes are printable ASCII that needs no escape. Examines eight bytes at a time, the last eight in one piece.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Sets the highest bit of at least one byte if any is strange: a quote, a backslash, below a space, not ASCII, or DEL.
        func strange(_ word: UInt64) -> UInt64 {
            let ones: UInt64 = 0x0101_0101_0101_0101
            func isZero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
            return isZero(word ^ ones &* 0x22) | isZero(word ^ ones &* 0x5C)
                | (word &- ones &* 0x20) & ~word | word | (word &+ ones)
        }
        var found: UInt64 = 0
        if text.count >= 8 {
            let bytes = UnsafeRawBufferPointer(text)
            for offset in stride(from: 0, to: text.count - 8, by: 8) {
                found |= strange(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            found |= strange(bytes.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self))
        } else {
            var word: UInt64 = 0x2020_2020_2020_2020
            for byte in text { word = word << 8 | UInt64(byte) }
            found = strange(word)
        }
        return found & 0x8080_8080_8080_8080 == 0
    }

    private mutating func escape(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": raw("\\\"")
        case "\\": raw("\\\\")
        case "\n": raw("\\n")
        case "\r": raw("\\r")
        case "\t": raw("\\t")
        case _ where scalar.isActedOn:
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { escape(unit: unit) }
        default:
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { raw(byte) }
        }
    }

    private mutating func escape(unit: UInt16) {
        raw("\\u")
        for shift in [12, 8, 4, 0] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
            raw(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
