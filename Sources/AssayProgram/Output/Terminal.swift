import Foundation

/// The capabilities of a terminal.
struct Terminal {
    /// The colours in use, with their SGR codes.
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case faint = "2"
        case bold = "1"
    }

    /// Whether to use colours.
    let hasColour: Bool
    /// Whether it shows characters beyond ASCII.
    let isUnicode: Bool
    /// The number of columns; nil if it is no terminal or its size is unknown.
    let columns: Int?
    /// The width at which text is wrapped; unlimited if this is no terminal.
    let width: Int

    /// Detects capabilities from the environment. No colours on a dumb terminal or with `NO_COLOR` (no-color.org).
    init(_ descriptor: Int32) {
        let environment = ProcessInfo.processInfo.environment
        func value(_ name: String) -> String { environment[name] ?? "" }
        let isTerminal = isatty(descriptor) == 1
        hasColour = isTerminal && value("NO_COLOR").isEmpty && !["", "dumb"].contains(value("TERM"))
        // POSIX locale precedence: the first variable that is set and not empty.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(value).first { !$0.isEmpty } ?? ""
        isUnicode = locale.lowercased().replacing("-", with: "").contains("utf8")
        var size = winsize()
        let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? Int(size.ws_col) : nil
        width = isTerminal ? min(max(columns ?? 100, 40), 120) : .max
    }

    func colour(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Escapes characters that a terminal interprets or cannot show: text from evidence could overwrite or reorder a
    /// verdict.
    func printable(_ text: String) -> String {
        // Fast path: Unicode property lookups are slow.
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

    /// The rows with aligned columns, printable.
    func table(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map(printable) }
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { index, cell in
                let (text, width) = cell
                return index == row.count - 1 ? text : text + String(repeating: " ", count: width - text.count)
            }.joined(separator: "  ")
        }
    }

    /// Wraps text at spaces. Long words stay whole, so that users can copy them.
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
