package import ArgumentParser
package import Assay
import AssayCore
import Foundation

/// The program `assay`.
@main
package struct AssayCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "assay",
        abstract: "Verifies that requests come from a genuine app on a genuine device.",
        discussion: """
            Exit status: 0 all accepted, 1 at least one rejected, 2 evidence or policy that cannot be read, 3 an \
            outage of the ledger, the key store or Google, 4 settings of a ledger to correct, 64 bad arguments, 74 the output cannot be written.

            Begin with `assay dev`, or with `assay policy init`.
            """,
        version: AssayRelease.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Evidence",
                subcommands: [
                    VerifyCommand.self, InspectCommand.self, ReplayCommand.self, CaptureCommand.self,
                    ExplainCommand.self,
                ]),
            CommandGroup(
                name: "Policy and secrets",
                subcommands: [
                    PolicyCommand.self, KeysCommand.self, ChallengeCommand.self, TokensCommand.self, ProofCommand.self,
                    PinsCommand.self, SecretsCommand.self,
                ]),
            CommandGroup(
                name: "Ledger",
                subcommands: [
                    LedgerCommand.self, BuildsCommand.self, ReceiptsCommand.self, DeviceCheckCommand.self,
                    PlayIntegrityCommand.self, OperatorsCommand.self, AuditCommand.self, MigrateCommand.self,
                ]),
            CommandGroup(
                name: "Service",
                subcommands: [ServeCommand.self, HealthcheckCommand.self, RecentCommand.self, RemoteCommand.self]),
            CommandGroup(name: "Test", subcommands: [DevCommand.self, MintCommand.self]),
            CommandGroup(name: "Program", subcommands: [VersionCommand.self, CompletionCommand.self]),
        ])

    package init() {}

    /// Runs the command in the process's arguments, and exits with an ``ExitStatus``.
    package static func main() async {
        // An exceeded file size limit must be a write error, like a full disk, and must not kill the process with
        // SIGXFSZ.
        signal(SIGXFSZ, SIG_IGN)
        let status = await status(of: Array(ProcessInfo.processInfo.arguments.dropFirst()))
        Foundation.exit(status)
    }

    /// Runs the command in `arguments`, prints its error, and returns the exit status.
    package static func status(of arguments: [String]) async -> Int32 {
        do {
            do {
                try await run(arguments)
            } catch  where !(error is CommandFailure) && exitCode(for: error).isSuccess {
                // Help. Print it here, because the argument parser ignores write errors.
                let text = fullMessage(for: error, columns: HelpText.unlimited)
                try Console.print(HelpText(text, arguments: arguments)?.text ?? text)
            }
            return ExitStatus.success.rawValue
        } catch let failure as CommandFailure {
            if let message = failure.message { Console.complain("error: \(message)") }
            return failure.status.rawValue
        } catch {
            let message = fullMessage(for: error)
            if !message.isEmpty { Console.show(ParserMessage.text(message, arguments: arguments) + "\n") }
            return exitCode(for: error).rawValue
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments != ["--version"] else { return try Console.print(configuration.version) }
        let arguments = CompletionScript.asCommand(arguments).map { $0 == HelpText.all ? "--help" : $0 }
        if let command = FirstParse.command(in: arguments, of: AssayCommand.self) { return try await run(command) }
        do throws(CommandFailure) { try CommandSuggestion.check(arguments, in: AssayCommand.self) } catch {
            throw CommandFailure(error.status, ParserMessage.hidingURLs(error.message ?? "", arguments))
        }
        let command: any ParsableCommand
        do {
            command = try await asyncParseAsRoot(arguments)
        } catch  where !exitCode(for: error).isSuccess {
            if let unknown = UnknownOption(among: arguments, of: AssayCommand.self) {
                throw CommandFailure(.usage, ParserMessage.hidingURLs(unknown.message, arguments))
            }
            throw error
        }
        try await run(command)
    }

    private static func run(_ command: any ParsableCommand) async throws {
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            var command = command
            try command.run()
        }
    }
}

/// Rewords the argument parser's messages in the style of the program.
private enum ParserMessage {
    /// Replaces URLs in a message by their scheme, because they may contain a password and the argument parser repeats
    /// wrong arguments.
    static func hidingURLs(_ message: String, _ arguments: [String]) -> String {
        let values = arguments.flatMap { argument in
            [argument] + (argument.firstIndex(of: "=").map { [String(argument[argument.index(after: $0)...])] } ?? [])
        }
        // The longest first: one argument may be part of another.
        return values.sorted { $0.utf8.count > $1.utf8.count }.reduce(message) { text, value in
            LedgerURL.shown(value).map { text.replacing(value, with: $0) } ?? text
        }
    }

    /// The message with `error:` in lower case, with a suggestion for a wrong value, and without URLs.
    static func text(_ message: String, arguments: [String]) -> String {
        var text = hidingURLs(message, arguments)
        if text.hasPrefix("Error: ") { text = "error: " + text.dropFirst("Error: ".count) }
        guard let typed = text.firstMatch(of: #/The value '([^']*)' is invalid for [^\n]*?(\. )Please provide one of/#)
        else {
            return text
        }
        let help = text[typed.range.upperBound...]
        let allowed = help.matches(of: #/(?m)^ +- (\S+)$|'([^']+)'/#)
        let names = allowed.compactMap { ($0.output.1 ?? $0.output.2).map(String.init) }
        let advice = Nearest.advice(for: String(typed.output.1), among: names)
        guard !advice.isEmpty else { return text }
        return text.replacingCharacters(in: typed.output.2.startIndex..<typed.output.2.endIndex, with: "\(advice) ")
    }
}

extension EngineRegistry {
    /// The engines of the commands. Task-local: tests add an engine, and static option declarations take no arguments.
    @TaskLocal package static var current = EngineRegistry.standard
}
