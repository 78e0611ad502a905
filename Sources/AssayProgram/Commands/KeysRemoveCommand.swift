import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay keys remove`: removes a key.
struct KeysRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a key permanently.",
        discussion: """
            Evidence under the key can no longer be opened, and verdicts do not name the key. The master key is not \
            needed. The sealed bytes may stay in free pages of the file until SQLite reuses these.

            Exit status: 0, 1 when there is no such key, 3 an outage or no ledger.
            """)

    @Argument(help: "The name of the key.")
    var name: String

    @OptionGroup var options: LedgerOptions
    /// Accepted as by the other commands on keys, and not read.
    @OptionGroup(visibility: .hidden) var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption

    func run() async throws {
        try confirmation.require("This removes key \(name) of \(options.url.description) permanently")
        try await options.url.withLedger(creating: false) { open in
            let storage = try open.sealedKeys()
            do throws(KeyStoreFailure) {
                try await storage.removeSealedKey(name, by: author.name, at: Date())
            } catch .refusal(.unknownName) {
                throw CommandFailure(.rejected, "\(options.url.description) has no key \(name.prefix(60))")
            } catch {
                throw CommandFailure(error)
            }
        }
        try Console.print(
            Terminal(STDOUT_FILENO).printable("key \(name) is removed from \(options.url.description)"))
    }
}
