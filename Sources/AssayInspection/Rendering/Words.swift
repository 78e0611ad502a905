/// Phrases for annotations.
package enum Words {
    /// A name from the bytes, or a placeholder for an empty name.
    package static func name(_ text: String) -> String { text.isEmpty ? "(empty name)" : text }

    /// A number with its noun: `1 byte`, `3 bytes`. `plural` is for irregular nouns.
    package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(plural ?? noun + "s")"
    }
}
