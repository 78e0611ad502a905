import Foundation

/// What a terminal can show.
struct Terminal {
    /// The colours that are used.
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case faint = "2"
        case bold = "1"
    }

    /// Whether there are colours.
    let hasColour: Bool
    /// Whether there is more than ASCII.
    let isUnicode: Bool
    /// How many columns there are.
    let width: Int

    /// Looks at a file descriptor and the environment.
    ///
    /// Colours only on a terminal that is not dumb, and not when `NO_COLOR` is set (https://no-color.org).
    init(_ descriptor: Int32) {
        let environment = ProcessInfo.processInfo.environment
        func value(_ name: String) -> String { environment[name] ?? "" }
        let isTerminal = isatty(descriptor) == 1
        hasColour = isTerminal && value("NO_COLOR").isEmpty && !["", "dumb"].contains(value("TERM"))
        // POSIX: the first of these that is set and not empty decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(value).first { !$0.isEmpty } ?? ""
        isUnicode = locale.lowercased().replacing("-", with: "").contains("utf8")
        var size = winsize()
        let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        width = isKnown ? min(max(Int(size.ws_col), 40), 120) : 100
    }

    /// The text in a colour.
    func colour(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The text without anything that a terminal acts on, and without anything that it cannot show.
    ///
    /// Much of what is printed comes from evidence: control characters could repaint the verdict, and marks for the
    /// direction of text reorder it.
    func printable(_ text: String) -> String {
        // Nearly all text is, and to look up what Unicode says of each letter takes a fifth of an inspection.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if Terminal.isHarmless(scalar), isUnicode || scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }

    /// The lines of a text, broken at spaces; words that are too long stay whole, so that they can be copied.
    func wrapped(_ text: String, indent: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width - indent {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.map { String(repeating: " ", count: indent) + $0 }
    }
}
