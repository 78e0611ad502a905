import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger block`: blocks a key, a device, an account or an issuer.
struct LedgerBlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Blocks a key, a device, an account or an issuer.",
        discussion: """
            Replaces an existing block or allowance. A block on a key is enforced: its enrolment and \
            its assertions are rejected. Blocks on devices and issuers apply if the evidence names one and the policy \
            enforces its check; blocks on accounts, if the backend names the account with the evidence. Without --for and \
            --until a block has no end.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("The reason, which verdicts on the subject show.", valueName: "text"))
    var reason: String

    @OptionGroup var end: StandingEndOptions
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions
    @OptionGroup var creation: CreateLedgerOption

    func validate() throws {
        guard !reason.isEmpty else { throw ValidationError("--reason needs a text") }
        for given in subject.named.given {
            if let objection = given.objectionToName { throw ValidationError(objection) }
        }
    }

    func run() async throws {
        subject.noteUnlikelyName()
        let now = Date()
        let block = LedgerBlock(
            subject: subject.subject, reason: reason, since: now, until: end.time(from: now, standard: nil),
            setBy: author.name)
        try confirmation.require("This blocks \(block.subject) in \(options.url.description)")
        try await Self.set(block, in: options.url, creating: creation.createLedger)
    }

    /// Sets a block, and prints it with what it replaces.
    static func set(_ block: LedgerBlock, in url: LedgerURL, creating: Bool) async throws {
        let before = try await url.withLedger(creating: creating) { open in
            do throws(LedgerOutage) {
                let before = try await open.ledger.standings(of: [block.subject], at: block.since).first
                try await open.ledger.block(block)
                return before
            } catch {
                throw CommandFailure(error)
            }
        }
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print(terminal.printable("\(block.subject): \(block.sentence)"))
        if let before { try Console.print(terminal.printable("it replaces: \(before.sentence)")) }
    }
}
