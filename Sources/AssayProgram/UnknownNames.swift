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
                let below = Array(paths(to: argument, below: command).prefix(5))
                let advice =
                    below.isEmpty
                    ? Nearest.advice(for: argument, among: names) : "; did you mean \(below.joined(separator: " or "))?"
                throw CommandFailure(
                    .usage,
                    "\(path) has no command \"\(argument.prefix(60))\""
                        + (advice.isEmpty ? "; it has \(names.joined(separator: ", "))" : advice))
            }
            command = next
            path += " \(argument)"
        }
    }

    /// The paths of the commands of a name, such as `policy init`.
    private static func paths(to name: String, below command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.flatMap { next in
            (next._commandName == name ? [name] : [])
                + paths(to: name, below: next).map { "\(next._commandName) \($0)" }
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

        var takesArguments: Bool { arguments?.contains { $0.kind == "positional" } == true }

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
        var previous = ""
        for argument in arguments {
            if isValue {
                isValue = false
            } else if let next = command.subcommands?.first(where: { $0.commandName == argument }) {
                command = next
                path += " \(argument)"
            } else if argument == "--" {
                return nil
            } else if path == root._commandName {
                guard let advice = Self.advice(onOptionOfRoot: argument) else { return nil }
                message = "\(path) has no option \(argument.prefix { $0 != "=" }.prefix(60))\(advice)"
                return
            } else if argument.hasPrefix("--") {
                let name = String(argument.dropFirst(2).prefix { $0 != "=" })
                guard let option = command.option(name) else {
                    let known = command.arguments?.flatMap { $0.names ?? [] }.map(\.name).filter { $0.count > 1 } ?? []
                    let advice =
                        if path.hasSuffix(" serve"), ServiceKey.all.contains(where: { $0.path == name }) {
                            "; it is a key of the configuration: --set \(name)=VALUE"
                        } else {
                            Self.advice(Nearest.names(to: name, among: known))
                        }
                    message = "\(path) has no option --\(name.prefix(60))\(advice)"
                    return
                }
                isValue = option.takesAnything && !argument.contains("=")
            } else if argument.hasPrefix("-"), argument != "-", argument != "-h", command.takesArguments,
                !previous.hasPrefix("--")
            {
                // Such as a key ID in base64url.
                message =
                    "\(path) has no option \(argument.prefix(60)); a value that begins with a hyphen comes behind --"
                return
            }
            previous = argument
        }
        return nil
    }

    private static func advice(_ nearest: [String]) -> String {
        nearest.isEmpty ? "" : "; did you mean \(nearest.map { "--\($0)" }.joined(separator: " or "))?"
    }

    /// A suggestion for an option before any command; nil for an option of the parser that its help omits, and for other words.
    private static func advice(onOptionOfRoot argument: String) -> String? {
        let name = String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
        guard argument.hasPrefix("-"), !name.isEmpty,
            !["generate-completion-script", "experimental-dump-help"].contains(name)
        else { return nil }
        // -v and -V are the version in many programs.
        guard argument.hasPrefix("--") else { return name.lowercased() == "v" ? "; did you mean --version?" : "" }
        return advice(Nearest.names(to: name, among: ["help", "help-all", "version"]))
    }
}
