import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger allow`: excuses a subject from policy checks.
struct LedgerAllowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Allows a key, a device or an account what some policy checks refuse.",
        discussion: """
            For development and penetration tests. While the allowance is in force, failures of the named policy checks are \
            annotated instead of enforced. Evidence that is not authentic stays rejected, and so does a blocked subject: no \
            gate and no block is excused. Without --check an allowance of a device excuses \
            \(LedgerAllowance.deviceChecks[0].name). It ends after 30 days unless --for or --until says otherwise.

            assay ledger unblock removes a block or an allowance.

            Exit status: 0, 1 when the subject is blocked, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(
        name: .customLong("check"),
        help: ArgumentHelp("A policy check to excuse; it can be given several times.", valueName: "name"))
    var checks: [String] = []

    @Option(help: ArgumentHelp("The reason of the allowance.", valueName: "text"))
    var reason: String

    @OptionGroup var end: StandingEndOptions
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions
    @OptionGroup var creation: CreateLedgerOption

    func validate() throws {
        guard reason != "" else { throw ValidationError("--reason needs a text") }
        for given in subject.named.given {
            if let objection = given.objectionToName { throw ValidationError(objection) }
        }
        guard subject.subject.kind != .issuer else {
            throw ValidationError("an issuer cannot be allowed: name it in the policy")
        }
        _ = try excused()
    }

    /// The checks to excuse, each a policy check of an engine.
    private func excused() throws -> [CheckID] {
        do {
            return try LedgerAllowance.checks(named: checks, of: subject.subject.kind, among: .current)
        } catch {
            throw ValidationError(error.message(for: "--check"))
        }
    }

    func run() async throws {
        subject.noteUnlikelyName()
        let now = Date()
        let allowance = LedgerAllowance(
            subject: subject.subject, checks: try excused(), reason: reason, since: now,
            until: end.time(from: now, standard: LedgerAllowance.standardLifetime), setBy: author.name)
        let names = allowance.checks.map(\.name).joined(separator: ", ")
        try confirmation.require(
            "This excuses failures of \(names) for \(allowance.subject) in \(options.url.description)")
        let before = try await options.url.withLedger(creating: creation.createLedger) { open in
            let before: LedgerStanding?
            let block: LedgerBlock?
            do throws(LedgerOutage) {
                before = try await open.ledger.standings(of: [allowance.subject], at: now).first
                block = try await open.ledger.allow(allowance)
            } catch {
                throw CommandFailure(error)
            }
            guard let block else { return before }
            throw CommandFailure(
                .rejected,
                "\(block.sentence). Run assay ledger unblock first: a subject has a block or an allowance, not both"
            )
        }
        try Console.print(Terminal(STDOUT_FILENO).printable("\(allowance.subject): \(allowance.sentence)"))
        try Console.print(Terminal(STDOUT_FILENO).printable("excused: \(names)"))
        if let before { try Console.print(Terminal(STDOUT_FILENO).printable("it replaces: \(before.sentence)")) }
    }
}
