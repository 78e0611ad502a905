import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger move`: moves an enrolled key to another account.
struct LedgerMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Gives an enrolled key to another account, or to none.",
        discussion: """
            An attestation binds its key to the account of its session, and no other evidence changes that. Counter, blocks \
            and allowances of the key stay. The limit maximumKeys of a policy is not applied.

            Exit status: 0, 1 when there is no such key, 3 an outage or no ledger.
            """)

    @Option(
        name: .customLong("key-id"), help: ArgumentHelp("The key ID, base64 of either alphabet.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyID: [UInt8]

    @Option(help: ArgumentHelp("The account that the key will belong to.", valueName: "name"))
    var account: String?

    @Flag(help: "Take the account of the key away.")
    var noAccount = false

    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions

    func validate() throws {
        guard (account == nil) == noAccount else {
            throw ValidationError("exactly one of --account and --no-account is needed")
        }
        guard let account else { return }
        guard (1...255).contains(account.utf8.count) else { throw ValidationError("--account takes 1 to 255 bytes") }
    }

    func run() async throws {
        let subject = LedgerSubject(keyID: keyID)
        let target = account.map { "account \($0)" } ?? "no account"
        try confirmation.require("This gives \(subject) in \(options.url.description) to \(target)")
        let before = try await options.url.withLedger(creating: false) { open -> EnrolledKey? in
            do throws(LedgerOutage) {
                guard let found = try await open.ledger.enrolledKey(withID: keyID) else { return nil }
                return try await open.ledger.move(found.identifier, to: account, by: author.name, at: Date())
            } catch {
                throw CommandFailure(error)
            }
        }
        guard let before else { throw CommandFailure(.rejected, "\(options.url.description) has no such key") }
        let origin = before.account.map { "account \($0)" } ?? "no account"
        try Console.print(
            Terminal(STDOUT_FILENO).printable("\(subject) belongs to \(target); before it was of \(origin)"))
    }
}
