import AssayCore

/// Encoded bytes: base64 in any alphabet or hexadecimal digits, also in quotes, in a data URL, percent-encoded or
/// wrapped.
package enum Base64Format: BlobFormat {
    package static let name = "encoded text (base64 or hexadecimal)"

    /// Recognises text in one of these alphabets that is unlikely to be words.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let text = EncodedText(bytes) else { return nil }
        let what = "it is \(text.encoding) of \(Words.count(text.bytes.count, "byte"))"
        return text.isPlausible
            ? Recognition(.structure, because: what)
            : Recognition(.guess, because: "every character is of the alphabet of \(text.encoding)")
    }

    /// The encoding of a text in words, with what is around it: `hexadecimal in quotes`. For text of another format, its name.
    package static func form(of bytes: [UInt8]) -> String {
        guard let text = EncodedText(bytes) else { return name }
        let around = text.wrappings.isEmpty ? "" : " (in \(text.wrappings.joined(separator: ", in ")))"
        let repaired = text.irregularities.first { $0 == EncodedText.spacesForPlus }.map { " (\($0))" } ?? ""
        return text.encoding + around + repaired
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

/// Bytes encoded as base64 in any alphabet or as hexadecimal digits, with the wrapping of copied text.
struct EncodedText {
    /// The encoding: `base64`, `base64url`, `hexadecimal`, `percent-encoding`.
    private(set) var encoding = ""
    /// The wrappings that were removed, in order, such as quotes.
    private(set) var wrappings: [String] = []
    /// The errors that a strict decoder would report.
    private(set) var irregularities: [String] = []
    /// The decoded bytes.
    private(set) var bytes: [UInt8] = []
    /// The range of the text without surrounding white space.
    let range: Range<Int>
    /// A decoder of forms reads `+` as a space.
    static let spacesForPlus = "spaces stand where + belongs, as behind a decoder of forms"

    /// Whether the text is probably encoded bytes, and not a word.
    private(set) var isPlausible = false

    /// Examines a text; nil if it is no encoded text.
    init?(_ input: [UInt8]) {
        var text = LenientText.body(input)
        range = text.indices
        // Examine the beginning first, to reject binary input quickly.
        guard text.count >= 4, text.prefix(64).allSatisfy({ LenientText.isSpace($0) || (0x20...0x7E).contains($0) })
        else { return nil }
        if input.starts(with: [0xEF, 0xBB, 0xBF]) { wrappings.append("text behind a byte order mark") }
        if text.starts(with: [0x5C, 0x78]) {
            text = text.dropFirst(2)
            wrappings.append("PostgreSQL's text of bytea")
        }
        if let quote = text.first, [0x22, 0x27, 0x60].contains(quote), text.count > 1 {
            text = text.dropFirst()
            if text.last == quote { text = text.dropLast() }
            wrappings.append("quotes")
        }
        if LenientText.begins(text, with: "data:"), let comma = text.firstIndex(of: 0x2C) {
            let type = String(decoding: text[..<comma].dropFirst(5), as: UTF8.self)
            wrappings.append("a data URL of type \(type.excerpt)")
            text = text[(comma + 1)...]
            if !LenientText.lowercased(type).hasSuffix(";base64") {
                encoding = "percent-encoding"
                bytes = PercentEncoding.decode(text)
                isPlausible = true
                return
            }
        }
        if PercentEncoding.isUsed(in: text) {
            text = PercentEncoding.decode(text)[...]
            wrappings.append("percent-encoding")
        }
        if text.contains(0x5C), text.allSatisfy({ $0 < 0x80 }) {
            text = EncodedText.withoutEscapes(text)[...]
            wrappings.append("escapes of JSON")
        }
        if let bytes = EncodedText.hexadecimal(text) {
            encoding = "hexadecimal"
            self.bytes = bytes
            isPlausible = true
        } else if !decodeBase64(text) {
            guard wrappings.contains("percent-encoding"), !text.isEmpty else { return nil }
            // Other percent-encoded text, such as JSON.
            wrappings.removeAll { $0 == "percent-encoding" }
            encoding = "percent-encoding"
            bytes = Array(text)
            isPlausible = true
        }
    }

    /// Whether the text has nothing but characters of one encoding, and padding at most at its end.
    var isOnePiece: Bool { strayCount == 0 && isEven && !irregularities.contains("padding in the middle") }
    /// Whether known bytes come of it with `+` for each space. Words with spaces between them may come out as some bytes.
    var hasSpacesForPlus: Bool { irregularities.contains(Self.spacesForPlus) && StructuredBytes.isKnown(bytes) }
    private var strayCount = 0
    /// Whether pieces between white space have one length, as wrapped text has; the last may be shorter.
    private var isEven = true

    private mutating func decodeBase64(_ text: ArraySlice<UInt8>) -> Bool {
        var decoded = LenientBase64.decode(text)
        if let plus = EncodedText.withPlus(text, decoded) {
            decoded = plus
            irregularities.append(EncodedText.spacesForPlus)
        }
        strayCount = decoded.strayCount
        if !irregularities.contains(Self.spacesForPlus) {
            let lengths = text.split(whereSeparator: LenientText.isSpace).map(\.count)
            isEven = Set(lengths.dropLast()).count <= 1 && (lengths.last ?? 0) <= (lengths.first ?? 0)
        }
        // Tolerate one damaged character in a hundred.
        guard decoded.count >= 8, decoded.strayCount * 100 <= decoded.count,
            !text.contains(0x20) || decoded.count > 64 || irregularities.contains(Self.spacesForPlus)
        else { return false }
        encoding = decoded.encoding
        bytes = decoded.bytes
        irregularities += decoded.irregularities
        let sample = Array(text.prefix(4096))
        isPlausible = decoded.count >= 16 && EmbeddedBlob.isPlausible(sample, charactersPerChange: 4)
        let kinds = [UInt8(0x30)...0x39, 0x41...0x5A, 0x61...0x7A].filter { kind in text.contains { kind.contains($0) }
        }
        return isPlausible || kinds.count > 1 && decoded.count % 4 != 1 && decoded.strayCount == 0
    }

    /// The decoded text with `+` for each space; nil if the spaces only separate pieces of the text.
    private static func withPlus(_ text: ArraySlice<UInt8>, _ decoded: LenientBase64) -> LenientBase64? {
        let pieces = text.split(separator: 0x20, omittingEmptySubsequences: false).map(\.count)
        guard decoded.hasSpace, pieces.count > 1, !text.contains(0x2B), !text.contains(0x2D), !text.contains(0x5F)
        else {
            return nil
        }
        // Text that someone wrapped has pieces of one length, and whole groups of four characters.
        let isWrapped = Set(pieces.dropLast()).count == 1 && pieces[0] % 4 == 0
        guard !isWrapped else { return nil }
        let plus = LenientBase64.decode(text.map { $0 == 0x20 ? 0x2B : $0 }[...])
        return plus.irregularities.isEmpty && plus.strayCount == 0 ? plus : nil
    }

    /// Removes the JSON string escapes of line breaks and slashes.
    private static func withoutEscapes(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isEscape = false
        for byte in text {
            if isEscape {
                if byte == 0x2F { result.append(byte) }
                if byte == 0x6E || byte == 0x72 { result.append(0x0A) }
                isEscape = false
            } else if byte == 0x5C {
                isEscape = true
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// Decodes pairs of digits, with `0x` before all or each, and with colons, commas, dashes or white space between
    /// them.
    private static func hexadecimal(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        var hasLetter = false
        var hasSeparator = false
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            if high == nil, byte == 0x30, position < text.endIndex, text[position] | 0x20 == 0x78 {
                position += 1
                hasSeparator = true
            } else if let digit = byte.hexadecimalValue {
                hasLetter = hasLetter || digit > 9
                if let first = high {
                    bytes.append(first << 4 | digit)
                    high = nil
                } else {
                    high = digit
                }
            } else if high == nil, [0x3A, 0x2C, 0x2D].contains(byte) || LenientText.isSpace(byte) {
                hasSeparator = hasSeparator || !LenientText.isSpace(byte)
            } else {
                return nil
            }
        }
        // Digits without a letter are a decimal number.
        return high == nil && bytes.count >= 4 && (hasLetter || hasSeparator || bytes.count >= 32) ? bytes : nil
    }
}
