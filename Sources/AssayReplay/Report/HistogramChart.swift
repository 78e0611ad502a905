/// A histogram with a logarithmic scale.
struct HistogramChart {
    private static let slots = 40
    /// Where the bars begin and end. Above is a line of text.
    private static let (top, plot) = (18, 108)

    let id: String
    let title: String
    let histogram: LogHistogram
    let text: (Int) -> String

    /// Value range and count of each bar. Merges neighbouring intervals until they fit.
    private var bars: [(values: Range<Int>, count: Int)] {
        let indices = histogram.intervals.map { LogHistogram.index(of: $0.values.lowerBound) }
        guard let first = indices.first, let last = indices.last else { return [] }
        var width = 1
        while last / width - first / width >= HistogramChart.slots { width *= 2 }
        var counts = Array(repeating: 0, count: last / width - first / width + 1)
        for (index, interval) in zip(indices, histogram.intervals) {
            counts[index / width - first / width] += interval.count
        }
        return counts.enumerated().map { offset, count in
            let index = (first / width + offset) * width
            let end = LogHistogram.values(at: index + width - 1).upperBound
            return (LogHistogram.values(at: index).lowerBound..<end, count)
        }
    }

    /// The value, if there is only one.
    private var only: Int? {
        guard histogram.negative == 0, let first = histogram.intervals.first, histogram.intervals.count == 1,
            first.values.count == 1
        else { return nil }
        return first.values.lowerBound
    }

    /// Percentiles and the maximum in a sentence.
    private var sentence: String {
        if histogram.count == 1 {
            return "The only value is \(histogram.greatest.map { text($0) } ?? "less than zero")."
        }
        if let only { return "All \(NumberText.count(histogram.count, "value")) are \(text(only))." }
        let shares = [(500, "half are"), (900, "90% are"), (990, "99% are")]
        var parts = shares.compactMap { share, name in
            histogram.percentile(permille: share).map { "\(name) at most \(text($0))" }
        }
        if let greatest = histogram.greatest { parts.append("the greatest is \(text(greatest))") }
        let count = NumberText.count(histogram.count, "value")
        let future =
            histogram.negative > 0
            ? "; \(NumberText.count(histogram.negative)) \(histogram.negative == 1 ? "is" : "are") less than zero" : ""
        return "Of \(count), " + parts.joined(separator: ", ") + future + "."
    }

    var markup: Markup {
        guard only == nil else { return "<div class=\"cell\"><h3>\(title)</h3><p>\(sentence)</p></div>\n" }
        let bars = bars
        let greatest = max(1, bars.map(\.count).max() ?? 1)
        let slot = 10_000 / max(1, bars.count)
        var drawing: Markup = """
            <text class="note" x="0" y="12">highest bar: \(NumberText.count(greatest, "record"))</text>\
            <line class="axis" x1="0" y1="\(HistogramChart.plot)" x2="100%" y2="\(HistogramChart.plot)"/>
            """
        for (index, bar) in bars.enumerated() where bar.count > 0 {
            let height = max(
                1,
                Int((Double(bar.count) / Double(greatest) * Double(HistogramChart.plot - HistogramChart.top)).rounded())
            )
            drawing += """
                <rect class="plain" x="\(Percent(hundredths: index * slot).text)" y="\(HistogramChart.plot - height)" \
                width="\(Percent(hundredths: slot * 88 / 100).text)" height="\(height)"><title>\(range(bar.values)): \
                \(NumberText.count(bar.count))</title></rect>
                """
        }
        if let first = bars.first, let last = bars.last {
            let y = HistogramChart.plot + 16
            drawing += "<text class=\"note\" x=\"0\" y=\"\(y)\">\(text(first.values.lowerBound))</text>"
            drawing += """
                <text class="note" x="100%" y="\(y)" text-anchor="end">\
                \(text(min(last.values.upperBound - 1, histogram.greatest ?? .max)))</text>
                """
            if bars.count > 8 {
                let middle = bars.count / 2
                drawing += """
                    <text class="note" x="\(Percent(hundredths: middle * slot).text)" y="\(y)">\
                    \(text(bars[middle].values.lowerBound))</text>
                    """
            }
        }
        let table = DataTable(
            columns: ["Value", "Records"],
            rows: bars.filter { $0.count > 0 }.map { [range($0.values), NumberText.count($0.count)] })
        let chart = Chart(
            id: id, title: title, description: sentence, height: HistogramChart.plot + 22, drawing: drawing,
            table: table)
        return "<div class=\"cell\"><h3>\(title)</h3><p>\(sentence)</p>\(chart.markup)</div>\n"
    }

    private func range(_ values: Range<Int>) -> String {
        values.count == 1 ? text(values.lowerBound) : "\(text(values.lowerBound)) to \(text(values.upperBound - 1))"
    }
}
