import AssayCore
package import FoundationEssentials

/// Writes JSON (RFC 8259) as UTF-8 into one buffer, value by value.
///
/// Replays write a verdict for every few dozen microseconds of cryptography, so nothing here makes a `String` of what is
/// one already or collects members in order to join them. The caller sees to commas and brackets.
package struct JSONBytes: Sendable {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    /// Starts with nothing.
    package init() {}

    /// Forgets what was written and keeps the room for it.
    package mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    /// Writes something that is JSON, or a part of it, already.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes bytes that are JSON, or a part of it, already.
    package mutating func raw(_ other: some Collection<UInt8>) { bytes.append(contentsOf: other) }

    /// Writes a byte.
    package mutating func raw(_ byte: UInt8) { bytes.append(byte) }

    /// Writes an integer.
    package mutating func integer(_ value: some FixedWidthInteger) {
        if value < 10, value >= 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
    }

    /// Writes `true` or `false`.
    package mutating func flag(_ value: Bool) { value ? raw("true") : raw("false") }

    /// Writes a time as a string; see ``AssayCore/RFC3339``.
    package mutating func time(_ date: Date) {
        bytes.append(UInt8(ascii: "\""))
        RFC3339.append(date, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an array of strings.
    package mutating func strings(_ texts: some Sequence<String>) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for text in texts {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            string(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a string, with everything escaped that must be, and what terminals and line readers would act on: controls,
    /// line separators, invisible formatting.
    package mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isWritten = text.utf8.withContiguousStorageIfAvailable { buffer in
            guard buffer.allSatisfy(JSONBytes.isPlain) else { return false }
            bytes.append(contentsOf: buffer)
            return true
        }
        if isWritten != true { escape(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Printable ASCII that stands for itself; everything else is looked at one by one.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": raw("\\\"")
            case "\\": raw("\\\\")
            case "\n": raw("\\n")
            case "\r": raw("\\r")
            case "\t": raw("\\t")
            case _ where scalar.isActedOn:
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { escape(unit: unit) }
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    private mutating func escape(unit: UInt16) {
        raw("\\u")
        for shift in [12, 8, 4, 0] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
