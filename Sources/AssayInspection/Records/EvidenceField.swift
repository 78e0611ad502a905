import AssayCore
import AssayPrimitives

/// A field of a record's evidence that may hold a blob.
struct EvidenceField {
    /// The name of the field.
    let name: String
    let node: JSONNode
    /// The format that the engine states; nil for none.
    let format: (any BlobFormat.Type)?

    /// The blob to inspect; nil for none.
    func blob(in bytes: [UInt8]) -> NestedBlob? {
        switch node.content {
        case .object where format != nil, .array where format != nil:
            return NestedBlob(
                name, encoding: "JSON as it stands", bytes: Array(bytes[node.range]), format: format, at: node.range)
        case .text(let text):
            guard text.utf8.count >= 16 || format != nil else { return nil }
            // Records contain tokens as text and binary evidence as base64.
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

    /// Decodes standard base64 with padding, as in records.
    static func base64(_ text: String) -> [UInt8]? { try? Base64.decode(text, .standard) }
}
