/// Horizontal bars with the name above and the number at the right.
package struct BarChart {
    package struct Part {
        /// Its CSS class.
        let fill: String
        package let count: Int

        package init(fill: String, count: Int) { (self.fill, self.count) = (fill, count) }
    }

    package struct Bar {
        let name: String
        /// The text at the right.
        let note: String
        let parts: [Part]

        package init(name: String, note: String, parts: [Part]) {
            (self.name, self.note, self.parts) = (name, note, parts)
        }
    }

    /// How many characters, or capitals, fit in a line on a phone.
    private static let (line, capitals) = (38, 31)
    private static let lineHeight = 16
    /// Longer names lose their middle.
    private static let mostLines = 4

    let bars: [Bar]

    /// The lines of each name.
    private let names: [[String]]
    /// Whether notes have a line of their own, because name and note do not fit in one.
    private let isTall: Bool

    package init(bars: [Bar]) {
        self.bars = bars
        names = bars.map { BarChart.lines(of: $0.name) }
        isTall = bars.contains { $0.name.count + $0.note.count > BarChart.line + 4 }
    }

    package var height: Int { names.reduce(0) { $0 + rowHeight($1.count) } }

    private func rowHeight(_ lines: Int) -> Int { (lines + (isTall ? 1 : 0)) * BarChart.lineHeight + 22 }

    package var drawing: Markup {
        let longest = bars.map { $0.parts.reduce(0) { $0 + $1.count } }.max() ?? 0
        var top = 0
        let drawn: [Markup] = zip(bars, names).map { bar, lines in
            defer { top += rowHeight(lines.count) }
            let first = top + 14
            let last = first + (lines.count - (isTall ? 0 : 1)) * BarChart.lineHeight
            let track = last + 6
            var start = Percent(hundredths: 0)
            let parts: [Markup] = bar.parts.filter { $0.count > 0 }.map { part in
                // At least 0.3 percent, to be visible.
                let width = Percent(hundredths: max(30, Percent(part.count, of: longest).hundredths))
                defer { start = start + width }
                return """
                    <rect class="\(part.fill)" x="\(start.text)" y="\(track)" width="\(width.text)" height="9"/>
                    """
            }
            let name: [Markup] = lines.enumerated().map { index, line in
                "<text x=\"0\" y=\"\(first + index * BarChart.lineHeight)\">\(line)</text>"
            }
            return """
                <g>\(name)<text class="note" x="100%" y="\(last)" text-anchor="end">\(bar.note)</text>\
                <rect class="track" x="0" y="\(track)" width="100%" height="9"/>\(parts)</g>
                """
        }
        return "\(drawn)"
    }

    /// Breaks a name into lines, behind punctuation or a space if there is any.
    private static func lines(of name: String) -> [String] {
        let limit = name.contains { $0.isUppercase } ? capitals : line
        var rest = shortened(name, to: mostLines * limit * 3 / 4)[...]
        var lines: [String] = []
        while rest.count > limit {
            let space = rest.prefix(limit)
            let end = space.lastIndex { " ._-,:/".contains($0) }.map { rest.index(after: $0) } ?? space.endIndex
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        return lines + [String(rest)]
    }

    /// Shortens a name in the middle: long names often begin alike.
    private static func shortened(_ name: String, to limit: Int) -> [Character] {
        let characters = name.unicodeScalars.prefix(1000).map { Character($0) }
        guard characters.count > limit else { return characters }
        return characters.prefix(limit / 3) + ["…"] + characters.suffix(limit - limit / 3 - 1)
    }
}

extension OutcomeTally {
    /// The parts of a bar, one per outcome.
    package var parts: [BarChart.Part] {
        [
            BarChart.Part(fill: "accepted", count: accepted), BarChart.Part(fill: "rejected", count: rejected),
            BarChart.Part(fill: "failed", count: failed),
        ]
    }
}
