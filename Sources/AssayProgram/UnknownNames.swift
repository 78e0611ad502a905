import ArgumentParser
import AssayCore
import AssayService
import Foundation

/// Reports unknown commands and suggests similar names. The argument parser would report them as unexpected arguments.
enum CommandSuggestion {
    static func check(_ arguments: [String], in root: any ParsableCommand.Type) throws(CommandFailure) {
        var command = root
        var path = root._commandName
        // `assay help NAME...` takes the names of commands too.
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return }
            guard let next = subcommands.first(where: { $0._commandName == argument }) else {
                let names = subcommands.map { $0._commandName }
                let advice = Nearest.advice(for: argument, among: names)
                throw CommandFailure(
                    .usage,
                    "\(path) has no command \"\(argument.prefix(60))\""
                        + (advice.isEmpty ? "; it has \(names.joined(separator: ", "))" : advice))
            }
            command = next
            path += " \(argument)"
        }
    }
}

/// Finds unknown options. The argument parser checks for them last: for a mistyped required option it reports a
/// missing one.
struct UnknownOption {
    /// The needed fields of the argument parser's JSON help (`_dumpHelp`).
    private struct Tool: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?

        func option(_ name: String) -> Argument? {
            arguments?.first { $0.names?.contains { $0.name == name } == true }
        }
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            let name: String
        }

        let kind: String
        let names: [Name]?
        let parsingStrategy: String?

        /// Whether the next argument is the option's value, even if it looks like an option.
        var takesAnything: Bool { kind == "option" && parsingStrategy == "unconditional" }
    }

    /// The error message.
    let message: String

    /// The first unknown option among the arguments; nil if there is none.
    init?(among arguments: [String], of root: any ParsableCommand.Type) {
        let description = Data(root._dumpHelp().utf8)
        guard var command = try? JSONDecoder().decode(Tool.self, from: description).command else { return nil }
        var path = root._commandName
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
            } else if let next = command.subcommands?.first(where: { $0.commandName == argument }) {
                command = next
                path += " \(argument)"
            } else if argument == "--" || path == root._commandName {
                // Options before a command belong to the parser, such as the one for completions. Its help omits them.
                return nil
            } else if argument.hasPrefix("--") {
                let name = String(argument.dropFirst(2).prefix { $0 != "=" })
                guard let option = command.option(name) else {
                    let known = command.arguments?.flatMap { $0.names ?? [] }.map(\.name).filter { $0.count > 1 } ?? []
                    let nearest = Nearest.names(to: name, among: known).map { "--\($0)" }
                    let advice =
                        if path.hasSuffix(" serve"), ServiceKey.all.contains(where: { $0.path == name }) {
                            "; it is a key of the configuration: --set \(name)=VALUE"
                        } else {
                            nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: " or "))?"
                        }
                    message = "\(path) has no option --\(name.prefix(60))\(advice)"
                    return
                }
                isValue = option.takesAnything && !argument.contains("=")
            }
        }
        return nil
    }
}
