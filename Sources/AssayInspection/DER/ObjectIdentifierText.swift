/// The dotted form of object identifiers.
package enum ObjectIdentifierText {
    /// The dotted form of contents octets (X.690 section 8.19); nil for invalid ones, and for components of more than
    /// 63 bits.
    package static func dotted(_ contents: ArraySlice<UInt8>) -> String? {
        guard let last = contents.last, last & 0x80 == 0, contents.count <= 256 else { return nil }
        var components: [UInt64] = []
        var value: UInt64 = 0
        for byte in contents {
            guard value <= UInt64.max >> 8 else { return nil }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 {
                components.append(value)
                value = 0
            }
        }
        guard let first = components.first else { return nil }
        let root = min(first / 40, 2)
        return ([root, first - root * 40] + components.dropFirst()).map(String.init).joined(separator: ".")
    }

    /// The dotted form of an OBJECT IDENTIFIER node; nil for other nodes.
    package static func dotted(_ node: DERNode, in bytes: [UInt8]) -> String? {
        node.isUniversal(6) && node.broken == nil ? dotted(bytes[node.contents]) : nil
    }
}
