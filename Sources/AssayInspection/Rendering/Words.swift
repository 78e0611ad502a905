/// Small phrases that annotations are made of.
package enum Words {
    /// A name out of the bytes, and words for one that is empty.
    package static func name(_ text: String) -> String { text.isEmpty ? "(empty name)" : text }

    /// A number with its noun: `1 byte`, `3 bytes`; the plural is given where it has another ending.
    package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(plural ?? noun + "s")"
    }
}
