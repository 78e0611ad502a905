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
                field: path(of: name), offset: offset,
                "expected standard base64 with padding: \(error.message)\(Self.advice(on: text))")
        }
    }

    /// What a text that is no standard base64 probably is: the likeliest mistake is to pass a challenge, which is base64url, as it is.
    private static func advice(on text: String) -> String {
        if text.utf8.contains(where: { $0 == 0x2D || $0 == 0x5F }), (try? Base64.decode(text, .url)) != nil {
            return
                "; it is base64url: if these characters are the value, such as the text of a challenge, give base64 of them, "
                + "otherwise the standard alphabet"
        }
        return ""
    }
}
