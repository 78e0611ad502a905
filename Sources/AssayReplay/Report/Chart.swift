/// An inline SVG of full width with title and description, and a table of its numbers.
///
/// Horizontal positions are in percent and vertical ones in pixels, so that text keeps its size on a phone.
struct Chart {
    /// The prefix of its element IDs, unique in the page.
    let id: String
    /// The title.
    let title: String
    /// A summary of the result.
    let description: String
    /// The height in pixels.
    let height: Int
    /// The SVG elements.
    let drawing: Markup
    /// The same numbers as a table.
    let table: DataTable

    /// The figure.
    var markup: Markup {
        """
        <figure class="chart"><svg role="img" aria-labelledby="\(id)-title \(id)-text" width="100%" height="\(height)">\
        <title id="\(id)-title">\(title)</title><desc id="\(id)-text">\(description)</desc>\(drawing)</svg>\
        \(table.disclosed(summary: "Numbers: \(title)"))</figure>

        """
    }
}

/// Numbers in rows and columns.
struct DataTable {
    /// The column headings. The first column names the row.
    let columns: [String]
    /// The rows, each with one cell per column.
    let rows: [[String]]

    /// The table.
    var markup: Markup {
        // Align columns of numbers right.
        let isText = columns.indices.map { column in
            column == 0 || rows.contains { !$0.indices.contains(column) || !DataTable.isNumber($0[column]) }
        }
        let heads: [Markup] = zip(columns, isText).map { title, isText in
            "<th scope=\"col\" class=\"\(isText ? "text" : "number")\">\(title)</th>"
        }
        let lines: [Markup] = rows.map { row in
            let cells: [Markup] = zip(row, isText).dropFirst().map { text, isText in
                "<td class=\"\(isText ? "text" : "number")\">\(text)</td>"
            }
            return "<tr><th scope=\"row\">\(row.first ?? "")</th>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Table"><table class="data"><thead><tr>\(heads)</tr>\
            </thead><tbody>
            \(lines)</tbody></table></div>
            """
    }

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { "0123456789,.%<>-".utf8.contains($0) }
    }

    /// The table in a `details` element.
    func disclosed(summary: String) -> Markup {
        "<details class=\"numbers\"><summary>\(summary)</summary>\(markup)</details>"
    }
}

/// A horizontal position or length in percent, with two decimal places.
struct Percent {
    /// Hundredths of a percent.
    let hundredths: Int

    init(hundredths: Int) {
        self.hundredths = hundredths
    }

    init(_ part: Int, of whole: Int) {
        hundredths = whole > 0 ? Int((Double(part) / Double(whole) * 10_000).rounded()) : 0
    }

    /// The value for an SVG attribute.
    var text: String {
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
    }

    static func + (left: Percent, right: Percent) -> Percent { Percent(hundredths: left.hundredths + right.hundredths) }
}
