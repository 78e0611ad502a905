import AssayPrimitives

extension RecordFields {
    /// The bytes of a required member.
    package func bytes(_ name: String) throws(RecordError) -> [UInt8] {
        guard let bytes = try optionalBytes(name) else { throw missing(name) }
        return bytes
    }

    /// The bytes of an optional member.
    package func optionalBytes(_ name: String) throws(RecordError) -> [UInt8]? {
        guard let value = self[name] else { return nil }
        guard case .text(let text) = value.content else {
            throw error(name, "expected base64 text, found \(value.kindName)")
        }
        do {
            return try Base64.decode(text, .standard)
        } catch {
            // Skip the opening quote. Escapes make text and document offsets differ: report the start of the value.
            let offset = value.hasEscapes ? value.offset : value.offset + 1 + error.offset
            throw RecordError(
                field: path(of: name), offset: offset, "expected standard base64 with padding: \(error.message)")
        }
    }
}
