import ArgumentParser

/// Runs the third-party suites and the mutation tests, and prints the results.
@main
struct Trials: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trials", abstract: "Runs third-party suites, and changes evidence that is accepted.",
        subcommands: [SuitesCommand.self, MutateCommand.self, JudgeCommand.self])
}
