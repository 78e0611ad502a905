import AssayCore

extension ReplayReport {
    /// The records whose acceptance differs under the second policy, and the checks responsible.
    var comparison: Section? {
        guard summary.isComparison else { return nil }
        let button: Markup =
            summary.changes.causes.isEmpty
            ? ""
            : "<p class=\"screen\"><button type=\"button\" data-show-side=\"changed\">Show these records</button></p>\n"
        let content: Markup = "\(cost)\(button)\(otherReasons(summary.flowCounts))\(changedValues)"
        return Section(id: "comparison", title: "From \(policy) to \(against)", content: content)
    }

    /// How many records have another outcome under the second policy, and why.
    package var cost: Markup {
        let chart = FlowChart(flows: summary.flowCounts, policy: policy, against: against).chart
        let outcomes = summary.outcomes
        func count(_ records: Int) -> String { "\(NumberText.count(records)) \(records == 1 ? "is" : "are")" }
        let sentence =
            outcomes.changed == 0
            ? "No outcome differs."
            : "\(NumberText.count(outcomes.changed, "record")) \(outcomes.changed == 1 ? "has" : "have") another outcome: "
                + "\(count(outcomes.lost)) no longer accepted, \(count(outcomes.gained)) newly accepted."
        return "<p><strong>\(sentence)</strong></p>\n\(chart.markup)\(causes)"
    }

    private var causes: Markup {
        let causes = summary.changes.causes
        guard !causes.isEmpty else { return "" }
        let table = DataTable(
            columns: ["Cause", "Records", "Consequences", "Devices", "Accounts", "Change"],
            rows: causes.map { cause in
                let tally = cause.tally
                let counts = [tally.records, tally.consequences, tally.devices, tally.accounts].map(NumberText.count)
                return [cause.check] + counts + [cause.isLoss ? "no longer accepted" : "newly accepted"]
            })
        return """
            <h3>Outcome differs, by cause</h3>
            <p class="muted">The check that fails first: in the record itself, or, for a consequence, in the attestation of its \
            key, without which no key is enrolled.</p>
            \(table.markup(label: "Outcome differs, by cause"))

            """
    }

    private func otherReasons(_ flows: [(flow: ReplayFlow, count: Int)]) -> Markup {
        let moved = flows.filter { flow, _ in
            flow.from.outcome != .accepted && flow.to.outcome != .accepted && flow.from != flow.to
        }
        guard !moved.isEmpty else { return "" }
        let table = DataTable(
            columns: ["First under \(policy)", "First under \(against)", "Records"],
            rows: moved.map { flow, count in
                [flow.from.reason, flow.to.reason, NumberText.count(count)]
            })
        let title = "Not accepted by either, for another reason"
        return "<h3>\(title)</h3>\n\(table.markup(label: title))\n"
    }

    /// The field values of the records whose acceptance differs.
    private var changedValues: Markup {
        let cells: [Markup] = summary.breakdowns.compactMap { breakdown -> Markup? in
            let changed = breakdown.changedValues
            guard !changed.isEmpty, breakdown.name != Dimension.testAuthority.name else { return nil }
            let table = DataTable(
                columns: [breakdown.title, "No longer accepted", "Newly accepted", "Share"],
                rows: changed.map { value, tally in
                    [
                        value, NumberText.count(tally.lost), NumberText.count(tally.gained),
                        NumberText.percent(tally.changed, of: tally.total),
                    ]
                })
            return "<div class=\"cell\">\(table.markup(label: "Outcome differs, by \(breakdown.title)"))</div>\n"
        }
        guard !cells.isEmpty else { return "" }
        return "<h3>Where the records with another outcome are from</h3>\n<div class=\"cells\">\(cells)</div>\n"
    }
}
