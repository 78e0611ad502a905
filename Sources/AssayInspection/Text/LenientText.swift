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

    /// Whether bytes contain a word. For short input: the time is the product of both lengths.
    static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
        guard word.count <= bytes.count else { return false }
        return (0...bytes.count - word.count).contains { bytes[$0...].starts(with: word) }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// The text with ASCII letters in lower case, for lookups of header and member names.
    static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(lowercased), as: UTF8.self)
    }
}
