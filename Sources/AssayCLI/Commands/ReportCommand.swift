import ArgumentParser
import AssayReplay
import Foundation

/// `assay report`: one page of one or many summaries.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Merges summaries of replays into one report.",
        discussion: """
            SUMMARY is what `assay replay --summary FILE` wrote, several of them one per line, or with `summary` and a \
            tab before each, as mappers print them. The parts of a corpus, in any order, give the same bytes as the whole:

              assay report part-*.json --output report.html --summary whole.json

            The page needs no network and no other files. What it replaces stays until the new one is whole.

            Exit status: 0 written, 2 a summary that cannot be read, 64 bad arguments, 74 the output cannot be written.
            """)

    @Argument(help: "The summaries, and - for standard input.", completion: .file(extensions: ["json"]))
    var summaries: [String]

    @Option(help: "The page to write.", completion: .file(extensions: ["html"]))
    var output: String?

    @Option(help: "Write the merged summary here.", completion: .file(extensions: ["json"]))
    var summary: String?

    @Option(help: "The heading of the page.")
    var title = ReplayReport.Labels().title

    @Option(help: "What the page calls the policy.")
    var policy = ReplayReport.Labels().policy

    @Option(help: "What the page calls the policy that it is compared with.")
    var against = ReplayReport.Labels().against

    func validate() throws {
        guard output != nil || summary != nil else {
            throw ValidationError("there is nothing to write; give --output FILE.html, --summary FILE.json or both")
        }
        guard summaries.filter({ $0 == "-" }).count <= 1 else {
            throw ValidationError("standard input can be read once")
        }
        guard output != "-", summary != "-" else { throw ValidationError("standard output is /dev/stdout") }
    }

    func run() throws {
        var merged = ReplaySummary()
        for path in summaries { try SummaryFile.read(path).forEach { merged.merge($0) } }
        do throws(ReportFile.Failure) {
            if let summary { try ReportFile.write(merged.json() + "\n", to: summary) }
            if let output {
                let labels = ReplayReport.Labels(title: title, policy: policy, against: against)
                try ReportFile.write(ReplayReport(merged, labels: labels).html(), to: output)
            }
        } catch {
            throw CommandFailure(.output, error.description)
        }
        try Console.print(merged.sentence)
    }
}
