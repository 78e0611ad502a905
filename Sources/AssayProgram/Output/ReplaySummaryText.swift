import AssayReplay

/// The summary of a replay as text: outcomes, reasons with examples, and changes under a second policy.
struct ReplaySummaryText {
    /// The most reasons and flows listed.
    private static let listed = 20
    private static let listedValues = 5

    let summary: ReplaySummary
    let terminal: Terminal
    /// The name of the second policy.
    let against: String

    /// The lines, the outcomes first.
    var lines: [String] {
        var lines = [terminal.colour(summary.sentence, .bold)]
        if let first = summary.first, let last = summary.last { lines.append("from \(first) to \(last)") }
        lines += warnings + reasons + failures + noted + comparison
        return lines
    }

    private var warnings: [String] {
        var lines: [String] = []
        if let ending = summary.ending {
            lines.append(terminal.colour("incomplete: \(terminal.printable(ending))", .red))
        }
        if summary.mismatches > 0 {
            let text = "\(NumberText.count(summary.mismatches, "record")) had another verdict than expected"
            lines.append(terminal.colour(text, .red))
        }
        if let tests = summary.testAuthorityCount {
            lines.append(terminal.colour("\(NumberText.count(tests, "record")) on a test authority", .yellow))
        }
        return lines + summary.notes.map { "\(terminal.printable($0.text)): \(NumberText.count($0.count))" }
    }

    private var reasons: [String] {
        let failing = summary.checkTallies.filter { $0.tally.first > 0 }
        let examples = summary.examples
        return section(
            "first failed check",
            failing.map { check, tally in
                Item(
                    name: check, count: tally.first, share: NumberText.percent(tally.first, of: summary.outcomes.total),
                    example: examples[check].map { example($0, $0.detail) })
            },
            hint: failing.first.map { "see `assay explain \($0.check)`" })
    }

    private var failures: [String] {
        let examples = summary.examples
        return section(
            "not judged",
            summary.failureCounts.map { code, count in
                Item(
                    name: code, count: count, share: NumberText.percent(count, of: summary.outcomes.total),
                    example: examples[code].map { example($0, $0.detail) })
            })
    }

    private var noted: [String] {
        section(
            "failed, and only noted",
            summary.checkTallies.filter { $0.tally.annotated > 0 }.sorted { $1.tally.annotated < $0.tally.annotated }
                .map { Item(name: $0.check, count: $0.tally.annotated, share: "", example: nil) })
    }

    private var comparison: [String] {
        guard summary.isComparison else { return [] }
        let answer = ReplayAnswer(summary, against: against)
        let sentences = [answer.sentence, answer.reason].compactMap { $0 } + answer.remarks
        var lines = [
            "", terminal.colour("under \(terminal.printable(against)): \(summary.sentenceAgainst)", .bold),
        ]
        lines += terminal.wrapped(terminal.printable(sentences.joined(separator: " ")), indent: 0)
        lines += section(
            "outcome differs, by cause",
            summary.changes.causes.map { cause in
                let origin = cause.tally.origin.isEmpty ? "" : ", from \(cause.tally.origin)"
                let consequences = cause.tally.consequences
                let share =
                    (cause.isLoss ? "no longer accepted" : "newly accepted") + origin
                    + (consequences == 0 ? "" : ", \(NumberText.count(consequences)) as a consequence")
                return Item(name: cause.check, count: cause.tally.records, share: share, example: nil)
            })
        // Skip a field with the same value in all records.
        for breakdown in summary.breakdowns where breakdown.values.count > 1 {
            let items = breakdown.changedValues.map { value, tally in
                let share =
                    "\(NumberText.percent(tally.changed, of: tally.total)) of \(NumberText.count(tally.total, "record"))"
                return Item(name: value, count: tally.changed, share: share, example: nil)
            }
            lines += section(
                "outcome differs, by \(breakdown.title)", items, limit: ReplaySummaryText.listedValues)
        }
        return lines
    }

    /// A line of a section.
    private struct Item {
        let name: String
        let count: Int
        let share: String
        let example: String?
    }

    private func example(_ row: ReplayRow, _ detail: String?) -> String {
        "for example \(row.name)" + (detail.map { ": \($0)" } ?? "")
    }

    private func section(
        _ title: String, _ items: [Item], limit: Int = ReplaySummaryText.listed, hint: String? = nil
    ) -> [String] {
        guard !items.isEmpty else { return [] }
        var lines = ["", terminal.colour(terminal.printable(title), .bold)]
        let shown = items.prefix(limit)
        let width = shown.map { NumberText.count($0.count).utf8.count }.max() ?? 0
        for item in shown {
            let count = NumberText.count(item.count)
            let space = String(repeating: " ", count: width - count.utf8.count)
            let share = item.share.isEmpty ? "" : "  " + terminal.colour(item.share, .faint)
            lines.append("  \(space)\(count)  \(terminal.printable(item.name))\(share)")
            guard let example = item.example else { continue }
            lines += terminal.wrapped(terminal.printable(example), indent: width + 6)
        }
        let rest = items.count - shown.count
        if rest > 0 { lines.append("  and \(NumberText.count(rest)) more") }
        if let hint { lines.append(terminal.colour("  hint: \(hint)", .faint)) }
        return lines
    }
}
