import AssayCore

/// Bars across, one below the other, each with its name above and its number at the right.
struct BarChart {
    /// One part of a bar.
    struct Part {
        /// The class of the style sheet that fills it.
        let fill: String
        let count: Int
    }

    /// A bar.
    struct Bar {
        let name: String
        /// What stands at the right.
        let note: String
        let parts: [Part]
    }

    private static let rowHeight = 38

    let bars: [Bar]

    /// In pixels.
    var height: Int { bars.count * BarChart.rowHeight }

    /// The SVG elements.
    var drawing: Markup {
        let longest = bars.map { $0.parts.reduce(into: 0) { $0.count($1.count) } }.max() ?? 0
        let drawn: [Markup] = bars.enumerated().map { index, bar in
            let top = index * BarChart.rowHeight
            var start = Percent(hundredths: 0)
            let parts: [Markup] = bar.parts.filter { $0.count > 0 }.map { part in
                // What is there is seen, however little it is.
                let width = Percent(hundredths: max(30, Percent(part.count, of: longest).hundredths))
                defer { start = start + width }
                return """
                    <rect class="\(part.fill)" x="\(start.text)" y="\(top + 20)" width="\(width.text)" height="9"/>
                    """
            }
            return """
                <g><text x="0" y="\(top + 14)">\(bar.name.excerpt(atMost: 44))</text>\
                <text class="note" x="100%" y="\(top + 14)" text-anchor="end">\(bar.note)</text>\
                <rect class="track" x="0" y="\(top + 20)" width="100%" height="9"/>\(parts)</g>
                """
        }
        return "\(drawn)"
    }
}

extension OutcomeTally {
    /// The parts of a bar.
    var parts: [BarChart.Part] {
        [
            BarChart.Part(fill: "accepted", count: accepted), BarChart.Part(fill: "rejected", count: rejected),
            BarChart.Part(fill: "failed", count: failed),
        ]
    }
}
