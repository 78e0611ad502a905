import ArgumentParser
import Assay
import Foundation

/// `assay ledger block`: blocks a key, a device or an account.
struct LedgerBlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Blocks a key, a device or an account.",
        discussion: """
            A block that there is already is replaced. A block on a key is enforced: its enrolment and its assertions \
            are rejected. Blocks on devices and accounts are kept for backends that look them up with \
            Ledger.blocks(on:at:); no verdict depends on them.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("Why; it stands in the verdicts on a key.", valueName: "text"))
    var reason: String

    @Option(help: ArgumentHelp("When the block ends (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var until: Date?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long the block lasts, such as 12h or 30d. Without an end it stays.", valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    @OptionGroup var options: LedgerOptions
    @OptionGroup var creation: CreateLedgerOption

    func validate() throws {
        guard !reason.isEmpty else { throw ValidationError("--reason needs a text") }
        guard until == nil || duration == nil else { throw ValidationError("--until and --for exclude each other") }
        guard until.map({ $0 > Date() }) ?? true else { throw ValidationError("--until has passed already") }
    }

    func run() async throws {
        let open = try options.url.open(creating: creation.createLedger)
        defer { open.close() }
        let now = Date()
        let block = Block(
            subject: subject.subject, reason: reason, since: now, until: until ?? duration.map(now.addingTimeInterval))
        do {
            try await open.ledger.block(block)
        } catch {
            throw CommandFailure(error)
        }
        try Console.print(Terminal(STDOUT_FILENO).printable("\(block.subject): \(block.sentence)"))
    }
}
