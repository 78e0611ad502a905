import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay keys retire`: sets the time from which a key is no longer used.
struct KeysRetireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Retires a key: evidence under it is rejected, and verdicts name the key.",
        discussion: """
            The time of retirement can be moved to an earlier time, never to a later one. The command needs the master \
            key, because the time is sealed together with the key. `assay keys remove` does not need it.

            Exit status: 0, 1 when there is no such key or it was retired before, 2 a master key that cannot be read, 3 \
            an outage or no ledger, 64 bad arguments.
            """)

    @Argument(help: "The name of the key.")
    var name: String

    @Option(
        help: ArgumentHelp("The time of retirement (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption

    func run() async throws {
        let masterKey = try masterKey.read()
        let now = Date()
        let time = at ?? now
        try confirmation.require("This retires key \(name) of \(options.url.description) at \(RFC3339.format(time))")
        try await options.url.withLedger(creating: false) { open in
            let store = try open.keyStore(masterKey)
            do throws(KeyStoreFailure) {
                try await store.retire(name, at: time, by: author.name, now: now)
            } catch {
                throw CommandFailure(error)
            }
        }
        let verb = time <= now ? "is" : "will be"
        try Console.print(
            Terminal(STDOUT_FILENO).printable("key \(name) \(verb) retired at \(RFC3339.format(time))"))
    }
}
