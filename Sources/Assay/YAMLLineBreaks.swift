/// Finds what ends a line for the parser, and not for most editors, before the parser sees it.
///
/// YAML 1.1 (section 4.2) knows five line breaks, and later versions fewer. Behind one that an editor does not show, a setting
/// would hold that looks like the rest of a comment, and lines would be counted otherwise than people do.
enum YAMLLineBreaks {
    /// The line of the first break that is neither a line feed nor a carriage return before one, counted in line feeds from
    /// 1 on, and what it is called; nil when there is none.
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
