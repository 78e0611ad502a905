import AssayCore

/// Base64 as nonces and keys come along: in either alphabet, with or without padding.
///
/// Not for tokens, of which each has one encoding. Here the bytes are what counts, and verifiers that compare the text
/// refuse genuine answers.
package enum AnyBase64 {
    /// The bytes that a text stands for, and nil when it is no base64: characters of both alphabets, padding that does
    /// not fit, bits that belong to no byte.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var body = text
        while body.last == 0x3D, text.count - body.count < 2 { body = body.dropLast() }
        if body.count < text.count {
            guard text.count % 4 == 0, !body.isEmpty else { return nil }
        }
        if let bytes = try? Base64.decode(body, .url) { return bytes }
        let padding = [UInt8](repeating: 0x3D, count: (4 - body.count % 4) % 4)
        return try? Base64.decode((body + padding)[...], .standard)
    }

    /// The bytes that a text stands for, and nil when it is no base64.
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)[...]) }

    /// Whether a character stands in either alphabet or is padding.
    package static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "+", "/", "-", "_", "=": true
        default: false
        }
    }
}
