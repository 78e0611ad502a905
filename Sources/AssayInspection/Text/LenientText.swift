import AssayCore

/// Functions for bytes that are text.
package enum LenientText {
    /// Whether a byte is a space, a tab or a line break.
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The bytes without surrounding white space. Indices refer to the whole.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let rest = bytes.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return rest.prefix(0) }
        return rest[...last]
    }

    /// The bytes without a byte order mark and without surrounding white space.
    package static func body(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        trimmed(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
    }

    /// Whether bytes begin with a word, ignoring case. The word is in lower case.
    static func begins(_ bytes: ArraySlice<UInt8>, with word: String) -> Bool {
        bytes.count >= word.utf8.count && zip(bytes, word.utf8).allSatisfy { lowercased($0) == $1 }
    }

    /// Whether bytes contain a word. For short words: the time is up to the product of both lengths.
    static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
        guard word.count <= bytes.count else { return false }
        return (0...bytes.count - word.count).contains { start in
            bytes[start] == word.first && bytes[start...].starts(with: word)
        }
    }

    /// The bytes as text if all of them are printable ASCII; nil for others, and for none.
    static func printable(_ bytes: some Collection<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// The text with ASCII letters in lower case, for lookups of header and member names.
    static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(lowercased), as: UTF8.self)
    }
}

/// Decodes percent-encoding (RFC 3986 section 2.1) as far as possible.
enum PercentEncoding {
    /// The decoded bytes. A `%` without two digits is kept.
    /// - Parameter plusIsSpace: whether `+` is a space, as in forms.
    static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            if byte == 0x25, position + 1 < text.endIndex, let high = text[position].hexadecimalValue,
                let low = text[position + 1].hexadecimalValue
            {
                bytes.append(high << 4 | low)
                position += 2
            } else {
                bytes.append(byte == 0x2B && plusIsSpace ? 0x20 : byte)
            }
        }
        return bytes
    }

    static func isUsed(in text: ArraySlice<UInt8>) -> Bool {
        guard let percent = text.firstIndex(of: 0x25), text.endIndex - percent >= 3 else { return false }
        return text[percent + 1].hexadecimalValue != nil && text[percent + 2].hexadecimalValue != nil
    }
}
