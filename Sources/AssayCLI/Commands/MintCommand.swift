import ArgumentParser

/// `assay mint`: makes test evidence.
struct MintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint",
        abstract: "Makes test evidence from a test authority, never from a real one.",
        subcommands: [MintAppAttestCommand.self])
}
