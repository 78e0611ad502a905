import ArgumentParser

/// `assay challenge`: commands for challenges.
struct ChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Issues single-use challenges.", subcommands: [ChallengeIssueCommand.self])
}
