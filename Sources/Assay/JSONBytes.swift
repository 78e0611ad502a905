import AssayCore
package import FoundationEssentials

/// Writes JSON (RFC 8259) as UTF-8 into one buffer, value by value.
///
/// Replays write a verdict for every few dozen microseconds of cryptography, so nothing here makes a `String` of what is
/// one already, or collects members in order to join them. The caller sees to commas and brackets.
package struct JSONBytes: Sendable {
    /// What was written, and room behind it.
    private var storage: [UInt8] = []
    private var count = 0

    /// Starts with nothing.
    package init() {}

    /// What was written.
    package var bytes: [UInt8] { Array(storage[..<count]) }

    /// Sees to it that so many bytes more have room.
    private mutating func reserve(_ length: Int) {
        guard storage.count - count < length else { return }
        let size = max(2 * storage.count, count + length, 4096)
        storage.append(contentsOf: repeatElement(0, count: size - storage.count))
    }

    /// Writes something that is JSON, or a part of it, already.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { append($0) }
    }

    /// Writes a byte.
    package mutating func raw(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count += 1
    }

    private mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
        reserve(source.count)
        let start = count
        storage.withUnsafeMutableBufferPointer { target in
            _ = UnsafeMutableBufferPointer(rebasing: target[start...]).update(fromContentsOf: source)
        }
        count += source.count
    }

    /// Writes an integer.
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
        string(RFC3339.format(date))
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

    /// Writes a string, with everything escaped that must be, and what terminals and line readers would act on: controls,
    /// line separators, invisible formatting.
    package mutating func string(_ text: String) {
        let isWritten = text.utf8.withContiguousStorageIfAvailable { plain($0) }
        if isWritten == true { return }
        raw("\"")
        for scalar in text.unicodeScalars { escape(scalar) }
        raw("\"")
    }

    /// Writes a string of printable ASCII that stands for itself, and nothing when it has something else in it.
    private mutating func plain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        reserve(text.count + 2)
        let start = count
        let isPlain = storage.withUnsafeMutableBufferPointer { target in
            var position = start
            target[position] = UInt8(ascii: "\"")
            var isPlain = true
            for byte in text {
                position += 1
                target[position] = byte
                isPlain =
                    isPlain && byte &- 0x20 < 0x5F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
            target[position + 1] = UInt8(ascii: "\"")
            return isPlain
        }
        if isPlain { count += text.count + 2 }
        return isPlain
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
