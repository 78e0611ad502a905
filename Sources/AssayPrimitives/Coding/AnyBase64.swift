/// Base64 in either alphabet, padded or not, for nonces and keys. Not for tokens: it accepts several encodings.
package enum AnyBase64 {
    /// Decodes a text. Returns nil for characters of both alphabets, wrong padding, or non-zero spare bits.
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

    /// Decodes a text, by the same rules.
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)[...]) }

    /// Whether a character is padding or in either alphabet.
    package static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "+", "/", "-", "_", "=": true
        default: false
        }
    }
}
