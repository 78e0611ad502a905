/// Compares names and trims values of HTTP fields (RFC 9110 section 5).
package enum HTTPFieldText {
    /// Whether two names are equal, ignoring ASCII case (section 5.1).
    package static func isName(_ name: String, equalTo other: String) -> Bool {
        guard name.utf8.count == other.utf8.count else { return false }
        return name.isByteEqual(to: other)
            || zip(name.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    /// Lower-cases an ASCII letter; returns other bytes unchanged.
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// Whether a byte is a `tchar`, the character of field names and methods (section 5.6.2).
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

    /// Whether a byte is a space or a tab. At the ends of a value, they are not part of it (section 5.5).
    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Removes white space around a value, without copying it or changing its indices.
    package static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = value
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }

    /// Removes white space around a value.
    package static func trimmed(_ value: String) -> String {
        guard let first = value.utf8.first, let last = value.utf8.last, isSpace(first) || isSpace(last) else {
            return value
        }
        // An array: its indices are much faster than those of a string.
        return String(decoding: trimmed(Array(value.utf8)[...]), as: UTF8.self)
    }
}
