import AssayCore

/// The text of HTTP fields (RFC 9110 section 5): how names are compared, and what stands around values.
package enum HTTPFieldText {
    /// Whether two names are the same: the case of ASCII letters does not count (section 5.1).
    package static func isName(_ name: String, equalTo other: String) -> Bool {
        guard name.utf8.count == other.utf8.count else { return false }
        // Most are written in lower case, and those that differ do so in their first bytes.
        return name.isByteEqual(to: other)
            || zip(name.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    /// An ASCII letter in lower case, and every other byte as it is.
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// `tchar`, of which names of fields and methods consist (section 5.6.2).
    package static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"),
            UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"),
            UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// A space or a tab, which may stand around values and is no part of them (section 5.5).
    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// A value without the white space around it; indices stay those of the whole.
    package static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = value
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }

    /// A value without the white space around it.
    package static func trimmed(_ value: String) -> String {
        guard let first = value.utf8.first, let last = value.utf8.last, isSpace(first) || isSpace(last) else {
            return value
        }
        // An array, since the indices of strings cost many times as much.
        return String(decoding: trimmed(Array(value.utf8)[...]), as: UTF8.self)
    }
}
