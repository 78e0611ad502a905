/// A report as a page of Markdown.
struct MarkdownReport {
    let report: Report

    /// The whole page.
    var text: String {
        let missed = report.shortcomings
        var lines = [
            "# Benchmarks", "",
            "Written by `make bench`. A ratio says how many times as much ours gets done as what it is held against, in the",
            "same run, by turns: the median of the rounds, and the lowest and the highest. Times are information: they depend",
            "on the machine.", "", "![Ratios as bars](benchmarks.svg)", "", "| condition | |", "|---|---|",
        ]
        lines += report.conditions.entries.map { "| \(escaped($0.name)) | \(escaped($0.value)) |" }
        lines += ["", missed.isEmpty ? "Every target is reached." : "Targets that are not reached: \(missed.count)."]
        for section in report.sections { lines += page(section) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func page(_ section: SectionResult) -> [String] {
        let hasPeers = section.figures.contains { !$0.leavesOut.isEmpty }
        var lines = ["", "## \(section.title)", "", section.note, "", "`make bench SECTIONS=\(section.name)`", ""]
        lines += ["| ours | against | ratio | target | | information |" + (hasPeers ? " it leaves out |" : "")]
        lines += ["|---|---|---|---|---|---|" + (hasPeers ? "---|" : "")]
        var told: Set<String> = []
        for figure in section.figures {
            var cells = [
                figure.subject, figure.baseline, figure.ratioText, figure.targetText, figure.standingText,
                figure.detailText,
            ]
            let text = figure.leavesOut
            if hasPeers {
                cells.append(text.isEmpty || told.insert(figure.baseline + text).inserted ? text : "see above")
            }
            lines.append("| " + cells.map(escaped).joined(separator: " | ") + " |")
        }
        return lines
    }

    private func escaped(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
