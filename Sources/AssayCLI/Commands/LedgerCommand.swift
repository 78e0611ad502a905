import ArgumentParser
import Assay

/// `assay ledger`: looks into the ledger, and blocks subjects.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Shows, checks and exports the ledger; blocks keys, devices and accounts.",
        subcommands: [
            LedgerShowCommand.self, LedgerBlockCommand.self, LedgerAllowCommand.self, LedgerCheckCommand.self,
            LedgerExportCommand.self,
        ])
}

/// Which ledger a command is about.
struct LedgerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The ledger: sqlite:PATH. Without it the user's own.", valueName: "url"),
        transform: LedgerOptions.durable)
    var ledger: LedgerURL?

    /// The ledger that is named, or the user's own.
    var url: LedgerURL { ledger ?? .standard() }

    private static func durable(_ text: String) throws -> LedgerURL {
        let url = try LedgerURL(text)
        guard url != .memory else {
            throw ValidationError("memory: holds nothing yet and keeps nothing; name a ledger with sqlite:PATH")
        }
        return url
    }
}

/// Whether a command may begin a ledger.
struct CreateLedgerOption: ParsableArguments {
    @Flag(help: "Begin the ledger when there is none. Without it that is an outage.")
    var createLedger = false
}

/// Whom a block is about.
struct SubjectOptions: ParsableArguments {
    @Option(
        name: .customLong("key-id"), help: ArgumentHelp("A key ID, base64 of either alphabet.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyID: [UInt8]?

    @Option(help: ArgumentHelp("A device ID.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("An account of the backend's own.", valueName: "name"))
    var account: String?

    func validate() throws {
        let given = [keyID != nil, device != nil, account != nil].filter { $0 }.count
        guard given == 1 else { throw ValidationError("exactly one of --key-id, --device and --account is needed") }
        guard device != "", account != "" else { throw ValidationError("a device or an account has a name") }
    }

    /// The subject.
    var subject: LedgerSubject {
        if let keyID { return KeyIdentifier.appAttest(keyID).subject }
        if let device { return LedgerSubject(.device, device) }
        return LedgerSubject(.account, account ?? "")
    }

    /// The 32 bytes of a key ID.
    static func keyID(_ text: String) throws -> [UInt8] {
        let bytes = try ValueArgument.base64(text)
        guard bytes.count == 32 else { throw ValidationError("a key ID has 32 bytes, found \(bytes.count)") }
        return bytes
    }
}
