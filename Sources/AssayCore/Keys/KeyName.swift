/// The rules for what a key is called, and for what it says that it is for.
public enum KeyName {
    /// Why a text cannot be the name or the scope of a key, and nil when it can.
    ///
    /// It may have any characters that are shown as they are: names stand in verdicts, logs and tables, where two keys
    /// must not look like one.
    public static func objection(to text: String) -> String? {
        let length = text.utf8.count
        guard length > 0, length <= InputLimits.keyName else {
            return "it has 1 to \(InputLimits.keyName) bytes, found \(length)"
        }
        guard !text.unicodeScalars.contains(where: \.isActedOn) else {
            return "it has no control or invisible characters, found \"\(text.excerpt)\""
        }
        guard text.unicodeScalars.first?.properties.isWhitespace == false,
            text.unicodeScalars.last?.properties.isWhitespace == false
        else { return "it has no space at its ends, found \"\(text.excerpt)\"" }
        return nil
    }
}
