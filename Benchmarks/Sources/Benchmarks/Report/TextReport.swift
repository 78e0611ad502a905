/// The table of a section, as a terminal shows it.
struct TextReport {
    let result: SectionResult

    /// The heading, the note, and a line for each figure.
    var text: String {
        var lines = ["", "\(result.title) (\(result.name))", result.note]
        let rows = result.figures.map { figure in
            [
                "\(figure.subject) / \(figure.baseline)", figure.ratioText, figure.targetText, figure.standingText,
                figure.detail,
            ]
        }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = row.enumerated().map { column, cell in
                column < widths.count ? cell.padding(to: widths[column]) : cell.isEmpty ? "" : "(\(cell))"
            }
            lines.append("  " + cells.joined(separator: "  "))
        }
        lines += result.omissions.map { "  leaves out: \($0.peer): \($0.text)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
