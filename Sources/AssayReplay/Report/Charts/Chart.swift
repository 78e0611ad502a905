/// A chart: an inline SVG as wide as its place, with a name and a description for those who do not see it, and a table of
/// its numbers.
///
/// Positions across are in percent and those down in pixels, so that text keeps its size on a phone.
struct Chart {
    /// What the ids of its elements begin with; unique in the page.
    let id: String
    /// What it shows.
    let title: String
    /// What is to be seen in it, in a sentence or two.
    let description: String
    /// In pixels.
    let height: Int
    /// The SVG elements.
    let drawing: Markup
    /// The same as a table.
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
    /// The heads of the columns. The first column names the row.
    let columns: [String]
    /// The rows, each with as many cells as there are columns.
    let rows: [[String]]

    /// The table.
    var markup: Markup {
        let heads: [Markup] = columns.map { "<th scope=\"col\">\($0)</th>" }
        let lines: [Markup] = rows.map { row in
            let cells: [Markup] = row.dropFirst().map { "<td>\($0)</td>" }
            return "<tr><th scope=\"row\">\(row.first ?? "")</th>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Table"><table class="data"><thead><tr>\(heads)</tr>\
            </thead><tbody>
            \(lines)</tbody></table></div>
            """
    }

    /// The table, shown when it is asked for.
    func disclosed(summary: String) -> Markup {
        "<details class=\"numbers\"><summary>\(summary)</summary>\(markup)</details>"
    }
}

/// A share of the width of a chart, in percent with two digits after the point.
struct Percent {
    /// Hundredths of a percent.
    let hundredths: Int

    init(_ part: Int, of whole: Int) {
        hundredths = whole > 0 ? Int((Double(part) / Double(whole) * 10_000).rounded()) : 0
    }

    /// The text of an SVG attribute.
    var text: String {
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
    }
}

extension Percent {
    init(hundredths: Int) { self.hundredths = hundredths }

    static func + (left: Percent, right: Percent) -> Percent { Percent(hundredths: left.hundredths + right.hundredths) }
}
