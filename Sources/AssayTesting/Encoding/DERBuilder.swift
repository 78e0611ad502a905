import AssayCore
package import FoundationEssentials

/// Encodes ASN.1 values, including malformed ones. Every function takes and returns bytes and checks nothing, so tests
/// can replace any part.
package enum DERBuilder {
    /// A value with the given identifier octet and its length in the shortest form (X.690 section 10.1).
    package static func element(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [identifier] + length(contents.count) + contents
    }

    /// The length octets of a definite length in the shortest form.
    package static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let octets = bigEndian(UInt64(count))
        return [0x80 | UInt8(octets.count)] + octets
    }

    /// A constructed value of indefinite length with its end-of-contents octets (X.690 section 8.1.3.6): BER, not DER.
    package static func indefinite(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [identifier, 0x80] + contents + [0, 0]
    }

    /// A value with a constructed context-specific tag, such as an explicit tag around `contents`.
    package static func context(_ number: Int, _ contents: [UInt8]) -> [UInt8] {
        guard number >= 31 else { return element(0xA0 | UInt8(number), contents) }
        return [0xBF] + base128(UInt64(number)) + length(contents.count) + contents
    }

    /// A SEQUENCE of encoded values.
    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, elements.flatMap { $0 }) }

    /// A SET of encoded values in the given order. DER sorts a SET OF; App Attest receipts do not.
    package static func set(_ elements: [UInt8]...) -> [UInt8] { element(0x31, elements.flatMap { $0 }) }

    /// A nonnegative INTEGER.
    package static func integer(_ value: UInt64) -> [UInt8] { integer(magnitude: bigEndian(value)) }

    /// A nonnegative INTEGER from its big-endian octets, which may have leading zeros.
    package static func integer(magnitude: [UInt8]) -> [UInt8] {
        var octets = Array(magnitude.drop { $0 == 0 })
        if octets.first.map({ $0 >= 0x80 }) ?? true { octets.insert(0, at: 0) }
        return element(0x02, octets)
    }

    package static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xFF : 0x00]) }

    package static let null: [UInt8] = [0x05, 0x00]

    /// A primitive OCTET STRING.
    package static func octetString(_ contents: [UInt8]) -> [UInt8] { element(0x04, contents) }

    /// A primitive OCTET STRING with UTF-8 text.
    package static func octetString(_ text: String) -> [UInt8] { octetString(Array(text.utf8)) }

    /// A BIT STRING. The last `unusedBits` bits are unused.
    package static func bitString(_ contents: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
        element(0x03, [unusedBits] + contents)
    }

    package static func utf8String(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    /// An OBJECT IDENTIFIER from at least two components.
    package static func objectIdentifier(_ components: [UInt64]) -> [UInt8] {
        guard components.count >= 2 else { return element(0x06, []) }
        return element(0x06, ([components[0] * 40 + components[1]] + components.dropFirst(2)).flatMap(base128))
    }

    /// A time by RFC 5280 section 4.1.2.5: UTCTime until 2049, then GeneralizedTime, in whole seconds.
    package static func time(_ date: Date) -> [UInt8] {
        let whole = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        let digits = RFC3339.format(whole).utf8.filter { (0x30...0x39).contains($0) }
        let isUTCTime = digits.starts(with: Array("19".utf8)) ? digits[2] >= 0x35 : digits[2] < 0x35
        return isUTCTime ? element(0x17, digits.dropFirst(2) + [0x5A]) : element(0x18, digits + [0x5A])
    }

    /// The big-endian octets of a number without leading zeros; empty for zero.
    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }.drop { $0 == 0 }
            .map { $0 }
    }

    /// Groups of seven bits; all but the last have the highest bit set (X.690 sections 8.1.2.4.2 and 8.19.2).
    private static func base128(_ value: UInt64) -> [UInt8] {
        var groups = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            groups.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return groups.reversed()
    }
}
