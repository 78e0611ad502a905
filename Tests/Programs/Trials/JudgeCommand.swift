import ArgumentParser
import AssayTrials

/// Judges the records that a mutation run wrote to a file.
struct JudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge", abstract: "Judges a file of records that `mutate` wrote, in their order.")

    @Argument(help: "The file.")
    var file: String
    @Option(help: "The policy of the vector.")
    var policy: String
    @Option(help: "How much of the policy holds: bare, written or full.")
    var variant: String

    func run() async throws {
        guard let verdicts = try await MutantFile(path: file).verdicts(policy: policy, variant: variant) else {
            throw ValidationError("--variant is bare, written or full")
        }
        for verdict in verdicts { print(verdict) }
    }
}
