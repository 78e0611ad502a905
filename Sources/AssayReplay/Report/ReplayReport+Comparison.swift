import AssayCore

extension ReplayReport {
    private static let listed = 100
    private static let values = 10

    /// The records whose acceptance differs under the second policy, and the checks responsible.
    var comparison: Markup {
        guard summary.isComparison else { return "" }
        let flows = summary.flowCounts
        let chart = FlowChart(flows: flows, policy: policy, against: against).chart
        let outcomes = summary.outcomes
        let sentence =
            outcomes.changed == 0
            ? "No outcome differs."
            : "\(NumberText.count(outcomes.changed, "record")) "
                + "\(outcomes.changed == 1 ? "changes" : "change") sides: \(NumberText.count(outcomes.lost)) would no longer be "
                + "accepted, \(NumberText.count(outcomes.gained)) newly accepted."
        return """
            <section aria-labelledby="comparison"><h2 id="comparison">From \(policy) to \(against)</h2>
            <p><strong>\(sentence)</strong></p>
            \(chart.markup)\(changes(flows))\(otherReasons(flows))\(changedValues)</section>

            """
    }

    private func changes(_ flows: [(flow: ReplayFlow, count: Int)]) -> Markup {
        let changed = flows.filter(\.flow.isChange)
        guard !changed.isEmpty else { return "" }
        let table = DataTable(
            columns: ["By which check", "Records", "Change"],
            rows: changed.prefix(ReplayReport.listed).map { flow, count in
                let (check, change) =
                    flow.from.outcome == .accepted
                    ? (flow.to.reason, "accepted, then \(flow.to.outcome.word)")
                    : (flow.from.reason, "\(flow.from.outcome.word), then accepted")
                return [check, NumberText.count(count), change]
            })
        return """
            <h3>Outcome differs, by check</h3>
            \(table.markup)
            <p class="screen"><button type="button" data-show-side="changed">Show these records</button></p>

            """
    }

    private func otherReasons(_ flows: [(flow: ReplayFlow, count: Int)]) -> Markup {
        let moved = flows.filter { flow, _ in
            flow.from.outcome != .accepted && flow.to.outcome != .accepted && flow.from != flow.to
        }
        guard !moved.isEmpty else { return "" }
        let table = DataTable(
            columns: ["First under \(policy)", "First under \(against)", "Records"],
            rows: moved.prefix(ReplayReport.listed).map { flow, count in
                [flow.from.reason, flow.to.reason, NumberText.count(count)]
            })
        return "<h3>Not accepted by either, for another reason</h3>\n\(table.markup)\n"
    }

    /// The field values of the records whose acceptance differs.
    private var changedValues: Markup {
        let cells: [Markup] = summary.breakdowns.compactMap { breakdown -> Markup? in
            let changed = breakdown.changedValues
            guard !changed.isEmpty, breakdown.name != Dimension.testAuthority.name else { return nil }
            let table = DataTable(
                columns: [breakdown.title, "No longer", "Newly", "Of all"],
                rows: changed.prefix(ReplayReport.values).map { value, tally in
                    [
                        value, NumberText.count(tally.lost), NumberText.count(tally.gained),
                        NumberText.percent(tally.changed, of: tally.total),
                    ]
                })
            return "<div class=\"cell\">\(table.markup)</div>\n"
        }
        guard !cells.isEmpty else { return "" }
        return "<h3>Who is no longer accepted, or newly</h3>\n<div class=\"cells\">\(cells)</div>\n"
    }
}
