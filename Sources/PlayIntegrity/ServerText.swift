import AssayCore

/// Quotes texts of a server in errors and verdicts, which end up in logs.
package enum ServerText {
    /// The greatest length of a word. A server or proxy may echo its request, and every token and signature is longer.
    private static let word = 60

    /// The beginning of a text. Escapes characters that a terminal acts on, and omits long words.
    package static func quote(_ text: String) -> String {
        let words = text.prefix(4096).split(separator: " ", omittingEmptySubsequences: true).map { word in
            word.utf8.count > ServerText.word ? "(...)" : String(word)
        }
        return words.joined(separator: " ").excerpt(atMost: 300)
    }
}
