import ArgumentParser

/// `assay mint approov`: mints Approov tokens.
struct MintApproovCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approov",
        abstract: "Makes an example Approov token under a secret of yours.",
        discussion: """
            Without a subcommand it makes a token, with the options that `assay mint approov token --help` lists:

              assay mint approov --new-secret secret.b64
              assay mint approov --secret file:secret.b64 --bind "Bearer TOKEN"
            """,
        subcommands: [MintApproovTokenCommand.self],
        defaultSubcommand: MintApproovTokenCommand.self)
}
