import ArgumentParser

/// The output of a replay.
struct ReplayOutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON verdict per record and line, in the order of the corpus.")
    var json = false

    @Flag(help: "Print the tables of the summary as CSV.")
    var csv = false

    @Flag(help: "Print the checks of each record that is rejected.")
    var rejected = false

    @Flag(help: "Print each record whose outcome differs under --against.")
    var changed = false

    @Flag(help: "Stop at the first record that cannot be read or judged.")
    var strict = false

    @Option(help: "Write the report, an HTML page that needs nothing else.", completion: .file(extensions: ["html"]))
    var report: String?

    @Flag(help: "Measure how long each record takes, for the report.")
    var measure = false

    func validate() throws {
        guard !json || !(rejected || changed) else {
            throw ValidationError("--rejected and --changed print text; with --json every verdict is printed")
        }
        guard !csv || !(json || rejected || changed) else {
            throw ValidationError("--csv prints the summary; --json, --rejected and --changed print records")
        }
        guard report != "-" else { throw ValidationError("--report takes a file; standard output is /dev/stdout") }
    }

    /// Whether the text or the report needs a summary.
    var needsSummary: Bool { !json || report != nil }
}
