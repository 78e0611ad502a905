import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger allow`: removes a block, or allows a subject what policy would refuse.
struct LedgerAllowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Removes a block or an allowance, or grants an allowance.",
        discussion: """
            Without --reason the block or the allowance of the subject is removed.

            With --reason the subject gets an allowance, which replaces its block or allowance. While the allowance is in \
            force, policy checks of the device are annotated instead of enforced, for development and penetration \
            tests. Evidence that is not authentic stays rejected.

            Exit status: 0, 1 when there was neither a block nor an allowance to end, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("The reason of an allowance.", valueName: "text"))
    var reason: String?

    @OptionGroup var end: StandingEndOptions
    @OptionGroup var options: LedgerOptions
    @OptionGroup var creation: CreateLedgerOption

    func validate() throws {
        guard reason != "" else { throw ValidationError("--reason needs a text") }
        guard reason == nil else { return }
        guard !end.isGiven else { throw ValidationError("--until and --for end an allowance, which needs --reason") }
        guard !creation.createLedger else { throw ValidationError("a new ledger has no block; --reason is missing") }
    }

    func run() async throws {
        if reason != nil { subject.noteUnlikelyName() }
        let sentence = try await options.url.withLedger(creating: creation.createLedger) { open in
            do throws(LedgerOutage) {
                guard let reason else { return try await removeStanding(in: open.ledger) }
                return try await setAllowance(reason, in: open.ledger)
            } catch {
                throw CommandFailure(error)
            }
        }
        guard let sentence else {
            throw CommandFailure(.rejected, "there was no block on \(subject.subject), and no allowance of it")
        }
        try Console.print(Terminal(STDOUT_FILENO).printable(sentence))
    }

    private func setAllowance(
        _ reason: String, in ledger: any LedgerAdministration
    ) async throws(LedgerOutage) -> String? {
        let now = Date()
        let allowance = LedgerAllowance(
            subject: subject.subject, reason: reason, since: now, until: end.time(from: now))
        try await ledger.allow(allowance)
        return "\(allowance.subject): \(allowance.sentence)"
    }

    private func removeStanding(in ledger: any LedgerAdministration) async throws(LedgerOutage) -> String? {
        switch try await ledger.removeStanding(of: subject.subject) {
        case .blocked: "\(subject.subject) is no longer blocked"
        case .allowed: "\(subject.subject) is no longer allowed what policy refuses"
        case nil: nil
        }
    }
}
