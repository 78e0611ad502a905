import Assay
import AssayCore
import AssayReplay
import FoundationEssentials

/// What the service has done since its start, from its metrics.
extension Console {
    /// Within how many days an end is shown.
    private static let soon = 30.0
    /// The most bars of a chart. The table beside it has all values.
    private static let drawn = 8

    private var metrics: MetricsRegistry { administration.dependencies.metrics }

    var overviewPage: Page {
        Page(path: Self.path, name: "Overview", right: .read, parameters: []) { (visit) async throws(Problem) in
            let byApp = ConsoleVerdicts.byApp(metrics)
            let ending = try await orOutage { () async throws(Problem) in
                .table(
                    "What ends soon", ["What", "End"], try await self.ending(at: Date()),
                    none: "Nothing ends within 30 days.")
            }
            let outages = metrics.values(.outages)
            return ConsolePage(
                title: "Overview",
                content: """
                    <p class="muted">This process since its start; other instances count for themselves, and Prometheus for all.</p>
                    <h2>Verdicts</h2>\(outcomes(byApp, of: nil))\(Self.bars(
                        "apps", "Outcome by app", ["App", "Accepted", "Rejected", "Not judged"],
                        byApp.map { ($0.key.isEmpty ? "no app" : $0.key, $0.value.tally.parts) }, none: ""))
                    <h2>Why evidence fails</h2>\(reasons(of: nil))
                    <h2>What ends soon</h2>\(ending)
                    <h2>Outages</h2>\(Markup.table(
                        "Outages", ["Part", "Code", "Count"],
                        outages.map { ["\($0.labels["part"] ?? "")", "\($0.labels["code"] ?? "")", "\(Int($0.value))"] },
                        none: "None since the start."))
                    <h2>Time to judge</h2>\(latency)
                    <h2>Distinct devices</h2>\(devices(of: nil))
                    """,
                isRefreshed: true)
        }
    }

    var appPage: Page {
        Page(path: Self.path + "/app", name: "App", right: .read, parameters: ["name"]) {
            (visit) async throws(Problem) in
            let names = administration.state.verifier.policy.apps.map(\.name)
            let byApp = ConsoleVerdicts.byApp(metrics)
            guard let name = visit["name"] ?? (names.count == 1 ? names.first : nil), names.containsBytes(of: name)
            else {
                let rows = names.map { name -> [Markup] in
                    let all = byApp[name] ?? ConsoleVerdicts()
                    return [
                        "<a href=\"/console/app?name=\(name.queryEncoded)\">\(name)</a>", "\(all.total)",
                        "\(all.refused)",
                    ]
                }
                return ConsolePage(
                    title: "Apps",
                    content: .table("Apps", ["App", "Verdicts", "Refused"], rows, none: "The policy has no app."))
            }
            var selection = RecentSelection()
            selection.app = name
            return ConsolePage(
                title: "App \(name)",
                content: """
                    <h2>Verdicts since the start</h2>\(outcomes(byApp, of: name))
                    <h2>Why evidence fails</h2>\(reasons(of: name))
                    <h2>Distinct devices</h2>\(devices(of: name))
                    <h2>Recent refusals</h2>\(refusals(selection, atMost: 20))
                    """,
                isRefreshed: true)
        }
    }

    // MARK: Charts

    /// Shares, and outcomes over time.
    ///
    /// - Parameter app: nil for all apps.
    private func outcomes(_ byApp: [String: ConsoleVerdicts], of app: String?) -> Markup {
        var all = ConsoleVerdicts()
        for (name, verdicts) in byApp where app?.isByteEqual(to: name) ?? true { all.add(verdicts) }
        let history = administration.state.history
        history?.take(metrics, at: Date())
        guard let chart = history.flatMap({ TimeChart($0.series(of: app))?.chart.markup }) else { return all.markup }
        return "\(all.markup)<h3>Outcome over time</h3>\(Chart.legend)\(chart)"
    }

    /// Bars for the greatest values, and a table of all.
    ///
    /// - Parameters:
    ///   - columns: the heads of the table: the name, and the parts of a bar.
    ///   - none: the sentence in place of a chart without values.
    private static func bars(
        _ id: String, _ title: String, _ columns: [String], _ values: [(name: String, parts: [BarChart.Part])],
        none: String
    ) -> Markup {
        let rows = values.map { (name: $0.name, parts: $0.parts, sum: $0.parts.reduce(0) { $0 + $1.count }) }
            .filter { $0.sum > 0 }.sorted { ($1.sum, $0.name) < ($0.sum, $1.name) }
        guard let first = rows.first else { return none.isEmpty ? "" : "<p>\(none)</p>" }
        let bars = BarChart(
            bars: rows.prefix(drawn).map {
                BarChart.Bar(name: $0.name, note: NumberText.count($0.sum), parts: $0.parts)
            })
        let chart = Chart(
            id: id, title: title,
            description: "The greatest of \(rows.count) is \(first.name), with \(NumberText.count(first.sum)).",
            height: bars.height, drawing: bars.drawing,
            table: DataTable(
                columns: columns, rows: rows.map { [$0.name] + $0.parts.map { NumberText.count($0.count) } }))
        return "<h3>\(title)</h3>\(chart.markup)"
    }

    private func reasons(of app: String?) -> Markup {
        let all = metrics.values(.checks).filter { app == nil || $0.labels["app"] == app }.sorted {
            $0.value > $1.value
        }
        var byCheck: [String: Int] = [:]
        for (labels, value) in all { byCheck[labels["check"] ?? "", default: 0] += Int(value) }
        let chart = Self.bars(
            "reasons", "Failures by check", ["Check", "Count"],
            byCheck.map { ($0.key, [BarChart.Part(fill: "rejected", count: $0.value)]) }, none: "")
        return """
            \(chart)\(Markup.table(
                "Why evidence fails", ["Check", "App", "Code", "Effect", "Count"],
                all.prefix(50).map {
                    [
                        .check($0.labels["check"] ?? ""), "\($0.labels["app"] ?? "")", "\($0.labels["code"] ?? "")",
                        "\($0.labels["status"] ?? "")", "\(Int($0.value))",
                    ]
                }, none: "No check has failed since the start."))
            """
    }

    private var latency: Markup {
        let rows = metrics.histograms(.verification).compactMap { labels, series -> [Markup]? in
            let (values, bounds) = (series.values, series.bounds)
            let count = values.counts.reduce(0, +)
            guard count > 0 else { return nil }
            var (sum, index) = (0, 0)
            while index < bounds.count, (sum + values.counts[index]) * 100 < count * 99 {
                sum += values.counts[index]
                index += 1
            }
            let mean = (values.sum / Double(count) * 1_000_000).rounded() / 1000
            let most = index < bounds.count ? "\(bounds[index] * 1000)" : "more than \((bounds.last ?? 0) * 1000)"
            return ["\(labels["kind"] ?? "")", "\(count)", "\("\(mean)") ms", "\(most) ms"]
        }
        return .table(
            "Time to judge", ["Kind", "Verdicts", "Mean", "99 of 100 at most"], rows, none: "Nothing was judged yet.")
    }

    private func devices(of app: String?) -> Markup {
        var periods: [String: [String: Int]] = [:]
        for (labels, value) in metrics.values(.distinctDevices) where app == nil || labels["app"] == app {
            periods[labels["app"] ?? "", default: [:]][labels["period"] ?? ""] = Int(value)
        }
        let day = Self.bars(
            "devices", "Devices and keys accepted today, about", ["App", "Devices and keys"],
            periods.map { ($0.key, [BarChart.Part(fill: "plain", count: $0.value["day"] ?? 0)]) }, none: "")
        return """
            \(day)\(Markup.table(
                "Distinct devices", ["App", "This hour", "Today", "This month"],
                periods.sorted { $0.key < $1.key }.map { app, counts in
                    ["\(app)"] + DevicePeriods.names.map { "\(counts[$0] ?? 0)" }
                }, none: "None were counted yet."))
            """
    }

    /// What ends within some days: keys, certificates, and tokens of operators.
    private func ending(at now: Date) async throws(Problem) -> [[Markup]] {
        var all: [(what: String, end: Date)] = []
        for (metric, kind) in [(MetricName.keyEnd, "key"), (.certificateEnd, "certificate of")] {
            all += metrics.values(metric).map {
                ("\(kind) \($0.labels["name"] ?? "")", Date(timeIntervalSince1970: $0.value))
            }
        }
        let operators = try await administration.ledger { (ledger) async throws(LedgerOutage) in
            try await ledger.operators()
        }
        all += operators.filter { $0.state(at: now) == .live }.map { ("token of operator \($0.name)", $0.until) }
        return all.filter { $0.end < now.addingTimeInterval(Self.soon * 86_400) }.sorted { $0.end < $1.end }.map {
            ["\($0.what)", .time($0.end)]
        }
    }
}
