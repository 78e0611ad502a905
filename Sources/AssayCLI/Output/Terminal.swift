import Foundation

/// The capabilities of a terminal.
struct Terminal {
    /// The colours in use.
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case faint = "2"
        case bold = "1"
    }

    /// Whether it shows colours.
    let hasColour: Bool
    /// Whether it shows more than ASCII.
    let isUnicode: Bool
    /// The number of columns.
    let width: Int

    /// Detects the capabilities of a file descriptor by the environment. No colours on a dumb terminal, or with `NO_COLOR`
    /// (https://no-color.org).
    init(_ descriptor: Int32) {
        let environment = ProcessInfo.processInfo.environment
        func value(_ name: String) -> String { environment[name] ?? "" }
        let isTerminal = isatty(descriptor) == 1
        hasColour = isTerminal && value("NO_COLOR").isEmpty && !["", "dumb"].contains(value("TERM"))
        // POSIX: the first one that is set and not empty counts.
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

    /// The text with everything escaped that a terminal acts on or cannot show. Text from evidence could otherwise overwrite or
    /// reorder a verdict.
    func printable(_ text: String) -> String {
        // The usual case: looking up Unicode properties takes a fifth of an inspection.
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

    /// The text broken at spaces into lines. Long words are not broken, so that they can be copied.
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
