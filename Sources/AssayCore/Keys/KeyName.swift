import AssayPrimitives

/// The rules for names and scopes of keys.
package enum KeyName {
    /// Why a text cannot be the name or scope of a key; nil if it can. All visible characters are allowed, but two keys
    /// must not look the same in verdicts, logs and tables.
    package static func objection(to text: String) -> String? {
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
