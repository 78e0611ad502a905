/// Finds line breaks of YAML 1.1 that most editors do not show, before parsing.
///
/// YAML 1.1 (section 4.2) has five line breaks, later versions fewer. After a hidden line break, a setting would look
/// like the rest of a comment, and line numbers in errors would differ from those of the editor.
enum YAMLLineBreaks {
    /// The line, counted in line feeds from 1, and the name of the first break other than LF and CR LF; nil for none.
    static func firstOdd(in text: String) -> (line: Int, name: String)? {
        var line = 1
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            switch scalar {
            case "\n": line += 1
            case "\r": if next != "\n" { return (line, "a carriage return without a line feed (U+000D)") }
            case "\u{85}": return (line, "a next line (U+0085)")
            case "\u{2028}": return (line, "a line separator (U+2028)")
            case "\u{2029}": return (line, "a paragraph separator (U+2029)")
            default: break
            }
        }
        return nil
    }
}
