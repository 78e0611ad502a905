/// Finds the anchors and aliases of a YAML text before a parser sees it, in which a line feed ends each line.
///
/// The parser replaces aliases while it composes, and hashes keys made of them, so that a few lines could take it
/// forever. The scan errs on the side of finding: it takes for an anchor or alias what looks like one in quoted text or a
/// block scalar, but misses none that YAML 1.1 has.
enum YAMLAliases {
    /// The line, from 1 on, of the first anchor or alias, and nil when there is none.
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
            // What looks like a comment may stand in quotes. They end before anything else can begin, and what may
            // follow them tells their end from an apostrophe.
            if scalar == "\"" || scalar == "'",
                next.map({ " \r\n\t,:]}".unicodeScalars.contains($0) }) ?? true
            {
                isComment = false
            }
            if scalar == "&" || scalar == "*", mayBegin, !isComment, next.map(isNameCharacter) ?? false { return line }
            isBlank = scalar == " " || scalar == "\t"
            mayBegin = isBlank || "[]{},:?\"'\u{FEFF}".unicodeScalars.contains(scalar)
        }
        return nil
    }

    /// What the names of anchors are made of; `*.pem` is no alias, and the parser says so.
    private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z", "_", "-": true
        default: false
        }
    }
}
