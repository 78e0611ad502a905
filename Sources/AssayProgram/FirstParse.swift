import ArgumentParser

/// Parses the arguments with their command alone, because a parse with the tree of all commands takes longer than the verification
/// of a record.
///
/// A command that this parse accepts is the one that the whole tree would parse: the groups of commands have no options of their own.
enum FirstParse {
    /// Whether this parse is under way. Texts of help are left out then, and the options of engines for raw blobs.
    @TaskLocal static var isRunning = false

    /// The configuration of a command for this parse. Below a name, ArgumentParser does not search the arguments for
    /// `--generate-completion-script` first, which would take as long as the parse: with that option, the whole tree is needed.
    static func configuration(_ name: String) -> CommandConfiguration {
        CommandConfiguration(commandName: name, _superCommandName: "assay")
    }

    /// The command in the arguments; nil if they need the whole tree: for help, for an error, and for options that are left out.
    static func command(
        in arguments: [String], of root: any ParsableCommand.Type
    ) -> (any ParsableCommand)? {
        // The option of a raw blob's kind comes with options that are left out, and `---completion` is for the shell.
        guard !arguments.contains(where: { $0.hasPrefix("--kind") || $0.hasPrefix("---") }) else { return nil }
        return $isRunning.withValue(true) {
            var type = root
            var rest = arguments[...]
            while case let subcommands = type.configuration.subcommands, !subcommands.isEmpty {
                guard let name = rest.popFirst(), let next = subcommands.first(where: { $0._commandName == name })
                else { return nil }
                type = next
            }
            guard let command = try? type.parseAsRoot(Array(rest)), Swift.type(of: command) == type else { return nil }
            return command
        }
    }
}
