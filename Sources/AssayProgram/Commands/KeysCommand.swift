import ArgumentParser

/// `assay keys`: the key store.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Adds, imports, lists, retires and removes keys of the key store.",
        discussion: """
            The key store is in the file of a ledger. Each key is sealed there with AES-256-GCM under a master key, \
            which must be kept elsewhere. This command creates one: (umask 077; openssl rand -base64 32 >master.key)

            Several keys of an app may be live at once. To rotate a key, add the new one, and retire the old one when its \
            last evidence has arrived. Processes that have the store open use a change within a second.
            """,
        subcommands: [
            KeysAddCommand.self, KeysImportCommand.self, KeysListCommand.self, KeysRetireCommand.self,
            KeysRemoveCommand.self,
        ])
}
