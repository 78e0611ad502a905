#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An address, compared by its bytes: an IPv6 address has many text forms.
package struct IPAddress: Equatable {
    /// 4 bytes for IPv4, 16 for IPv6.
    package let bytes: [UInt8]

    /// Whether a text is an address.
    package static func isAddress(_ text: String) -> Bool { isDottedDecimal(text) || IPAddress(text) != nil }

    /// Whether a text is four numbers up to 255 without zeros in front. Allocates nothing.
    private static func isDottedDecimal(_ text: String) -> Bool {
        guard text.utf8.count <= 15 else { return false }
        var (parts, digits, number) = (1, 0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                (parts, digits, number) = (parts + 1, 0, 0)
            } else {
                guard byte >= 0x30, byte <= 0x39, digits == 0 || number > 0 else { return false }
                (digits, number) = (digits + 1, number * 10 + Int(byte - 0x30))
                guard number <= 255 else { return false }
            }
        }
        return parts == 4 && digits > 0
    }

    /// Reads dotted-decimal IPv4 or IPv6 (RFC 4291 section 2.2); nil otherwise. IPv4-mapped addresses become IPv4.
    package init?(_ text: String) {
        guard !text.utf8.contains(0), text.utf8.count < Int(INET6_ADDRSTRLEN) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes[..<4])
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes[12...]) : bytes
        } else {
            return nil
        }
    }
}
