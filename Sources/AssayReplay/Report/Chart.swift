/// An inline SVG of full width, and a table of its numbers. Horizontal positions are in percent and vertical ones in pixels, so that
/// text keeps its size on a phone.
package struct Chart {
    /// The prefix of its element IDs, unique in the page.
    let id: String
    let title: String
    /// A summary of the result.
    let description: String
    let height: Int
    let drawing: Markup
    /// The same numbers as a table.
    let table: DataTable

    package init(
        id: String, title: String, description: String, height: Int, drawing: Markup, table: DataTable
    ) {
        (self.id, self.title, self.description, self.height) = (id, title, description, height)
        (self.drawing, self.table) = (drawing, table)
    }

    /// Patterns that distinguish outcomes without colours, once in a page with charts.
    package static let patterns: Markup = """
        <svg class="patterns" width="0" height="0" aria-hidden="true"><defs>\
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <rect class="base-rejected" width="6" height="6"/><rect class="gap" width="2" height="6"/></pattern>\
        <pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">\
        <rect class="base-failed" width="6" height="6"/><circle class="gap" cx="3" cy="3" r="1.6"/></pattern>\
        </defs></svg>

        """

    /// The legend of outcomes.
    package static let legend: Markup = """
        <p class="legend">\(swatch("accepted"))accepted \(swatch("rejected"))rejected \(swatch("failed"))not judged</p>
        """

    /// The legend symbol of a bar part.
    static func swatch(_ fill: String) -> Markup {
        """
        <svg class="swatch" width="12" height="12" aria-hidden="true"><rect class="\(fill)" width="12" height="12" rx="2"/>\
        </svg>
        """
    }

    package var markup: Markup {
        """
        <figure class="chart"><svg role="img" aria-labelledby="\(id)-title \(id)-text" width="100%" height="\(height)">\
        <title id="\(id)-title">\(title)</title><desc id="\(id)-text">\(description)</desc>\(drawing)</svg>\
        \(table.disclosed(label: title))</figure>

        """
    }
}

/// Numbers in rows and columns.
package struct DataTable {
    /// The column headings. The first column names the row.
    let columns: [String]
    /// The rows, each with one cell per column.
    let rows: [[String]]

    package init(columns: [String], rows: [[String]]) { (self.columns, self.rows) = (columns, rows) }

    /// The table in a region that scrolls if it is wider than the page.
    /// - Parameter label: the name of the region, for screen readers.
    package func markup(label: String) -> Markup {
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
            <div class="scroll" tabindex="0" role="region" aria-label="\(label)"><table class="data"><thead><tr>\(heads)</tr>\
            </thead><tbody>
            \(lines)</tbody></table></div>
            """
    }

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { "0123456789,.%<>-".utf8.contains($0) }
    }

    /// The table in a `details` element.
    func disclosed(label: String) -> Markup {
        "<details class=\"numbers\"><summary>Numbers: \(label)</summary>\(markup(label: label))</details>"
    }
}

/// A horizontal position or length in percent, with two decimal places.
struct Percent {
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

/// Formats numbers for display.
package enum NumberText {
    /// A whole number with commas between the thousands: `1,234,567`.
    package static func count(_ number: Int) -> String {
        var groups: [Substring] = []
        var digits = "\(number.magnitude)"[...]
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// A count and its noun: `1 record`, `2 records`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// A share in percent with one decimal place; `<0.1%` instead of `0.0%` for a share above zero.
    package static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0, part > 0 else { return "0%" }
        guard part < whole else { return "100%" }
        let permille = (Double(part) / Double(whole) * 1000).rounded()
        if permille < 1 { return "<0.1%" }
        if permille > 999 { return ">99.9%" }
        return "\(Int(permille) / 10).\(Int(permille) % 10)%"
    }

    /// A duration in a fitting unit: `35 µs`, `1.2 s`, `3.5 d`.
    package static func duration(microseconds: Int) -> String {
        let units = [
            ("µs", 1), ("ms", 1000), ("s", 1_000_000), ("min", 60_000_000), ("h", 3_600_000_000),
            ("d", 86_400_000_000),
        ]
        let (name, size) = units.last { microseconds >= $0.1 } ?? ("µs", 1)
        let tenths = microseconds / size >= 10 ? microseconds / size * 10 : microseconds * 10 / size
        return tenths % 10 == 0 ? "\(count(tenths / 10)) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }

    /// A time, to the minute; to the day for intervals of a day or more.
    static func time(_ time: ReplayTime, interval milliseconds: Int) -> String {
        let text = time.description
        let day = text.prefix(10)
        return milliseconds >= 86_400_000 ? String(day) : "\(day) \(text.dropFirst(11).prefix(5))"
    }
}
