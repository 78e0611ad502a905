import AssayCore
import AssayPrimitives

/// A field of a record's evidence that may hold a blob.
struct EvidenceField {
    /// Where it is.
    let name: String
    let node: JSONNode
    /// What the engine says that it is.
    let format: (any BlobFormat.Type)?

    /// The blob to inspect; nil for none.
    func blob(in bytes: [UInt8]) -> NestedBlob? {
        switch node.content {
        case .object where format != nil, .array where format != nil:
            return NestedBlob(
                name, encoding: "JSON as it stands", bytes: Array(bytes[node.range]), format: format, at: node.range)
        case .text(let text):
            guard text.utf8.count >= 16 || format != nil else { return nil }
            // Tokens stand in records as the text that they are, binary as base64.
            if format?.recognise(Array(text.utf8)) != nil {
                return NestedBlob(
                    name, encoding: "text as it stands", bytes: Array(text.utf8), format: format, at: node.range)
            }
            if let decoded = EvidenceField.base64(text), !decoded.isEmpty {
                return NestedBlob(name, encoding: "base64", bytes: decoded, format: format, at: node.range)
            }
            guard let format else {
                return NestedBlob(name, encoding: "text as it stands", bytes: Array(text.utf8), at: node.range)
            }
            let decoded = LenientBase64.decode(Array(text.utf8)[...])
            guard !decoded.bytes.isEmpty else { return nil }
            return NestedBlob(
                name, encoding: (["base64"] + decoded.irregularities).joined(separator: ", "), bytes: decoded.bytes,
                format: format, at: node.range)
        default: return nil
        }
    }

    /// The bytes of standard base64 with padding, as records have it.
    static func base64(_ text: String) -> [UInt8]? { try? Base64.decode(text, .standard) }
}
