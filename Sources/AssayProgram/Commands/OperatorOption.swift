import ArgumentParser
import AssayCore
import Foundation

/// The operator who makes a manual change.
struct OperatorOption: ParsableArguments {
    @Option(
        name: .customLong("operator"),
        help: ArgumentHelp("Who makes the change, for the audit trail. (default: the login name)", valueName: "name"))
    var given: String?

    func validate() throws {
        guard let given else { return }
        if let objection = LedgerRules.objection(toAuthorName: given) {
            throw ValidationError("no operator can have this name: \(objection)")
        }
    }

    /// The given name, otherwise the login name, otherwise the user name.
    var name: String {
        if let given { return given }
        var buffer = [CChar](repeating: 0, count: 256)
        if getlogin_r(&buffer, buffer.count) == 0 {
            let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !name.isEmpty { return name }
        }
        let user = NSUserName()
        return user.isEmpty ? "user \(getuid())" : user
    }
}

/// The confirmation of a change that affects live requests at once.
struct ConfirmationOption: ParsableArguments {
    @Flag(help: "Do not ask for confirmation, as on a terminal.")
    var yes = false

    /// Asks on a terminal. Throws unless the answer is yes.
    ///
    /// - Parameter change: the change in words, such as `block device abc in sqlite:ledger.sqlite`.
    func require(_ change: String) throws(CommandFailure) {
        guard !yes, isatty(STDIN_FILENO) == 1 else { return }
        Console.show("\(Terminal(STDERR_FILENO).printable(change)). Type yes to go on: ")
        guard readLine()?.trimmingCharacters(in: .whitespaces) == "yes" else {
            throw CommandFailure(.usage, "nothing was changed: the answer was not yes")
        }
    }
}

/// The options of a command that changes a ledger.
struct LedgerChangeOptions: ParsableArguments {
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions

    var url: LedgerURL { options.url }

    func confirm(_ change: String) throws(CommandFailure) { try confirmation.require(change) }
}
