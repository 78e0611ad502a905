import Assay

extension ReplayReport {
    /// The most checks drawn; the table has all.
    private static let drawn = 16
    /// The most explanations visible at first.
    private static let explainedFirst = 6

    /// The first failed checks of rejected records, and the codes of records without a verdict.
    var reasons: Section? {
        let checks = summary.checkTallies
        let examples = summary.examples
        guard !checks.isEmpty || !summary.failureCounts.isEmpty else { return nil }
        let content: Markup = "\(firstFailed(checks))\(explanations(checks, examples))\(failures(examples))"
        return Section(id: "reasons", title: "Why records were not accepted", content: content)
    }

    private func firstFailed(_ checks: [(check: String, tally: CheckTally)]) -> Markup {
        let failing = checks.filter { $0.tally.first > 0 }
        guard let most = failing.first else { return "" }
        let all = summary.outcomes.rejected
        let bars = BarChart(
            bars: failing.prefix(ReplayReport.drawn).map { check, tally in
                BarChart.Bar(
                    name: check,
                    note: "\(NumberText.count(tally.first)) · \(NumberText.percent(tally.first, of: all))",
                    parts: [BarChart.Part(fill: "rejected", count: tally.first)])
            })
        let text =
            failing.count == 1
            ? "\(most.check) is the only check that fails first, in \(NumberText.count(all, "rejected record"))."
            : "\(most.check) fails first in \(NumberText.count(most.tally.first)) of "
                + "\(NumberText.count(all, "rejected record")). No check fails first in more."
        let table = DataTable(
            columns: ["Check", "Fails first", "Fails", "Only noted"],
            rows: checks.map { check, tally in
                [check] + [tally.first, tally.failed, tally.annotated].map(NumberText.count)
            })
        let chart = Chart(
            id: "checks", title: "First failed check", description: text, height: bars.height, drawing: bars.drawing,
            table: table)
        return "<h3>First failed check</h3>\n<p>\(text)</p>\n\(chart.markup)"
    }

    /// The catalogue's explanations of the checks, each with a record that fails it.
    private func explanations(
        _ checks: [(check: String, tally: CheckTally)], _ examples: [String: ReplayRow]
    ) -> Markup {
        let items: [Markup] = checks.map { check, tally in
            let count =
                tally.first > 0 ? "fails first in \(NumberText.count(tally.first, "record"))" : "never fails first"
            let definition = catalogue.first { $0.id.name == check }
            let parts = definition.map {
                [("Proves", $0.proves), ("Stops", $0.stops), ("Look at", $0.lookAt), ("Source", $0.source)]
            }
            let facts: [Markup] = (parts ?? []).map { "<dt>\($0)</dt><dd>\($1)</dd>" }
            return """
                <details><summary><code>\(check)</code> <span class="muted">\(count)</span></summary>
                <dl class="facts">\(facts)\(example(examples[check]))</dl></details>

                """
        }
        guard !items.isEmpty else { return "" }
        let rest = Array(items.dropFirst(ReplayReport.explainedFirst))
        let more: Markup =
            rest.isEmpty
            ? ""
            : """
            <details class="more"><summary>\(NumberText.count(rest.count, "more check"))</summary>
            \(rest)</details>

            """
        let title = items.count == 1 ? "What this check means" : "What these checks mean"
        return "<h3>\(title)</h3>\n\(Array(items.prefix(ReplayReport.explainedFirst)))\(more)"
    }

    private func example(_ row: ReplayRow?) -> Markup {
        guard let row else { return "" }
        return "<dt>Example</dt><dd><b>\(row.name)</b> \(row.detail ?? "")</dd>"
    }

    private func failures(_ examples: [String: ReplayRow]) -> Markup {
        let counts = summary.failureCounts
        guard !counts.isEmpty else { return "" }
        let table = DataTable(
            columns: ["Code", "Records", "Example"],
            rows: counts.map { code, count in
                let example = examples[code].map { "\($0.name): \($0.detail ?? "")" }
                return [code, NumberText.count(count), example ?? ""]
            })
        return "<h3>Not judged</h3>\n\(table.markup(label: "Not judged"))\n"
    }
}
