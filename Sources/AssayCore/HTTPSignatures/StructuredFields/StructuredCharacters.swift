/// Character classes of structured fields (RFC 9651 section 3, RFC 9110 section 5.6.2).
enum StructuredCharacters {
    /// A lower-case letter or `*`.
    static func beginsKey(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte == UInt8(ascii: "*")
    }

    /// A lower-case letter, a digit, `_`, `-`, `.` or `*`.
    static func continuesKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"):
            true
        default: false
        }
    }

    /// A letter or `*`.
    static func beginsToken(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == UInt8(ascii: "*")
    }

    /// `tchar`, `:` and `/`.
    static func continuesToken(_ byte: UInt8) -> Bool {
        HTTPFieldText.isTokenCharacter(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
    }
}
