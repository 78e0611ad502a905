package import AssayCore

/// A JSON document with any content.
package enum JSONFormat: BlobFormat {
    package static let name = "JSON document"

    /// Recognises objects and arrays. A single number or word is more probably plain text.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = LenientText.body(bytes).first, first == 0x7B || first == 0x5B,
            let (node, end) = LenientJSON.read(bytes[...])
        else { return nil }
        let kind = node.isObject ? "object" : "array"
        if violation(in: bytes) == nil {
            return Recognition(.structure, because: "a JSON \(kind) fills all \(Words.count(bytes.count, "byte"))")
        }
        if node.violation == nil, end == bytes.count {
            return Recognition(.structure, because: "it is a JSON \(kind), written against some rule of JSON")
        }
        guard hasContents(node) else { return nil }
        return Recognition(
            .guess,
            because: end < bytes.count
                ? "it begins with a JSON \(kind) of \(Words.count(end, "byte"))"
                : "it begins like a JSON \(kind), and breaks off")
    }

    /// Annotates the first value, and reports the bytes after it.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        annotate(bytes) { _, _ in nil }
    }

    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try JSONReader.read(bytes, limit: InputLimits.record)
    }

    /// Annotates a document of a format that describes members.
    package static func annotate(_ bytes: [UInt8], describe: @escaping JSONAnnotator.Describe) -> BlobContents {
        guard let (node, end) = LenientJSON.read(bytes[...]) else {
            return BlobContents([Annotation("document", at: bytes.indices, violation: "nothing but white space")])
        }
        var contents = JSONAnnotator.annotate(node, named: "document", in: bytes, describe: describe)
        if end < bytes.count {
            contents.annotations.append(
                Annotation(
                    "rest", at: end..<bytes.count, meaning: Words.count(bytes.count - end, "byte"),
                    violation: "bytes follow the document"))
        }
        return contents
    }

    /// Whether one JSON value, of any type, fills the bytes.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard let (node, end) = LenientJSON.read(bytes[...]), end == bytes.count, node.violation == nil else {
            return false
        }
        if case .broken = node.content { return false }
        return true
    }

    /// Whether any part of the document is valid JSON.
    private static func hasContents(_ node: JSONNode) -> Bool {
        func isValue(_ node: JSONNode) -> Bool { if case .broken = node.content { false } else { true } }
        return switch node.content {
        case .object(let members): members.contains { $0.key.text != nil && isValue($0.value) }
        case .array(let elements): elements.first.map(isValue) ?? false
        default: false
        }
    }
}

/// A JSON value (RFC 8259) with its range, as the lenient reader found it.
package struct JSONNode: Sendable {
    package enum Content: Sendable {
        case null
        case flag(Bool)
        /// A number as written.
        case number(String)
        /// A string, unescaped, with invalid UTF-8 replaced.
        case text(String)
        case array([JSONNode])
        /// An object in document order, with duplicate keys.
        case object([(key: JSONNode, value: JSONNode)])
        /// Not a JSON value. The text is the reason.
        case broken(String)
    }

    /// The bytes of the value, including quotes and brackets.
    package let range: Range<Int>
    /// The value; for a truncated string, array or object, the available part.
    package let content: Content
    /// The strict reader's error for the value itself, such as a missing end; nil for none.
    package let violation: String?

    package init(_ content: Content, at range: Range<Int>, violation: String? = nil) {
        (self.content, self.range, self.violation) = (content, range, violation)
    }

    /// The value of the first member with a name.
    package subscript(name: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.key.text?.isByteEqual(to: name) ?? false }?.value
    }

    /// The text of a string; nil for other values.
    package var text: String? {
        if case .text(let text) = content { text } else { nil }
    }

    package var isObject: Bool {
        if case .object = content { true } else { false }
    }
}
