import ArgumentParser
import Assay
import AssayLedgerSQLite
import Foundation

/// `assay keys remove`: forgets a key.
struct KeysRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a key for good.",
        discussion: """
            Evidence under it is not opened again, and no verdict can say which key it was under. It takes no master key. \
            What was sealed may stay in free pages of the file until these are used again.

            Exit status: 0, 1 when there is no such key, 3 an outage or no ledger.
            """)

    @Argument(help: "The name of the key.")
    var name: String

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let open = try options.url.open(creating: false)
        defer { open.close() }
        guard case .sqlite(let ledger) = open else { return }
        let isRemoved: Bool
        do {
            isRemoved = try await ledger.removeSealedKey(name)
        } catch {
            throw CommandFailure(error)
        }
        guard isRemoved else {
            throw CommandFailure(.rejected, "\(options.url.description) has no key \(name.prefix(60))")
        }
        try Console.print(
            Terminal(STDOUT_FILENO).printable("key \(name) is removed from \(options.url.description)"))
    }
}
