import AssayCore

/// Quotes what a server says, in errors and verdicts that end up in logs.
package enum ServerText {
    /// How long a word may be. Nobody explains anything in longer ones, and every token and signature is longer: a server,
    /// or a proxy before it, may echo what it was sent.
    private static let word = 60

    /// The beginning of a text, with what would act on a terminal escaped and long words left out.
    package static func quote(_ text: String) -> String {
        let words = text.prefix(4096).split(separator: " ", omittingEmptySubsequences: true).map { word in
            word.utf8.count > ServerText.word ? "(...)" : String(word)
        }
        return words.joined(separator: " ").excerpt(atMost: 300)
    }
}
