/// Small phrases that annotations are made of.
public enum Words {
    /// A name out of the bytes, and words for one that is empty.
    public static func name(_ text: String) -> String { text.isEmpty ? "(empty name)" : text }

    /// A number with its noun: `1 byte`, `3 bytes`; the plural is given where it has another ending.
    public static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(plural ?? noun + "s")"
    }
}
