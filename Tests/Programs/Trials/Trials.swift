import ArgumentParser

/// Puts Assay to everything that is there to try it with, and prints what came of it.
@main
struct Trials: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trials", abstract: "Runs third-party suites, and changes evidence that is accepted.",
        subcommands: [SuitesCommand.self, MutateCommand.self, JudgeCommand.self])
}
