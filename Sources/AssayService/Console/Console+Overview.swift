import Assay
import AssayCore
import FoundationEssentials

/// What the service has done since its start, from its metrics.
extension Console {
    /// Within how many days an end is shown.
    private static let soon = 30.0

    var overviewPage: Page {
        Page(path: Self.path, name: "Overview", right: .read, parameters: []) { (visit) async throws(Problem) in
            let metrics = administration.dependencies.metrics
            let verdicts = ConsoleVerdicts(metrics, app: nil)
            let ending = try await ending(at: Date())
            let outages = metrics.values(.outages).filter { $0.value > 0 }
            return ConsolePage(
                title: "Overview",
                content: """
                    <p class="muted">This process since its start; other instances count for themselves, and Prometheus for all.</p>
                    <h2>Verdicts</h2>\(verdicts.markup)
                    <h2>Why evidence fails</h2>\(reasons(metrics))
                    <h2>What ends soon</h2>\(Markup.table("What ends soon", ["What", "End"], ending, none: "Nothing ends within 30 days."))
                    <h2>Outages</h2>\(Markup.table(
                        "Outages", ["Part", "Code", "Count"],
                        outages.map { ["\($0.labels["part"] ?? "")", "\($0.labels["code"] ?? "")", "\(Int($0.value))"] },
                        none: "None since the start."))
                    <h2>Time to judge</h2>\(latency(metrics))
                    <h2>Distinct devices</h2>\(devices(metrics, app: nil))
                    """,
                isRefreshed: true)
        }
    }

    var appPage: Page {
        Page(path: Self.path + "/app", name: "App", right: .read, parameters: ["name"]) {
            (visit) async throws(Problem) in
            let metrics = administration.dependencies.metrics
            let names = administration.state.verifier.policy.apps.map(\.name)
            guard let name = visit["name"] ?? (names.count == 1 ? names.first : nil), names.containsBytes(of: name)
            else {
                let rows = names.map { name -> [Markup] in
                    let all = ConsoleVerdicts(metrics, app: name)
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
                    <h2>Verdicts since the start</h2>\(ConsoleVerdicts(metrics, app: name).markup)
                    <h2>Distinct devices</h2>\(devices(metrics, app: name))
                    <h2>Recent refusals</h2>\(refusals(selection, atMost: 20))
                    """,
                isRefreshed: true)
        }
    }

    private func reasons(_ metrics: MetricsRegistry) -> Markup {
        let all = metrics.values(.checks).filter { $0.value > 0 }.sorted { $0.value > $1.value }
        return .table(
            "Why evidence fails", ["Check", "App", "Code", "Effect", "Count"],
            all.prefix(50).map {
                [
                    .check($0.labels["check"] ?? ""), "\($0.labels["app"] ?? "")", "\($0.labels["code"] ?? "")",
                    "\($0.labels["status"] ?? "")", "\(Int($0.value))",
                ]
            }, none: "No check has failed since the start.")
    }

    private func latency(_ metrics: MetricsRegistry) -> Markup {
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

    private func devices(_ metrics: MetricsRegistry, app: String?) -> Markup {
        let all = metrics.values(.distinctDevices).filter { app == nil || $0.labels["app"] == app }
        return .table(
            "Distinct devices", ["App", "Period", "Devices and keys, about"],
            all.map { ["\($0.labels["app"] ?? "")", "\($0.labels["period"] ?? "")", "\(Int($0.value))"] },
            none: "None were counted yet.")
    }

    /// What ends within some days: keys, certificates, and tokens of operators.
    private func ending(at now: Date) async throws(Problem) -> [[Markup]] {
        let metrics = administration.dependencies.metrics
        var all: [(what: String, end: Date)] = []
        for (metric, kind) in [(MetricName.keyEnd, "key"), (.certificateEnd, "certificate of")] {
            all += metrics.values(metric).filter { $0.value > 0 }.map {
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

/// How many verdicts there were of each sort, since the start.
struct ConsoleVerdicts {
    private(set) var verified = 0
    /// Accepted without evidence: old clients, and devices that have none.
    private(set) var withoutEvidence = 0
    /// Rejected, and of no app of the policy.
    private(set) var unknownOrigin = 0
    private(set) var invalid = 0

    var refused: Int { unknownOrigin + invalid }
    var total: Int { verified + withoutEvidence + refused }

    /// - Parameter app: of this app alone; nil for all.
    init(_ metrics: MetricsRegistry, app: String?) {
        for (labels, value) in metrics.values(.verdicts) where app == nil || labels["app"] == app {
            let count = Int(value)
            if labels["outcome"] == Verdict.Outcome.accept.rawValue {
                let isVerified = labels["kind"] != EvidenceKind.noEvidence.name
                if isVerified { verified += count } else { withoutEvidence += count }
            } else if labels["app"] == "" {
                unknownOrigin += count
            } else {
                invalid += count
            }
        }
    }

    /// A bar with the shares, and the table of its numbers.
    var markup: Markup {
        guard total > 0 else { return "<p>Nothing was judged yet.</p>" }
        let parts = [
            ("verified", verified), ("without evidence, as of old clients", withoutEvidence),
            ("refused, of an app of the policy", invalid), ("refused, of unknown origin", unknownOrigin),
        ]
        var place = 0
        let bars: [Markup] = parts.enumerated().map { index, part in
            let (begin, width) = (place * 1000 / total, part.1 * 1000 / total)
            place += part.1
            return "<rect class=\"part\(index)\" x=\"\(begin)\" y=\"0\" width=\"\(width)\" height=\"20\"/>"
        }
        return """
            <svg role="img" aria-label="Shares of verdicts, as in the table" viewBox="0 0 1000 20" preserveAspectRatio="none">\(bars)</svg>
            \(Markup.table(
                "Shares of verdicts", ["Sort", "Verdicts", "Share"],
                parts.map { ["\($0.0)", "\($0.1)", "\("\(Double($0.1 * 1000 / total) / 10)") %"] }, none: ""))
            """
    }
}

extension MetricsRegistry {
    /// The present values of counters or gauges.
    func values(_ name: MetricName) -> [(labels: [String: String], value: Double)] {
        (families[name.rawValue]?.series ?? []).compactMap { labels, series in
            switch series {
            case .counter(let counter): (MetricsText.labels(in: labels), Double(counter.value))
            case .gauge(let gauge): (MetricsText.labels(in: labels), gauge.value)
            case .histogram: nil
            }
        }
    }

    /// Histograms.
    func histograms(_ name: MetricName) -> [(labels: [String: String], series: HistogramSeries)] {
        (families[name.rawValue]?.series ?? []).compactMap { labels, series in
            if case .histogram(let series) = series { (MetricsText.labels(in: labels), series) } else { nil }
        }
    }
}

extension MetricsText {
    /// The names and values in a text that `labels(_:)` has made.
    static func labels(in text: String) -> [String: String] {
        var (found, name, value) = ([String: String](), String.UnicodeScalarView(), String.UnicodeScalarView())
        var (isValue, isEscaped) = (false, false)
        for scalar in text.unicodeScalars {
            if isEscaped {
                value.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if !isValue {
                if scalar == "\"" { isValue = true } else if scalar != "=", scalar != "," { name.append(scalar) }
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                found[String(name)] = String(value)
                (name, value, isValue) = (.init(), .init(), false)
            } else {
                value.append(scalar)
            }
        }
        return found
    }
}

extension String {
    /// The text in percent-encoding, for a value of a query.
    var queryEncoded: String {
        utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(byte))
            default: "%" + [byte].hexadecimal.uppercased()
            }
        }.joined()
    }
}
