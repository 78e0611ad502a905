import ArgumentParser
import Foundation

/// What a replay writes, and how its input is numbered.
struct ReplayOutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON verdict per record and line, in the order of the corpus.")
    var json = false

    @Flag(help: "Print the checks of each record that is rejected.")
    var rejected = false

    @Flag(help: "Print each record that changes sides under --against.")
    var changed = false

    @Flag(help: "Stop at the first record that cannot be read or judged.")
    var strict = false

    @Option(help: "Write the report, an HTML page that needs nothing else.", completion: .file(extensions: ["html"]))
    var report: String?

    @Option(
        help: "Write the summary as JSON, for `assay report`; - appends it to numbered lines.",
        completion: .file(extensions: ["json"]))
    var summary: String?

    @Flag(help: "Measure how long each record takes, for the report.")
    var measure = false

    @Flag(help: "Each line is a number, a tab and a record; each line of output begins with the same number.")
    var numbered = false

    @Option(help: "What messages call standard input.")
    var name: String?

    func validate() throws {
        guard !json || !(rejected || changed) else {
            throw ValidationError("--rejected and --changed print text; with --json every verdict is printed")
        }
        guard summary != "-" || (numbered && json) else {
            throw ValidationError("--summary - goes with --numbered --json, as a last line `summary`, tab, object")
        }
        guard report != "-" else { throw ValidationError("--report takes a file; standard output is /dev/stdout") }
    }

    /// Whether anything needs a summary.
    var needsSummary: Bool { !json || summary != nil || report != nil }
}
