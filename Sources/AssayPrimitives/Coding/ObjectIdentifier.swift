/// An ASN.1 object identifier, stored as the contents octets of its unique encoding. One that was read shares the memory of the input.
package struct ObjectIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The contents octets (X.690 section 8.19).
    package let contents: ArraySlice<UInt8>

    /// Creates an object identifier from its components. For constants only: it does not check the components.
    package init(_ first: UInt64, _ second: UInt64, _ others: UInt64...) {
        var contents: [UInt8] = []
        for component in [first * 40 + second] + others {
            var groups = [UInt8(component & 0x7F)]
            var rest = component >> 7
            while rest > 0 {
                groups.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            contents += groups.reversed()
        }
        self.contents = contents[...]
    }

    /// The maximum number of contents octets. Identifiers in use have about 20; maps hash all octets.
    static let limit = 128

    /// Reads an OBJECT IDENTIFIER of at most 128 contents octets. Components must be in their shortest form and have at most 63 bits.
    package init(_ element: DERElement) throws(DecodeError) {
        guard element.tag == .objectIdentifier else {
            throw DecodeError(
                .unexpectedType, at: element.bytes.startIndex, "expected an OBJECT IDENTIFIER, found \(element.tag)")
        }
        try self.init(contents: element.contents)
    }

    init(contents: ArraySlice<UInt8>) throws(DecodeError) {
        try DERScanner(contents).requireObjectIdentifier(in: contents.span)
        self.contents = contents
    }

    package static func == (left: ObjectIdentifier, right: ObjectIdentifier) -> Bool {
        left.contents.isByteEqual(to: right.contents)
    }

    package func hash(into hasher: inout Hasher) {
        unsafe contents.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    package var description: String {
        var components: [UInt64] = []
        var value: UInt64 = 0
        for byte in contents {
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 {
                components.append(value)
                value = 0
            }
        }
        guard let first = components.first else { return "" }
        let root = min(first / 40, 2)
        return ([root, first - root * 40] + components.dropFirst()).map(String.init).joined(separator: ".")
    }
}
