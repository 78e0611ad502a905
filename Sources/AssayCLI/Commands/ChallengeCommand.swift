import ArgumentParser

/// `assay challenge`: what has to do with challenges.
struct ChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Issues single-use challenges.", subcommands: [ChallengeIssueCommand.self])
}
