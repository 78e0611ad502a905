import Assay
import AssayCore
import AssayReplay
import FoundationEssentials
import Synchronization

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
    var tally: OutcomeTally { OutcomeTally(accepted: verified + withoutEvidence, rejected: refused) }

    /// The verdicts of each app, in one pass: a policy may have a hundred apps. That of verdicts without an app is empty.
    static func byApp(_ metrics: MetricsRegistry) -> [String: ConsoleVerdicts] {
        var all: [String: ConsoleVerdicts] = [:]
        for (labels, value) in metrics.values(.verdicts) {
            let (app, count) = (labels["app"] ?? "", Int(value))
            if labels["outcome"] == Verdict.Outcome.accept.rawValue {
                let isVerified = labels["kind"] != EvidenceKind.noEvidence.name
                if isVerified { all[app, default: Self()].verified += count }
                if !isVerified { all[app, default: Self()].withoutEvidence += count }
            } else if app.isEmpty {
                all[app, default: Self()].unknownOrigin += count
            } else {
                all[app, default: Self()].invalid += count
            }
        }
        return all
    }

    mutating func add(_ other: Self) {
        verified += other.verified
        withoutEvidence += other.withoutEvidence
        unknownOrigin += other.unknownOrigin
        invalid += other.invalid
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
            <svg class="shares" role="img" aria-label="Shares of verdicts, as in the table" viewBox="0 0 1000 20" \
            preserveAspectRatio="none">\(bars)</svg>\(Markup.table(
                "Shares of verdicts", ["Sort", "Verdicts", "Share"],
                parts.map { ["\($0.0)", "\($0.1)", "\(NumberText.percent($0.1, of: total))"] }, none: ""))
            """
    }
}

/// The verdicts of the last day by app, from the counters of the metrics: a request costs nothing more. A restart loses them.
final class VerdictHistory: Sendable {
    /// The length of a step in seconds, and how many steps are kept.
    private static let (step, most) = (300, 288)

    private struct State {
        /// The counters at the last call, by app.
        var last: [String: OutcomeTally] = [:]
        /// The steps in which there were verdicts, the first one first.
        var steps: [(number: Int, tallies: [String: OutcomeTally])] = []
    }

    private let state = Mutex(State())

    /// Notes what the counters have grown by since the last call. Outages are those of no app.
    func take(_ metrics: MetricsRegistry, at now: Date) {
        state.withLock { state in
            var present = ConsoleVerdicts.byApp(metrics).mapValues(\.tally)
            let outages = metrics.values(.outages).reduce(0) { $0 + Int($1.value) }
            present["", default: OutcomeTally()].add(OutcomeTally(failed: outages))
            var grown: [String: OutcomeTally] = [:]
            for (app, tally) in present {
                let last = state.last[app] ?? OutcomeTally()
                let growth = OutcomeTally(
                    accepted: tally.accepted - last.accepted, rejected: tally.rejected - last.rejected,
                    failed: tally.failed - last.failed)
                if growth.total > 0 { grown[app] = growth }
            }
            state.last = present
            guard !grown.isEmpty else { return }
            let number = Int(now.timeIntervalSince1970) / Self.step
            // A clock that is set back adds to the step before.
            if let last = state.steps.last, last.number >= number {
                for (app, growth) in grown {
                    state.steps[state.steps.count - 1].tallies[app, default: OutcomeTally()].add(growth)
                }
            } else {
                state.steps.append((number, grown))
            }
            state.steps.removeAll { $0.number <= number - Self.most }
        }
    }

    /// The verdicts of an app; nil for all.
    func series(of app: String?) -> TimeSeries {
        var series = TimeSeries()
        for step in state.withLock({ $0.steps }) {
            let time = Date(timeIntervalSince1970: Double(step.number * Self.step))
            for (name, tally) in step.tallies where app?.isByteEqual(to: name) ?? true { series.add(tally, at: time) }
        }
        return series
    }
}

extension MetricsRegistry {
    /// The present values of counters or gauges, without those that are 0, most of which no request has touched.
    func values(_ name: MetricName) -> [(labels: [String: String], value: Double)] {
        (families[name.rawValue]?.series ?? []).compactMap { labels, series in
            let value: Double
            switch series {
            case .counter(let counter): value = Double(counter.value)
            case .gauge(let gauge): value = gauge.value
            case .histogram: return nil
            }
            return value == 0 ? nil : (MetricsText.labels(in: labels), value)
        }
    }

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
