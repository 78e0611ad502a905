import ArgumentParser

struct MintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint",
        abstract: "Makes test evidence from a test authority or test keys, never from real ones.",
        subcommands: [
            MintAppAttestCommand.self, MintPlayIntegrityCommand.self, MintAndroidKeyCommand.self,
            MintApproovCommand.self, MintCorpusCommand.self,
        ])
}
