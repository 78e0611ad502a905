extension ReplayReport {
    /// The most values drawn. The table has all that are counted separately.
    private static let drawn = 8

    /// The outcomes by app, kind, version and other fields.
    var breakdowns: Section? {
        let cells: [Markup] = summary.breakdowns.enumerated().map { breakdown($1, id: "by-\($0)") }
        guard !cells.isEmpty else { return nil }
        let content: Markup = """
            <p class="muted">The values of rejected evidence may be forged.</p>
            <div class="cells">\(cells)</div>
            """
        return Section(id: "breakdowns", title: "Where the records are from", content: content)
    }

    private func breakdown(_ breakdown: ReplaySummary.Breakdown, id: String) -> Markup {
        let values = breakdown.values
        var shown = values.prefix(ReplayReport.drawn).map { ($0.value, $0.tally) }
        let rest = values.dropFirst(ReplayReport.drawn).reduce(into: breakdown.others) { $0.add($1.tally) }
        if rest.total > 0 { shown.append(("other values", rest)) }
        let bars = BarChart(
            bars: shown.map { value, tally in
                let share =
                    tally.rejected > 0 ? " · \(NumberText.percent(tally.rejected, of: tally.total)) rejected" : ""
                return BarChart.Bar(
                    name: value, note: NumberText.count(tally.total) + share, parts: tally.parts)
            })
        var rows = values.map { ReplayReport.row($0.value, $0.tally) }
        if breakdown.others.total > 0 { rows.append(ReplayReport.row("other values", breakdown.others)) }
        let most = values.first.map {
            values.count == 1
                ? "The only value is \($0.value)."
                : "The most frequent value is \($0.value), in \(NumberText.count($0.tally.total, "record"))."
        }
        let chart = Chart(
            id: id, title: breakdown.title,
            description: "\(NumberText.count(breakdown.total.total, "record")). \(most ?? "")", height: bars.height,
            drawing: bars.drawing,
            table: DataTable(columns: [breakdown.title, "Accepted", "Rejected", "Not judged"], rows: rows))
        return "<div class=\"cell\"><h3>\(breakdown.title)</h3>\(chart.markup)</div>\n"
    }

    private static func row(_ value: String, _ tally: OutcomeTally) -> [String] {
        [value] + [tally.accepted, tally.rejected, tally.failed].map(NumberText.count)
    }

    /// The distributions of evidence ages, assessment durations and counters.
    var measures: Section? {
        let kinds: [(String, String, ReplaySummary.Distributions, (Int) -> String)] = [
            (
                "age", "Age of evidence when it came", summary.ages,
                { NumberText.duration(microseconds: min($0, .max / 1000) * 1000) }
            ),
            (
                "duration", "Time that assessing took", summary.durations,
                { NumberText.duration(microseconds: $0) }
            ),
            ("counter", "Counters of accepted evidence", summary.counters, { NumberText.count($0) }),
        ]
        let cells: [Markup] = kinds.flatMap { id, title, distributions, text in
            distributions.sorted { $0.key < $1.key }.enumerated().map { number, entry in
                HistogramChart(
                    id: "\(id)-\(number)", title: "\(title): \(entry.key)", histogram: entry.value, text: text
                ).markup
            }
        }
        guard !cells.isEmpty else { return nil }
        let content: Markup = """
            <p class="muted">Logarithmic scales; values are exact to an eighth.</p>
            <div class="cells">\(cells)</div>
            """
        return Section(id: "measures", title: "Latency and counters", content: content)
    }
}
