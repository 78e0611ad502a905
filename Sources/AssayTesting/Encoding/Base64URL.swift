import FoundationEssentials

/// Base64url without padding (RFC 7515 section 2), and noncanonical texts that a strict reader rejects.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// The canonical text.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: padded(bytes).utf8.filter { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// The text with padding, which the JOSE standards forbid.
    package static func padded(_ bytes: some Collection<UInt8>) -> String {
        standard(Data(bytes).base64EncodedString(), isReversed: true)
    }

    /// Converts a text to the standard base64 alphabet.
    package static func standardAlphabet(_ text: String) -> String { standard(text, isReversed: false) }

    /// Sets an unused bit of the last character: another text for the same bytes. Nil if there is no unused bit.
    package static func withSpareBit(_ text: String) -> String? {
        guard text.count % 4 > 1, let last = text.last, let value = alphabet.firstIndex(of: last), value & 1 == 0 else {
            return nil
        }
        return text.dropLast() + String(alphabet[value | 1])
    }

    private static func standard(_ text: String, isReversed: Bool) -> String {
        String(
            decoding: text.utf8.map { character in
                switch character {
                case UInt8(ascii: "-") where !isReversed: UInt8(ascii: "+")
                case UInt8(ascii: "_") where !isReversed: UInt8(ascii: "/")
                case UInt8(ascii: "+") where isReversed: UInt8(ascii: "-")
                case UInt8(ascii: "/") where isReversed: UInt8(ascii: "_")
                default: character
                }
            }, as: UTF8.self)
    }
}
