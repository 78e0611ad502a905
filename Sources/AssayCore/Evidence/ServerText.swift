/// Quotes server texts in errors and verdicts, which appear in logs.
package enum ServerText {
    /// The maximum word length. A server or proxy may echo its request: every token and signature in it is longer.
    private static let word = 60

    /// The beginning of a text. Escapes terminal control characters and omits long words.
    package static func quote(_ text: String) -> String {
        let words = text.prefix(4096).split(separator: " ", omittingEmptySubsequences: true).map { word in
            word.utf8.count > ServerText.word ? "(...)" : String(word)
        }
        return words.joined(separator: " ").excerpt(atMost: 300)
    }
}
