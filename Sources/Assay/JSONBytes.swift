import AssayCore
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
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes a text of the program that needs no escapes, such as the name of a check, without quotation marks.
    package mutating func unescaped(_ text: String) {
        bytes.append(contentsOf: text.utf8)
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
        // No branch in the loop, so that the compiler vectorises it: a byte that needs an escape sets the highest bit.
        func isZero(_ byte: UInt8) -> UInt8 { (byte &- 1) & ~byte }
        var strange: UInt8 = 0
        for byte in text {
            strange |= isZero(byte ^ UInt8(ascii: "\"")) | isZero(byte ^ UInt8(ascii: "\\"))
            // Below a space, not ASCII, or DEL.
            strange |= (byte &- 0x20) & ~byte | byte | (byte &+ 1)
        }
        guard strange < 0x80 else { return false }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\""))
        return true
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
