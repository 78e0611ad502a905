/// Outcomes over time: a stacked bar for each interval.
package struct TimeChart {
    private static let slots = 72
    private static let plot = 150
    private static let top = 18

    /// All intervals of the chart, including those without records.
    private let intervals: [(begin: ReplayTime, tally: OutcomeTally)]
    private let width: Int

    /// Nil when no record has a time.
    package init?(_ series: TimeSeries) {
        guard var range = series.range else { return nil }
        var shown = series
        while range.count > TimeChart.slots, shown.level + 1 < TimeSeries.widths.count {
            shown.coarsen()
            range = shown.range ?? range
        }
        // If the longest intervals still do not fit, draw several per bar.
        let factor = (range.count + TimeChart.slots - 1) / TimeChart.slots
        width = shown.width * factor
        var tallies = Array(repeating: OutcomeTally(), count: (range.count + factor - 1) / factor)
        for (number, tally) in shown.intervals { tallies[(number - range.lowerBound) / factor].add(tally) }
        let begin = range.lowerBound * shown.width
        let length = width
        intervals = tallies.enumerated().map { (ReplayTime(milliseconds: begin + $0 * length), $1) }
    }

    /// The length of an interval, in words.
    private var unit: String {
        switch width {
        case 60_000: "one minute"
        case 3_600_000: "one hour"
        case 86_400_000: "one day"
        case 604_800_000: "one week"
        case ..<3_600_000: "\(width / 60_000) minutes"
        case ..<86_400_000: "\(width / 3_600_000) hours"
        default: "\(NumberText.count(width / 86_400_000)) days"
        }
    }

    private func name(_ interval: (begin: ReplayTime, tally: OutcomeTally)) -> String {
        NumberText.time(interval.begin, interval: width)
    }

    package var chart: Chart {
        let most = intervals.max { $0.tally.total < $1.tally.total }
        let rejected = intervals.max { $0.tally.rejected < $1.tally.rejected }
        var text = "Each bar is \(unit), UTC."
        if let most, intervals.count > 1 {
            text += " The tallest is \(name(most)), with \(NumberText.count(most.tally.total, "record"))."
        }
        if let rejected, rejected.tally.rejected > 0, intervals.count > 1 {
            let count = NumberText.count(rejected.tally.rejected, "rejected record")
            text += " The one with the greatest number of rejections is \(name(rejected)), with \(count)."
        }
        let rows = intervals.filter { $0.tally.total > 0 }.map { interval in
            let tally = interval.tally
            return [name(interval)] + [tally.accepted, tally.rejected, tally.failed].map(NumberText.count)
        }
        return Chart(
            id: "time", title: "Outcome over time", description: text, height: TimeChart.top + TimeChart.plot + 24,
            drawing: drawing,
            table: DataTable(columns: ["From (UTC), \(unit)", "Accepted", "Rejected", "Not judged"], rows: rows))
    }

    private var drawing: Markup {
        let (top, plot) = (TimeChart.top, TimeChart.plot)
        let bottom = top + plot
        let greatest = max(1, intervals.map(\.tally.total).max() ?? 1)
        var markup: Markup = """
            <line class="grid" x1="0" y1="\(top)" x2="100%" y2="\(top)"/>\
            <text class="note" x="0" y="\(top - 5)">\(NumberText.count(greatest)) in \(unit)</text>\
            <line class="axis" x1="0" y1="\(bottom)" x2="100%" y2="\(bottom)"/>
            """
        let slot = 10_000 / intervals.count
        for (index, interval) in intervals.enumerated() where interval.tally.total > 0 {
            let x = Percent(hundredths: index * slot).text
            let width = Percent(hundredths: slot * 84 / 100).text
            var y = bottom
            let rects: [Markup] = interval.tally.parts.filter { $0.count > 0 }.map { part in
                let height = max(1, Int((Double(part.count) / Double(greatest) * Double(plot)).rounded()))
                y -= height
                return "<rect class=\"\(part.fill)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"/>"
            }
            let tally = interval.tally
            markup += """
                <g><title>\(name(interval)): \(NumberText.count(tally.accepted)) accepted, \
                \(NumberText.count(tally.rejected)) rejected, \(NumberText.count(tally.failed)) not judged</title>\(rects)</g>
                """
        }
        guard let first = intervals.first, let last = intervals.last else { return markup }
        markup += "<text class=\"note\" x=\"0\" y=\"\(bottom + 18)\">\(name(first))</text>"
        if intervals.count > 1 {
            markup += """
                <text class="note" x="100%" y="\(bottom + 18)" text-anchor="end">\(name(last))</text>
                """
        }
        return markup
    }
}

extension TimeSeries {
    /// The range from the first to the last interval with records.
    fileprivate var range: ClosedRange<Int>? {
        let numbers = intervals.map(\.number)
        return numbers.first.flatMap { first in numbers.last.map { first...$0 } }
    }
}
