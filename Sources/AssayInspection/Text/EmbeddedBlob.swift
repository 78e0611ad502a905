import AssayCore

/// A text value that is probably a blob: base64 in any alphabet, hexadecimal digits, a JWT or JWE, PEM, or JSON.
struct EmbeddedBlob {
    /// The encoding of the bytes in the text.
    let encoding: String
    /// The decoded bytes; for a JWT, JWE, PEM or JSON, the bytes of the text.
    let bytes: [UInt8]
    /// A description of the private key in the bytes; nil for none.
    let secret: String?
    /// Whether to inspect the contents. If not, length and first byte indicate a digest or an identifier.
    let isWorthDecoding: Bool

    /// Examines a text; nil for plain text.
    init?(_ text: String) {
        var characters = EmbeddedBlob.withoutDataURL(Array(text.utf8))
        guard characters.count >= 16 else { return nil }
        if PercentEncoding.isUsed(in: characters[...]) {
            let decoded = PercentEncoding.decode(characters[...])
            if EmbeddedBlob.isPlausible(decoded) { characters = decoded }
        }
        if characters.contains(0x2D), !PEMBlock.read(characters).isEmpty {
            self.init("text", characters, isWorthDecoding: true)
        } else if characters.contains(0x2E), CompactToken(characters)?.isToken ?? false {
            self.init("text", characters, isWorthDecoding: true)
        } else if characters.first == 0x7B,
            let (node, end) = LenientJSON.read(characters[...]), end == characters.count, node.violation == nil,
            node.isObject
        {
            self.init("text", characters, isWorthDecoding: true)
        } else if let bytes = EmbeddedBlob.hexadecimal(characters) {
            self.init("hexadecimal", bytes, isWorthDecoding: EmbeddedBlob.isStructured(bytes))
        } else if EmbeddedBlob.isPlausible(characters) {
            let decoded = LenientBase64.decode(characters[...])
            guard decoded.strayCount == 0, decoded.count % 4 != 1 else { return nil }
            self.init(
                decoded.encoding, decoded.bytes, isWorthDecoding: EmbeddedBlob.isStructured(decoded.bytes))
        } else if let bytes = StructuredBytes.ofLatin1(text) {
            self.init("bytes that were taken for Latin-1", bytes, isWorthDecoding: true)
        } else {
            return nil
        }
    }

    private init(_ encoding: String, _ bytes: [UInt8], isWorthDecoding: Bool) {
        (self.encoding, self.bytes, self.isWorthDecoding) = (encoding, bytes, isWorthDecoding)
        secret = PrivateKeys.describe(bytes)
    }

    /// The text behind `data:` and a type with `;base64`; other text as it is.
    private static func withoutDataURL(_ characters: [UInt8]) -> [UInt8] {
        guard LenientText.begins(characters[...], with: "data:"),
            let comma = characters.prefix(200).firstIndex(of: 0x2C),
            LenientText.lowercased(String(decoding: characters[..<comma], as: UTF8.self)).hasSuffix(";base64")
        else { return characters }
        return Array(characters[(comma + 1)...])
    }

    /// Decodes an even number of digits, at least as many as a digest of 16 bytes has.
    private static func hexadecimal(_ characters: [UInt8]) -> [UInt8]? {
        // Digits without a letter are a decimal number.
        guard characters.count >= 32, characters.contains(where: { $0 > 0x39 }) else { return nil }
        return [UInt8](hexadecimal: characters)
    }

    /// Whether text is probably base64 of bytes, and not words, upper-case names or program identifiers: encoded bytes nearly always
    /// contain digits or signs, and often change between upper and lower case. `charactersPerChange` is the most on average: a value
    /// that stands alone is less often an identifier.
    static func isPlausible(_ characters: [UInt8], charactersPerChange: Int = 3) -> Bool {
        var (digits, signs, changes, dashes) = (0, 0, 0, 0)
        var previous: UInt8 = 0
        for character in characters {
            let kind: UInt8
            switch character {
            case 0x30...0x39: (digits, kind) = (digits + 1, 1)
            case 0x41...0x5A: kind = 2
            case 0x61...0x7A: kind = 3
            case 0x2B, 0x2F, 0x3D: (signs, kind) = (signs + 1, 4)
            case 0x2D, 0x5F: (dashes, kind) = (dashes + 1, 4)
            case _ where LenientText.isSpace(character) && character != 0x20: kind = previous
            default: return false
            }
            if kind != previous { changes += 1 }
            previous = kind
        }
        guard digits + dashes < characters.count, characters.first != 0x2F else { return false }
        // 8-4-4-4-12: a UUID.
        if characters.count == 36, dashes == 4, [8, 13, 18, 23].allSatisfy({ characters[$0] == 0x2D }) { return false }
        // No word is this long.
        if characters.count > 200 { return changes * 8 >= characters.count }
        return changes * charactersPerChange >= characters.count
            && (digits + signs > 0 || changes * 2 >= characters.count)
    }

    /// Whether bytes are more than a digest: longer, or with the first byte of a DER sequence, a CBOR map or JSON.
    static func isStructured(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, bytes.count >= 8 else { return false }
        return bytes.count > 64 || first == 0x30 || first == 0x7B || (0xA1...0xBF).contains(first)
            || bytes.count >= 37 && bytes.count != 48 && bytes.count != 64
    }
}
