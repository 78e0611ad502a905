import ArgumentParser
import AssayMinting

/// `assay mint`: makes test evidence.
struct MintCommand: ParsableCommand {
    private static let own: [any ParsableCommand.Type] = [
        MintApproovCommand.self, MintCorpusCommand.self, MintVectorsCommand.self,
    ]

    static var configuration: CommandConfiguration {
        // `assay mint ENGINE` stands for `assay mint vectors ENGINE`, unless it is a command of its own.
        let sets = VectorSets.all.map { MintVectorsCommand.command(for: $0) }
            .filter { set in !own.contains { $0._commandName == set._commandName } }
        return CommandConfiguration(
            commandName: "mint",
            abstract: "Makes test evidence from a test authority or test keys, never from real ones.",
            subcommands: sets + own)
    }
}
