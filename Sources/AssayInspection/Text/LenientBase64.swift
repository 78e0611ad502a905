/// Base64 (RFC 4648) as far as it goes, in either alphabet, with padding or without.
package enum LenientBase64 {
    /// The bytes of a text up to its first character that is of neither alphabet, white space passed over; what is wrong
    /// with it, or nil. A last character that fills no byte is dropped.
    package static func decode(_ text: some Sequence<UInt8>) -> (bytes: [UInt8], objection: String?) {
        var bytes: [UInt8] = []
        var group: UInt32 = 0
        var bits: UInt32 = 0
        var (isStandard, isURL, padding) = (false, false, 0)
        var objection: String?
        for (index, byte) in text.enumerated() {
            let value: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - 0x41
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - 0x61 + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - 0x30 + 52
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                value = byte == UInt8(ascii: "+") ? 62 : 63
                isStandard = true
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                value = byte == UInt8(ascii: "-") ? 62 : 63
                isURL = true
            case UInt8(ascii: "="):
                padding += 1
                continue
            case 0x20, 0x09, 0x0A, 0x0D:
                objection = objection ?? "white space stands in it"
                continue
            default: return (bytes, "character \(index + 1) is in neither alphabet of base64; the rest is not decoded")
            }
            if padding > 0 { return (bytes, "padding stands at character \(index), before the end") }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> bits))
                group &= (1 << bits) - 1
            }
        }
        if isStandard && isURL { objection = "both alphabets are mixed in it" }
        if group != 0 || bits == 6 { objection = objection ?? "its last character has bits that belong to no byte" }
        return (bytes, objection)
    }
}
