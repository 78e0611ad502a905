import ArgumentParser
import Foundation

/// The command line.
@main
struct AssayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assay",
        abstract: "Tells whether a request comes from a genuine app on a genuine device.",
        discussion: """
            Exit status: 0 all accepted, 1 at least one rejected, 2 evidence or policy that cannot be read, 3 an \
            outage of the ledger, the key store or Google, 64 bad arguments, 74 the output cannot be written.

            Shell completions: assay --generate-completion-script bash (or zsh, fish) prints a script to be installed \
            where the shell looks for it.
            """,
        version: "0.1.0",
        subcommands: [
            VerifyCommand.self, InspectCommand.self, ReplayCommand.self, CaptureCommand.self,
            ExplainCommand.self, KeysCommand.self, ChallengeCommand.self, LedgerCommand.self, MintCommand.self,
        ])

    /// Runs the command that the arguments name, with the exit statuses of this program.
    static func main() async {
        // A limit on the size of files is an error of writing like a full disk, and no reason to end half-way.
        signal(SIGXFSZ, SIG_IGN)
        do {
            do {
                try await run(Array(ProcessInfo.processInfo.arguments.dropFirst()))
            } catch  where !(error is CommandFailure) && exitCode(for: error).isSuccess {
                // Help, which the argument parser would print without a look at whether it can be.
                try Console.print(fullMessage(for: error))
            }
        } catch let failure as CommandFailure {
            if let message = failure.message { Console.complain("error: \(message)") }
            Foundation.exit(failure.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        try CommandSuggestion.check(arguments, in: AssayCommand.self)
        var command: any ParsableCommand
        do {
            command = try await asyncParseAsRoot(arguments)
        } catch  where !exitCode(for: error).isSuccess {
            if let unknown = UnknownOption(among: arguments, of: AssayCommand.self) {
                throw CommandFailure(.usage, unknown.message)
            }
            throw error
        }
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}
