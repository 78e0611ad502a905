import Assay
import AssayInspection

/// An inspection as text: a summary, then for each layer its kind, how it was recognised, and a tree of its fields.
struct InspectionText {
    let terminal: Terminal
    let limits: InspectionLimits

    /// Renders a layer and its inner layers as lines.
    func lines(_ layer: InspectionLayer) -> [String] {
        let sections = sections(layer, path: [])
        let outline = sections.count > 1 ? self.outline(layer, depth: 0) + [""] : []
        return summary(layer) + outline
            + sections.enumerated().flatMap { $0.offset == 0 ? $0.element : [""] + $0.element }
    }

    /// What it is, in at most five lines. Unknown bytes are summed up by their section.
    private func summary(_ layer: InspectionLayer) -> [String] {
        guard layer.format != nil else { return [] }
        return InspectionSummary(layer).lines.flatMap { terminal.wrapped(terminal.printable($0), indent: 0) } + [""]
    }

    /// The nesting of the layers, one line each.
    private func outline(_ layer: InspectionLayer, depth: Int) -> [String] {
        let name = String(repeating: "  ", count: depth) + terminal.printable(layer.name)
        let mark = layer.violation == nil ? "" : terminal.colour(" !", .red)
        let line = "\(name): \(terminal.colour(terminal.printable(layer.format ?? "unknown bytes"), .green))\(mark)"
        let shown = layer.nested.prefix(limits.children)
        let more = layer.nested.count - shown.count
        let rest = more > 0 ? [String(repeating: "  ", count: depth + 1) + "... \(more) more"] : []
        return [line] + shown.flatMap { outline($0, depth: depth + 1) } + rest
    }

    private func sections(_ layer: InspectionLayer, path: [String]) -> [[String]] {
        let path = path + [layer.name]
        return [section(layer, path: path)] + layer.nested.flatMap { sections($0, path: path) }
    }

    private func section(_ layer: InspectionLayer, path: [String]) -> [String] {
        var lines = LayerHeading(terminal: terminal).lines(layer, path: path)
        let tree = AnnotationTree(terminal: terminal, limits: limits)
        if !layer.annotations.isEmpty {
            lines.append("")
            lines += tree.lines(layer.annotations)
        }
        if !layer.unknown.isEmpty {
            lines.append("")
            lines.append("  " + terminal.colour("not known from this alone:", .bold))
            for text in layer.unknown { lines += terminal.wrapped(terminal.printable("- \(text)"), indent: 4) }
        }
        return lines
    }
}

/// The kind of a layer and how it was recognised.
struct LayerHeading {
    let terminal: Terminal

    /// The heading lines; `path` has the names of the outer layers and of this one.
    func lines(_ layer: InspectionLayer, path: [String]) -> [String] {
        let name = terminal.printable(path.joined(separator: " > "))
        let format = layer.format ?? "unknown bytes"
        let length = layer.bytes.count == 1 ? "1 byte" : "\(layer.bytes.count) bytes"
        let encoding = layer.encoding.map { ", from \($0)" } ?? ""
        var lines = [
            terminal.colour(name, .bold),
            "  " + terminal.colour(terminal.printable(format), .green) + terminal.printable(", \(length)\(encoding)"),
        ]
        if let recognition = layer.recognition {
            let words =
                switch recognition.certainty {
                case .guess: "perhaps, because "
                case .structure, .certain: "because "
                }
            lines += faint(words + recognition.reason)
        }
        for alternative in layer.alternatives {
            lines += faint("or \(alternative.format), because \(alternative.recognition.reason)")
        }
        if let violation = layer.violation {
            let field = violation.field.isEmpty ? "" : "\(violation.field): "
            let text = "! strict decoding stops here: byte \(violation.offset): \(field)\(violation.message)"
            lines += terminal.wrapped(terminal.printable(text), indent: 2).map { terminal.colour($0, .red) }
        }
        return lines
    }

    private func faint(_ text: String) -> [String] {
        terminal.wrapped(terminal.printable(text), indent: 2).map { terminal.colour($0, .faint) }
    }
}

struct InspectionLimits {
    /// The most characters of one value.
    let value: Int
    /// The most children of one value, such as array elements.
    let children: Int
    /// The most lines of one layer.
    let lines: Int
    /// The most bytes of one segment in a dump.
    let bytes: Int

    /// The default limits: a few screens.
    static let standard = InspectionLimits(value: 160, children: 50, lines: 1000, bytes: 64)
    static let none = InspectionLimits(value: .max, children: .max, lines: .max, bytes: .max)

    /// The value; if too long, its beginning and its length.
    func cut(_ text: String) -> String {
        let count = text.unicodeScalars.count
        guard count > value else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(value))) + "... (\(count) characters)"
    }
}
