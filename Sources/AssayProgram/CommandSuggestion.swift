import ArgumentParser
import AssayCore

/// Reports unknown commands and suggests similar names. The argument parser would report them as unexpected arguments.
enum CommandSuggestion {
    /// Throws if the arguments name an unknown command at any level.
    static func check(_ arguments: [String], in root: any ParsableCommand.Type) throws(CommandFailure) {
        var command = root
        var path = root._commandName
        // `assay help NAME...` takes the names of commands too.
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return }
            guard let next = subcommands.first(where: { $0._commandName == argument }) else {
                let names = subcommands.map { $0._commandName }
                let nearest = Nearest.names(to: argument, among: names)
                throw CommandFailure(
                    .usage,
                    "\(path) has no command \"\(argument.prefix(60))\"; "
                        + (nearest.isEmpty
                            ? "it has \(names.joined(separator: ", "))"
                            : "did you mean \(nearest.joined(separator: " or "))?"))
            }
            command = next
            path += " \(argument)"
        }
    }
}
