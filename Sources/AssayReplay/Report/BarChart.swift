/// Horizontal bars with the name above and the number at the right.
struct BarChart {
    /// One part of a bar.
    struct Part {
        /// Its CSS class.
        let fill: String
        let count: Int
    }

    /// A bar.
    struct Bar {
        let name: String
        /// The text at the right.
        let note: String
        let parts: [Part]
    }

    /// How many characters, or capitals, fit in a line on a phone.
    private static let line = 48
    private static let capitals = 38

    let bars: [Bar]

    /// Whether names need their own line, because name and number do not fit in one.
    private var isTall: Bool { bars.contains { $0.name.count + $0.note.count > BarChart.line } }
    private var rowHeight: Int { isTall ? 54 : 38 }

    /// The height in pixels.
    var height: Int { bars.count * rowHeight }

    /// The SVG elements.
    var drawing: Markup {
        let longest = bars.map { $0.parts.reduce(0) { $0 + $1.count } }.max() ?? 0
        let drawn: [Markup] = bars.enumerated().map { index, bar in
            let top = index * rowHeight
            let line = isTall ? top + 30 : top + 14
            let track = line + 6
            var start = Percent(hundredths: 0)
            let parts: [Markup] = bar.parts.filter { $0.count > 0 }.map { part in
                // At least 0.3 percent, to be visible.
                let width = Percent(hundredths: max(30, Percent(part.count, of: longest).hundredths))
                defer { start = start + width }
                return """
                    <rect class="\(part.fill)" x="\(start.text)" y="\(track)" width="\(width.text)" height="9"/>
                    """
            }
            return """
                <g><text x="0" y="\(top + 14)">\(BarChart.cut(bar.name))</text>\
                <text class="note" x="100%" y="\(line)" text-anchor="end">\(bar.note)</text>\
                <rect class="track" x="0" y="\(track)" width="100%" height="9"/>\(parts)</g>
                """
        }
        return "\(drawn)"
    }

    /// Shortens a name in the middle: long names often begin alike.
    private static func cut(_ name: String) -> String {
        let limit = name.contains { $0.isUppercase } ? capitals : line - 4
        let characters = Array(name.unicodeScalars.prefix(1000).map { Character($0) })
        guard characters.count > limit else { return name }
        return String(characters.prefix(limit / 3)) + "…" + String(characters.suffix(limit - limit / 3 - 1))
    }
}

extension OutcomeTally {
    /// The parts of a bar, one per outcome.
    var parts: [BarChart.Part] {
        [
            BarChart.Part(fill: "accepted", count: accepted), BarChart.Part(fill: "rejected", count: rejected),
            BarChart.Part(fill: "failed", count: failed),
        ]
    }
}
