import AssayCore

extension ReplayReport {
    private static let listed = 100
    private static let values = 10

    /// Who changes sides under the other policy, and by which check.
    var comparison: Markup {
        guard summary.isComparison else { return "" }
        let flows = summary.flowCounts
        let chart = FlowChart(flows: flows, policy: labels.policy, against: labels.against).chart
        let (lost, gained) = (summary.outcomes.lost, summary.outcomes.gained)
        let sentence =
            lost + gained == 0
            ? "No record changes sides."
            : "\(NumberText.count(lost + gained, "record")) "
                + "\(lost + gained == 1 ? "changes" : "change") sides: \(NumberText.count(lost)) would no longer be "
                + "accepted, \(NumberText.count(gained)) newly accepted."
        return """
            <section aria-labelledby="comparison"><h2 id="comparison">From \(labels.policy) to \(labels.against)</h2>
            <p><strong>\(sentence)</strong></p>
            \(chart.markup)\(changes(flows))\(otherReasons(flows))\(changedValues)</section>

            """
    }

    private func changes(_ flows: [ReplayFlow]) -> Markup {
        let changed = flows.filter { ($0.from.outcome == .accepted) != ($0.to.outcome == .accepted) }
        guard !changed.isEmpty else { return "" }
        let table = DataTable(
            columns: ["By which check", "Records", "Change"],
            rows: changed.prefix(ReplayReport.listed).map { flow in
                let (check, change) =
                    flow.from.outcome == .accepted
                    ? (flow.to.reason, "accepted, then \(flow.to.outcome.word)")
                    : (flow.from.reason, "\(flow.from.outcome.word), then accepted")
                return [check, NumberText.count(flow.count), change]
            })
        return """
            <h3>Who changes sides, by which check</h3>
            \(table.markup)
            <p class="screen"><button type="button" data-show-side="changed">Show these records</button></p>

            """
    }

    private func otherReasons(_ flows: [ReplayFlow]) -> Markup {
        let moved = flows.filter {
            $0.from.outcome != .accepted && $0.to.outcome != .accepted && $0.from != $0.to
        }
        guard !moved.isEmpty else { return "" }
        let table = DataTable(
            columns: ["First under \(labels.policy)", "First under \(labels.against)", "Records"],
            rows: moved.prefix(ReplayReport.listed).map { [$0.from.reason, $0.to.reason, NumberText.count($0.count)] })
        return "<h3>Not accepted by either, for another reason</h3>\n\(table.markup)\n"
    }

    /// Which versions, systems and labels those who change sides have.
    private var changedValues: Markup {
        let cells: [Markup] = summary.breakdowns.compactMap { breakdown -> Markup? in
            let changed = breakdown.values.filter { $0.tally.lost + $0.tally.gained > 0 }.sorted {
                $1.tally.lost + $1.tally.gained < $0.tally.lost + $0.tally.gained
            }
            guard !changed.isEmpty, breakdown.name != Dimension.testAuthority.name else { return nil }
            let table = DataTable(
                columns: [breakdown.title, "No longer", "Newly", "Of all"],
                rows: changed.prefix(ReplayReport.values).map { value, tally in
                    [
                        value, NumberText.count(tally.lost), NumberText.count(tally.gained),
                        NumberText.percent(tally.lost + tally.gained, of: tally.total),
                    ]
                })
            return "<div class=\"cell\">\(table.markup)</div>\n"
        }
        guard !cells.isEmpty else { return "" }
        return "<h3>Who is no longer accepted, or newly</h3>\n<div class=\"cells\">\(cells)</div>\n"
    }
}
