import AssayCore

/// Encoded bytes: base64 in any alphabet or hexadecimal digits, also in quotes, in a data URL, percent-encoded or
/// wrapped.
package enum Base64Format: BlobFormat {
    /// Encoded text.
    package static let name = "encoded text (base64 or hexadecimal)"

    /// Recognises text in one of these alphabets that is unlikely to be words.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let text = EncodedText(bytes) else { return nil }
        let what = "it is \(text.encoding) of \(Words.count(text.bytes.count, "byte"))"
        return text.isPlausible
            ? Recognition(.structure, because: what)
            : Recognition(.guess, because: "every character is of the alphabet of \(text.encoding)")
    }

    /// Names the encoding. The decoded bytes become a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let text = EncodedText(bytes) else {
            return BlobContents([Annotation("text", at: bytes.indices, violation: "it is not encoded in a known way")])
        }
        var annotation = Annotation("text", at: text.range, value: text.encoding)
        annotation.meaning =
            "\(Words.count(text.range.count, "character")) for \(Words.count(text.bytes.count, "byte"))"
            + (text.wrappings.isEmpty ? "" : ", in \(text.wrappings.joined(separator: ", "))")
        annotation.violation = text.irregularities.isEmpty ? nil : text.irregularities.joined(separator: "; ")
        var contents = BlobContents([annotation])
        if let kind = PrivateKeys.describe(text.bytes) {
            contents.annotations[0].value = "(not shown)"
            contents.annotations[0].meaning = "\(text.encoding) of \(kind)"
            contents.secrets = [text.range]
        }
        // The format for private keys names the key again and shows nothing of it.
        contents.nested = [
            NestedBlob("decoded text", encoding: text.encoding, bytes: text.bytes, at: text.range)
        ]
        return contents
    }
}
