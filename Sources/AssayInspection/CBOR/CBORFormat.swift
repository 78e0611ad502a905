package import AssayCore
import AssayPrimitives

/// CBOR (RFC 8949) with any content.
package enum CBORFormat: BlobFormat {
    /// CBOR.
    package static let name = "CBOR"

    /// Recognises arrays, maps and tagged items. Every byte is some CBOR item, so single numbers and strings prove
    /// nothing.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = bytes.first, [4, 5, 6].contains(first >> 5) else { return nil }
        let (node, end) = LenientCBOR.read(bytes[...])
        let isWhole = !node.isBroken && end == bytes.count
        switch node.content {
        case .map(let members):
            let hasTextKey = members.first.map { isPlainText($0.key) } ?? false
            if isWhole, !members.isEmpty {
                return Recognition(.structure, because: "a CBOR map fills all \(Words.count(end, "byte"))")
            }
            guard hasTextKey else { return nil }
            return node.isBroken
                ? Recognition(.guess, because: "it begins like a CBOR map with text keys, and breaks off")
                : Recognition(.structure, because: "it begins with a CBOR map of \(Words.count(end, "byte"))")
        case .array(let items) where isWhole && !items.isEmpty:
            return Recognition(
                bytes.count > 3 ? .structure : .guess, because: "a CBOR array fills all \(Words.count(end, "byte"))")
        case .tag(let number, _) where isWhole && bytes.count > 3:
            return Recognition(.structure, because: "a CBOR item with tag \(number) fills all \(end) bytes")
        default: return nil
        }
    }

    /// Annotates every item.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let annotations = CBORAnnotator.annotate(bytes)
        return BlobContents(annotations, secrets: SecretAnnotations.ranges(in: annotations))
    }

    /// The first error of the strict decoder, in a mode that accepts tags and any order of keys.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            var reader = CBORReader(bytes, allowingTags: true)
            try reader.skipItem()
            try reader.finish()
            return nil
        } catch {
            return error
        }
    }

    /// Whether a key is readable text.
    private static func isPlainText(_ node: CBORNode) -> Bool {
        guard case .text(let text, _) = node.content, node.broken == nil else { return false }
        return !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
