import ArgumentParser
import Assay

/// `assay ledger`: reads the ledger, and blocks and allows subjects.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Shows, checks and exports the ledger; blocks and allows keys, devices, accounts and issuers.",
        subcommands: [
            LedgerShowCommand.self, LedgerBlockCommand.self, LedgerUnblockCommand.self, LedgerAllowCommand.self,
            LedgerMoveCommand.self, LedgerCheckCommand.self, LedgerExportCommand.self, LedgerQuarantineCommand.self,
            LedgerCreateCommand.self,
        ])
}

/// The ledger that a command uses.
struct LedgerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.durableForm). Without it the user's own.", valueName: "url"),
        transform: LedgerOptions.durable)
    var ledger: LedgerURL?

    /// The given URL, or the user's standard ledger.
    var url: LedgerURL { ledger ?? .standard() }

    static func durable(_ text: String) throws -> LedgerURL {
        let url = try LedgerURL(text)
        guard url != .memory else {
            throw ValidationError(
                "memory: holds nothing yet and keeps nothing; name a ledger with \(LedgerURL.durableForm)")
        }
        return url
    }
}

/// Whether a command may create a ledger.
struct CreateLedgerOption: ParsableArguments {
    @Flag(help: "Create the ledger if it does not exist; otherwise a missing ledger is an outage.")
    var createLedger = false
}
