package import AssayPrimitives

/// A range of addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8` or `fd00::/8`.
package struct AddressRange: Equatable, Sendable {
    private let first: [UInt8]
    private let length: Int

    /// Reads `ADDRESS/BITS`, or one address; nil for another form, and for a range whose address has one-bits after the
    /// prefix.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        let bits = address.bytes.count * 8
        var length = bits
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let found = Int(parts[1]), found <= bits
            else { return nil }
            length = found
        }
        first = address.bytes
        self.length = length
        guard Self.prefix(first, length) == first else { return nil }
    }

    /// Whether the range has addresses of many organisations: it is greater than any that is assigned for private networks,
    /// `10.0.0.0/8` (RFC 1918) and `fc00::/7` (RFC 4193).
    package var isPublic: Bool { length < (first.count == 4 ? 8 : 7) }

    /// Whether an address is in the range.
    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == first.count && Self.prefix(address.bytes, length) == first
    }

    /// The bytes, with zeros after the first `length` bits.
    private static func prefix(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let bits = min(8, max(0, length - index * 8))
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> bits)
        }
    }
}
