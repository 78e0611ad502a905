import AssayInspection

/// The annotations of a layer as a tree with the columns offset, length, name, value and meaning.
struct AnnotationTree {
    let terminal: Terminal
    let limits: InspectionLimits

    /// The width of the columns before the names.
    private static let margin = 19
    /// The deepest indentation.
    private static let deepest = 12

    func lines(_ annotations: [Annotation]) -> [String] {
        var lines = [terminal.colour("   offset  length", .faint)]
        var rest = limits.lines
        add(annotations, depth: 0, to: &lines, &rest)
        return lines
    }

    private func add(_ annotations: [Annotation], depth: Int, to lines: inout [String], _ rest: inout Int) {
        for (index, annotation) in annotations.enumerated() {
            guard index < limits.children, rest > 0 else {
                let more = annotations.count - index
                let text = "... \(more) more (--full prints \(more == 1 ? "it" : "them"))"
                lines.append(margin("", "", depth) + terminal.colour(text, .faint))
                return
            }
            let row = self.row(annotation, depth: depth)
            rest -= row.count
            lines += row
            add(annotation.children, depth: depth + 1, to: &lines, &rest)
        }
    }

    private func row(_ annotation: Annotation, depth: Int) -> [String] {
        let offset = annotation.range.map { "\($0.lowerBound)" } ?? ""
        let length = annotation.range.map { "\($0.count)" } ?? ""
        let margin = margin(offset, length, depth)
        let indent = AnnotationTree.margin + 2 * min(depth, AnnotationTree.deepest)
        let name = terminal.printable(limits.cut(annotation.name))
        let value = annotation.value.map { terminal.printable(limits.cut($0)) }
        var line = margin + terminal.colour(name, .bold)
        var width = indent + name.count
        var lines: [String] = []
        if let value {
            if width + 2 + value.count > terminal.width, value.contains(" ") {
                lines.append(line)
                lines += terminal.wrapped(value, indent: indent + 2)
                line = ""
            } else {
                line += "  \(value)"
                width += 2 + value.count
            }
        }
        if let meaning = annotation.meaning, !meaning.isEmpty {
            let text = terminal.printable(limits.cut(meaning))
            if !line.isEmpty, width + 3 + text.count <= terminal.width {
                line += terminal.colour("  (\(text))", .faint)
            } else {
                if !line.isEmpty { lines.append(line) }
                line = ""
                lines += terminal.wrapped("(\(text))", indent: indent + 2).map { terminal.colour($0, .faint) }
            }
        }
        if !line.isEmpty { lines.append(line) }
        if let violation = annotation.violation {
            let text = terminal.printable("! \(violation)")
            lines += terminal.wrapped(text, indent: indent + 2).map { terminal.colour($0, .red) }
        }
        return lines
    }

    private func margin(_ offset: String, _ length: String, _ depth: Int) -> String {
        func right(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.utf8.count)) + text
        }
        return right(offset, 9) + right(length, 8)
            + String(repeating: " ", count: 2 + 2 * min(depth, AnnotationTree.deepest))
    }
}
