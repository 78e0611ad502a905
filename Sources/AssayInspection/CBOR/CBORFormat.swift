package import AssayCore

/// CBOR (RFC 8949) with any content.
package enum CBORFormat: BlobFormat {
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

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let annotations = CBORAnnotator.annotate(bytes)
        let secrets = annotations.secretRanges
        var contents = BlobContents(annotations, secrets: secrets)
        for node in LenientCBOR.readAll(bytes[...]) { addBlobs(in: node, at: "", of: bytes, to: &contents) }
        contents.nested.removeAll { blob in blob.range.map { range in secrets.contains { $0.overlaps(range) } } ?? false
        }
        return contents
    }

    /// The most byte strings of one item that are looked into.
    private static let maximumBlobs = 32

    /// Adds the byte strings that are CBOR or DER, and texts that encode such bytes, as wallets and protocols wrap evidence.
    private static func addBlobs(in node: CBORNode, at path: String, of bytes: [UInt8], to contents: inout BlobContents)
    {
        guard contents.nested.count < maximumBlobs else { return }
        switch node.content {
        case .bytes(let range):
            let blob = Array(bytes[range])
            guard StructuredBytes.isKnown(blob) else { return }
            contents.nested.append(
                NestedBlob(path.isEmpty ? "bytes" : path, encoding: "byte string of CBOR", bytes: blob, at: range))
        case .array(let items):
            for (index, item) in items.enumerated() {
                addBlobs(in: item, at: "\(path)[\(index)]", of: bytes, to: &contents)
            }
        case .map(let members):
            for member in members {
                let key =
                    if case .text(let text, _) = member.key.content { text.excerpt } else {
                        CBORAnnotator.notation(member.key, in: bytes).excerpt
                    }
                addBlobs(
                    in: member.value, at: path.isEmpty ? key : "\(path.excerpt(atMost: 200)).\(key)", of: bytes,
                    to: &contents)
            }
        case .tag(_, let item): addBlobs(in: item, at: path, of: bytes, to: &contents)
        case .text(let text, let range):
            guard let blob = EmbeddedBlob(text), blob.isWorthDecoding, blob.secret == nil, HTTPValue.isKnown(blob)
            else {
                return
            }
            contents.nested.append(
                NestedBlob(path.isEmpty ? "text" : path, encoding: blob.encoding, bytes: blob.bytes, at: range))
        case .unsigned, .negative, .simple, .float, .broken: break
        }
    }

    /// Accepts tags and any order of keys.
    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        var reader = CBORReader(bytes, allowingTags: true)
        try reader.skipItem()
        try reader.finish()
    }

    /// Whether a key is readable text.
    private static func isPlainText(_ node: CBORNode) -> Bool {
        guard case .text(let text, _) = node.content, node.broken == nil else { return false }
        return !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// A CBOR data item (RFC 8949) with its range, as the lenient reader found it.
package struct CBORNode: Sendable {
    package enum Content: Sendable {
        case unsigned(UInt64)
        /// Major type 1; the value is -1 minus this.
        case negative(UInt64)
        /// Major type 2: the range of the bytes; for several chunks, the range around them.
        case bytes(Range<Int>)
        /// Major type 3: the text with invalid UTF-8 replaced, and its range.
        case text(String, Range<Int>)
        case array([CBORNode])
        /// Major type 5, in encoded order, with duplicate keys.
        case map([(key: CBORNode, value: CBORNode)])
        indirect case tag(UInt64, CBORNode)
        /// Major type 7 without a number: false 20, true 21, null 22, undefined 23, others.
        case simple(UInt8)
        /// Major type 7 with a number of 2, 4 or 8 bytes.
        case float(Double)
        /// No item: the input ends or is not CBOR. The text is the reason; the range is the rest of the input.
        case broken(String)
    }

    /// The bytes of the item, including its head.
    package let range: Range<Int>
    /// The value; for a truncated string, the available part.
    package let content: Content
    /// Why the content of a string, array or map ends too early; nil if it is complete.
    package let broken: String?

    package init(_ content: Content, at range: Range<Int>, broken: String? = nil) {
        (self.content, self.range, self.broken) = (content, range, broken)
    }

    /// Whether reading ended in this item.
    package var isBroken: Bool {
        if broken != nil { return true }
        return switch content {
        case .broken: true
        case .array(let items): items.last?.isBroken ?? false
        case .map(let members): members.last.map { $0.key.isBroken || $0.value.isBroken } ?? false
        case .tag(_, let item): item.isBroken
        case .unsigned, .negative, .bytes, .text, .simple, .float: false
        }
    }

    /// The value of the first text key that matches.
    package subscript(key: String) -> CBORNode? {
        guard case .map(let members) = content else { return nil }
        return members.first {
            if case .text(let text, _) = $0.key.content { text.isByteEqual(to: key) } else { false }
        }?.value
    }

    /// The value of the first integer key that matches, as in COSE.
    package subscript(key: Int64) -> CBORNode? {
        guard case .map(let members) = content else { return nil }
        return members.first {
            switch $0.key.content {
            case .unsigned(let value): key >= 0 && value == UInt64(key)
            case .negative(let value): key < 0 && value == UInt64(-1 - key)
            default: false
            }
        }?.value
    }

    /// The range of a byte string's bytes; nil for other items.
    package var byteRange: Range<Int>? {
        if case .bytes(let range) = content { range } else { nil }
    }
}
