import AssayCore
import AssayInspection
import Foundation

/// The help of a command, wrapped for the terminal without breaking examples. That of `verify` is short unless it is asked for more.
struct HelpText {
    /// The option for all of the help of `verify`.
    static let all = "--help-all"
    /// A width at which the argument parser wraps nothing.
    static let unlimited = 1_000_000
    /// The column of the argument parser's second column.
    private static let column = 26

    let text: String

    /// Nil for a text that is no help of a command.
    ///
    /// - Parameters:
    ///   - text: the help of the argument parser at the width ``unlimited``.
    ///   - arguments: those of the program.
    init?(_ text: String, arguments: [String]) {
        guard text.hasPrefix("OVERVIEW: ") else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if text.contains("\nUSAGE: assay verify "), !arguments.contains(Self.all) {
            lines = Self.short(lines, kind: Self.kind(in: arguments))
        }
        let width = Self.width
        var isExample = false
        var isOverview = true
        self.text = lines.flatMap { line -> [String] in
            if line.hasPrefix("USAGE: ") { isOverview = false }
            // An example is copied: it keeps its line breaks.
            isExample = isOverview && line.hasPrefix("  ") && (isExample || Self.isCommand(line))
            defer { isExample = isExample && line.hasSuffix("\\") }
            return isExample ? [line] : Self.wrapped(line, width, isOverview: isOverview)
        }.joined(separator: "\n")
    }

    /// Whether an indented line of a discussion is a command to copy.
    private static func isCommand(_ line: String) -> Bool {
        let command = line.drop { $0 == " " }
        return ["assay ", "(umask ", "source "].contains { command.hasPrefix($0) }
    }

    /// The width: that of the terminal or of COLUMNS, or 80.
    private static var width: Int {
        let stated = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
        return max(40, stated > 0 ? stated : Terminal(STDOUT_FILENO).columns ?? 80)
    }

    /// Wraps a line at spaces that are not in code, so that its rest stands below its beginning.
    private static func wrapped(_ line: String, _ width: Int, isOverview: Bool) -> [String] {
        guard line.count > width else { return [line] }
        let indent = hangingIndent(of: line, isOverview: isOverview)
        var lines: [String] = []
        var rest = String(line.prefix(indent))
        var isBegun = false
        for word in words(of: line.dropFirst(indent)) {
            if isBegun, rest.count + 1 + word.count > width {
                lines.append(rest)
                (rest, isBegun) = (String(repeating: " ", count: indent), false)
            }
            rest += (isBegun ? " " : "") + word
            isBegun = true
        }
        return lines + [rest]
    }

    private static func hangingIndent(of line: String, isOverview: Bool) -> Int {
        let leading = line.prefix { $0 == " " }.count
        if line.hasPrefix("USAGE: ") { return "USAGE: ".count }
        if isOverview {
            // A row of a list: a name, two spaces or more, and a text.
            guard leading > 0, let gap = line.dropFirst(leading).firstRange(of: #/ {2,}/#) else { return leading }
            return min(line.distance(from: line.startIndex, to: gap.upperBound), 2 * column)
        }
        let characters = Array(line)
        let hasColumns = leading < column && characters.count > column && characters[column - 1] == " "
        return hasColumns && characters[column] != " " ? column : leading
    }

    /// The words of a text; a text between backticks is one word.
    private static func words(of text: Substring) -> [String] {
        var words: [String] = []
        var isCode = false
        for word in text.split(separator: " ") {
            if isCode, let last = words.popLast() {
                words.append("\(last) \(word)")
            } else {
                words.append(String(word))
            }
            if word.count(where: { $0 == "`" }) % 2 == 1 { isCode.toggle() }
        }
        return words
    }

    // MARK: Of verify

    private static func kind(in arguments: [String]) -> RawKindArgument? {
        let names = arguments.indices.compactMap { index -> String? in
            if arguments[index] == "--kind" { return index + 1 < arguments.count ? arguments[index + 1] : nil }
            return arguments[index].hasPrefix("--kind=") ? String(arguments[index].dropFirst("--kind=".count)) : nil
        }
        return names.last.flatMap(RawKindArgument.init(argument:))
    }

    /// The help without the options and examples of raw blobs, or with those of one kind.
    private static func short(_ lines: [String], kind: RawKindArgument?) -> [String] {
        let title = EngineOptions.sectionTitle.uppercased()
        let command = "  assay verify --kind "
        var short: [String] = []
        var options: [String] = []
        var (isOfRaw, isOfKind, isExample) = (false, false, false)
        for line in lines {
            if isExample || line.hasPrefix(command) && line != "\(command)\(kind?.raw.kind.name ?? "") \\" {
                isExample = line.hasSuffix("\\")
                continue
            }
            if line.first != " ", line.hasSuffix(":") { isOfRaw = line.hasPrefix(title) }
            guard isOfRaw else {
                short.append(line)
                continue
            }
            if line.hasPrefix("  --") {
                isOfKind = kind?.option(String(line.dropFirst(4).prefix { !" ,/".contains($0) })) != nil
            }
            if isOfKind, line.hasPrefix(" ") { options.append(line) }
        }
        guard let kind else {
            return short + [
                "The options and an example of one raw blob: assay verify --kind KIND --help",
                "All options and examples: assay verify \(all)",
            ]
        }
        return short + ["\(title) KIND \(kind.raw.kind.name):"] + options + ["", "All options: assay verify \(all)"]
    }
}
