import AssayCore

/// Collects the text of a JSON string.
struct LenientJSONText {
    private var bytes: [UInt8] = []
    /// The first error of a strict reader.
    private(set) var violation: String?

    private static let simple: [UInt8: UInt8] = [
        0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
    ]

    /// Appends a byte that is neither a quote nor a backslash.
    mutating func append(_ byte: UInt8) {
        if byte < 0x20 { object("a control character that is not escaped") }
        bytes.append(byte)
    }

    /// Reads an escape and returns the index after it.
    /// - Parameter position: the index after the backslash.
    mutating func escape(in input: ArraySlice<UInt8>, at position: Int) -> Int {
        guard position < input.endIndex else { return position }
        let kind = input[position]
        if let byte = LenientJSONText.simple[kind] {
            bytes.append(byte)
            return position + 1
        }
        guard kind == UInt8(ascii: "u"), let first = unit(in: input, at: position + 1) else {
            object("an escape that JSON does not have")
            // Keep the backslash. The byte after it may not belong to the escape.
            bytes.append(0x5C)
            return position
        }
        var end = position + 5
        var code = UInt32(first)
        if (0xD800..<0xDC00).contains(first), end + 1 < input.endIndex, input[end] == 0x5C,
            input[end + 1] == UInt8(ascii: "u"), let second = unit(in: input, at: end + 2),
            (0xDC00..<0xE000).contains(second)
        {
            code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
            end += 6
        }
        if Unicode.Scalar(code) == nil { object("half of a surrogate pair") }
        bytes += Array(String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
        return end
    }

    /// The text, with invalid UTF-8 replaced.
    mutating func finish() -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        object("not valid UTF-8")
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func object(_ reason: String) { violation = violation ?? reason }

    /// Four hexadecimal digits.
    private func unit(in input: ArraySlice<UInt8>, at start: Int) -> UInt16? {
        guard input.endIndex - start >= 4 else { return nil }
        var unit: UInt16 = 0
        for byte in input[start..<start + 4] {
            guard let digit = byte.hexadecimalValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

/// The grammar of numbers (RFC 8259 section 6).
enum JSONNumber {
    /// Whether the bytes are exactly one number.
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == 0x2D { rest = rest.dropFirst() }
        let hasZero = rest.first == 0x30
        let whole = digits()
        guard whole > 0, !hasZero || whole == 1 else { return false }
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == 0x65 || rest.first == 0x45 {
            rest = rest.dropFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
