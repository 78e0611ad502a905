package import AssayCore

/// An ASN.1 value in DER or BER with any content.
package enum DERFormat: BlobFormat {
    package static let name = "ASN.1 value (DER or BER)"

    /// Recognises sequences and sets. Random bytes are often a valid primitive value.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = bytes.first, first == 0x30 || first == 0x31,
            let (node, end) = LenientDER.readOne(bytes[...])
        else { return nil }
        let name = DERTypes.name(of: node)
        if DERAnnotator.isWhole(node), !node.children.isEmpty {
            return Recognition(
                .structure,
                because: end == bytes.count
                    ? "a DER \(name) fills all \(Words.count(end, "byte"))"
                    : "it begins with a DER \(name) of \(Words.count(end, "byte"))")
        }
        guard let child = node.children.first, child.broken == nil else { return nil }
        return Recognition(.guess, because: "it begins like a DER \(name), and breaks off")
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var annotations: [Annotation] = []
        for (index, node) in LenientDER.read(bytes[...]).enumerated() {
            var annotation = DERAnnotator.annotate(node, in: bytes)
            if index == 1, annotation.violation == nil { annotation.violation = "bytes follow the first value" }
            annotations.append(annotation)
        }
        return BlobContents(annotations, secrets: annotations.secretRanges)
    }

    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        var open = [DERReader(bytes)]
        _ = try open[0].read()
        try open[0].finish()
        // Check the inner values without recursion.
        open = [DERReader(bytes)]
        while let last = open.indices.last {
            guard !open[last].isAtEnd else {
                open.removeLast()
                continue
            }
            let element = try open[last].read()
            guard element.tag.isConstructed else { continue }
            guard open.count < InputLimits.nestingDepth else {
                throw DecodeError(
                    .tooDeep, at: element.bytes.startIndex,
                    "values nest deeper than \(InputLimits.nestingDepth)")
            }
            open.append(element.reader)
        }
    }
}

/// An ASN.1 value in BER or DER (X.690) with its range, as the lenient reader found it.
package struct DERNode: Sendable {
    package enum TagClass: Int, Sendable {
        case universal, application, contextSpecific, `private`
    }

    package let tagClass: TagClass
    /// The number of the tag, such as 16 for SEQUENCE and 1204 for an Apple extension.
    package let tagNumber: UInt64
    package let isConstructed: Bool
    /// The bytes of the value, including its header.
    package let range: Range<Int>
    /// The bytes of the contents; for indefinite lengths, without the end-of-contents octets.
    package let contents: Range<Int>
    /// Whether the length is indefinite, which DER forbids.
    package let isIndefinite: Bool
    package let children: [DERNode]
    /// Why reading ended in this value; nil if it is complete.
    package let broken: String?

    package func isUniversal(_ number: UInt64) -> Bool { tagClass == .universal && tagNumber == number }
}
