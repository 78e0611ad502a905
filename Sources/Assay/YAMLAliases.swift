/// Finds anchors and aliases in a YAML text before parsing. Every line ends with a line feed.
///
/// The parser expands aliases while it composes, and hashes keys that contain them, so a few lines can take unbounded
/// time. The scan has false positives in quoted text and block scalars, but no false negatives in YAML 1.1.
enum YAMLAliases {
    /// The line, from 1, of the first anchor or alias; nil if there is none.
    static func firstLine(of text: String) -> Int? {
        var line = 1
        var mayBegin = true
        var isBlank = true
        var isComment = false
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            if scalar == "\n" {
                line += 1
                (mayBegin, isBlank, isComment) = (true, true, false)
                continue
            }
            if scalar == "#", isBlank { isComment = true }
            // A comment may be inside quotes, which end before an anchor can begin. The next character distinguishes a
            // closing quote from an apostrophe.
            if scalar == "\"" || scalar == "'",
                next.map(mayFollowQuote) ?? true
            {
                isComment = false
            }
            if scalar == "&" || scalar == "*", mayBegin, !isComment, next.map(isNameCharacter) ?? false { return line }
            isBlank = scalar == " " || scalar == "\t"
            mayBegin = isBlank || mayPrecedeName(scalar)
        }
        return nil
    }

    private static func mayFollowQuote(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\r", "\n", "\t", ",", ":", "]", "}": true
        default: false
        }
    }

    /// Whether an anchor or alias may stand behind a character that is not blank.
    private static func mayPrecedeName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "[", "]", "{", "}", ",", ":", "?", "\"", "'", "\u{FEFF}": true
        default: false
        }
    }

    /// Whether a character can begin the name of an anchor. The parser rejects other names, such as `*.pem`.
    private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z", "_", "-": true
        default: false
        }
    }
}
