import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger unblock`: removes a block or an allowance.
struct LedgerUnblockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock",
        abstract: "Removes the block or the allowance of a key, a device, an account or an issuer.",
        discussion: "Exit status: 0, 1 when there was neither a block nor an allowance, 3 an outage or no ledger.")

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions

    func run() async throws {
        try await Self.remove(subject.subject, in: options, author, confirmation)
    }

    /// Removes the block or the allowance of a subject.
    static func remove(
        _ subject: LedgerSubject, in options: LedgerOptions, _ author: OperatorOption,
        _ confirmation: ConfirmationOption
    ) async throws {
        try confirmation.require("This removes the block or the allowance of \(subject) in \(options.url.description)")
        let removed = try await options.url.withLedger(creating: false) { open in
            do throws(LedgerOutage) {
                return try await open.ledger.removeStanding(of: subject, by: author.name, at: Date())
            } catch {
                throw CommandFailure(error)
            }
        }
        guard let removed else {
            throw CommandFailure(.rejected, "there was no block on \(subject), and no allowance of it")
        }
        let sentence =
            removed.block == nil
            ? "\(subject) is no longer allowed what policy refuses" : "\(subject) is no longer blocked"
        try Console.print(Terminal(STDOUT_FILENO).printable(sentence))
    }
}
