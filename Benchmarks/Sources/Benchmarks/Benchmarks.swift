import ArgumentParser
import Foundation

/// Measures ratios to bare operations and to peers in the same run.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measures ratios to bare operations and to peers. Exits with 1 when a target is not reached.",
        discussion: "Sections:\n" + Sections.all.map { "  \($0.name): \($0.title)" }.joined(separator: "\n"))

    @Argument(help: "The sections to run; all without any.")
    var sections: [String] = []

    @Flag(help: "Few and short rounds: a look whether all works. The figures are rough.")
    var quick = false

    @Option(help: "The folder in which benchmarks.md and benchmarks.svg are written.")
    var output: String?

    func validate() throws {
        let names = Sections.all.map(\.name)
        for section in sections where !names.contains(section) {
            throw ValidationError("There is no section \"\(section)\": \(names.joined(separator: ", ")).")
        }
        if output != nil && (quick || !sections.isEmpty) {
            throw ValidationError("A report is of all sections, measured in full.")
        }
    }

    func run() async throws {
        if try await CounterWorker.serve() { return }
        let pace = quick ? Pace.quick : .full
        let conditions = Conditions(package: Places.package, peers: try await PeerProcess().versions())
        for entry in conditions.entries { say("\(entry.name): \(entry.value)") }
        var results: [SectionResult] = []
        for section in Sections.all where sections.isEmpty || sections.contains(section.name) {
            let result = SectionResult(
                name: section.name, title: section.title, note: section.note,
                figures: try await section.figures(pace))
            say(TextReport(result: result).text)
            results.append(result)
        }
        let report = Report(conditions: conditions, sections: results)
        if let output { try report.write(to: URL(fileURLWithPath: output)) }
        for shortcoming in report.shortcomings { say(shortcoming) }
        if report.isReached { say("every target is reached") } else { throw ExitCode(1) }
    }

    /// At once, even into a pipe: a run takes minutes.
    private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
