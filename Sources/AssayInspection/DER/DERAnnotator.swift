/// Annotates ASN.1 values by their types.
package enum DERAnnotator {
    /// The maximum nesting of values inside OCTET STRINGs and BIT STRINGs. Each level reads the bytes again.
    static let encapsulation = 4

    /// Annotates a value and everything in it, by the name of its type if `name` is nil. If the format allows BER, indefinite lengths
    /// are not marked.
    package static func annotate(
        _ node: DERNode, named name: String? = nil, in bytes: [UInt8], isBER: Bool = false
    ) -> Annotation {
        annotate(node, named: name, in: bytes, isBER: isBER, encapsulation: encapsulation)
    }

    private static func annotate(
        _ node: DERNode, named name: String?, in bytes: [UInt8], isBER: Bool, encapsulation: Int
    ) -> Annotation {
        let type = DERTypes.name(of: node)
        var annotation = Annotation(name ?? type, at: node.range)
        annotation.violation = node.broken ?? irregularity(of: node, isBER: isBER)
        if let secret = PrivateKeys.describe(node, in: bytes) {
            annotation.hide(meaning: secret)
            return annotation
        }
        var children = node.children
        if node.isConstructed {
            let count = Words.count(node.children.count, "value")
            annotation.meaning = name == nil ? count : "\(type) of \(count)"
        } else {
            (annotation.value, annotation.meaning) = DERTypes.describe(node, in: bytes)
            if encapsulation > 0 { children = encapsulated(in: node, bytes) }
        }
        let depth = node.isConstructed ? encapsulation : encapsulation - 1
        // The value of a part that contains a private key would show the key.
        if !node.isConstructed, let secret = children.first.flatMap({ PrivateKeys.describe($0, in: bytes) }) {
            annotation.hide(meaning: secret)
            return annotation
        }
        annotation.children = children.map {
            annotate($0, named: nil, in: bytes, isBER: isBER, encapsulation: depth)
        }
        return annotation
    }

    /// The values that fill an OCTET STRING or BIT STRING; empty if it contains something else.
    private static func encapsulated(in node: DERNode, _ bytes: [UInt8]) -> [DERNode] {
        guard node.broken == nil, node.isUniversal(3) || node.isUniversal(4) else { return [] }
        let contents = bytes[node.contents].dropFirst(node.isUniversal(3) ? 1 : 0)
        // Only sequences and sets: random bytes are often a valid primitive value.
        guard contents.count > 2, contents.first == 0x30 || contents.first == 0x31,
            let (inner, end) = LenientDER.readOne(contents), end == contents.endIndex, isWhole(inner)
        else { return [] }
        return [inner]
    }

    /// Whether no part of a value is broken.
    static func isWhole(_ node: DERNode) -> Bool {
        node.broken == nil && node.children.allSatisfy(isWhole)
    }

    /// The DER rule that the head of a value violates.
    private static func irregularity(of node: DERNode, isBER: Bool) -> String? {
        if node.isIndefinite { return isBER ? nil : "indefinite length, which DER does not have" }
        let tagLength =
            node.tagNumber < 31
            ? 1 : 1 + stride(from: 0, to: 64, by: 7).prefix { $0 == 0 || node.tagNumber >> UInt64($0) > 0 }.count
        let count = node.contents.count
        let lengthLength = count < 0x80 ? 1 : 1 + stride(from: 0, to: 64, by: 8).prefix { count >> $0 > 0 }.count
        let length = node.contents.lowerBound - node.range.lowerBound
        return length > tagLength + lengthLength ? "tag or length take more bytes than they need to" : nil
    }
}
