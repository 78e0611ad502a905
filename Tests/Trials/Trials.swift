import ArgumentParser

/// Puts Assay to everything that is there to try it with, and prints what came of it.
@main
struct Trials: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trials", abstract: "Runs third-party suites.",
        subcommands: [SuitesCommand.self])
}
