import ArgumentParser
import Assay
import Foundation

/// `assay ledger allow`: lifts a block.
struct LedgerAllowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Lifts the block on a key, a device or an account.",
        discussion: "Exit status: 0, 1 when there was no block, 3 an outage or no ledger.")

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let open = try options.url.open(creating: false)
        defer { open.close() }
        let wasBlocked: Bool
        do {
            wasBlocked = try await open.ledger.allow(subject.subject)
        } catch {
            throw CommandFailure(error)
        }
        guard wasBlocked else { throw CommandFailure(.rejected, "there was no block on \(subject.subject)") }
        try Console.print(Terminal(STDOUT_FILENO).printable("\(subject.subject) is no longer blocked"))
    }
}
