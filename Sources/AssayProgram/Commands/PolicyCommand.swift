import ArgumentParser

/// `assay policy`: checks, shows and writes policies, and brings them into force.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract:
            "Checks a policy for errors and weak settings, shows what is in force, writes a new one, or has a service read it again.",
        subcommands: [
            PolicyCheckCommand.self, PolicyShowCommand.self, PolicyInitCommand.self, PolicyReloadCommand.self,
        ])
}
