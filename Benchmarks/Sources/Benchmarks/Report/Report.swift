import Foundation

/// All that a run has found.
struct Report: Sendable {
    let conditions: Conditions
    let sections: [SectionResult]

    /// Whether every target is reached.
    var isReached: Bool { sections.allSatisfy { $0.figures.allSatisfy(\.isReached) } }

    /// What is not as wanted, one line each.
    var shortcomings: [String] {
        sections.flatMap { section in
            section.figures.filter { !$0.isReached }.map { figure in
                "\(section.name): \(figure.subject) / \(figure.baseline): \(figure.ratioText), "
                    + "wanted \(figure.targetText), \(figure.standingText)"
            }
        }
    }

    /// Writes `benchmarks.md` and `benchmarks.svg`.
    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(MarkdownReport(report: self).text.utf8).write(to: folder.appendingPathComponent("benchmarks.md"))
        try Data(BarChart(report: self).text.utf8).write(to: folder.appendingPathComponent("benchmarks.svg"))
    }
}
