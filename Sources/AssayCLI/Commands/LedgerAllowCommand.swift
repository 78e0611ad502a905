import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger allow`: allows a subject what policy would refuse.
struct LedgerAllowCommand: AsyncParsableCommand {
    /// How long an allowance lasts without --until and --for.
    static let standardDays = 30.0
    /// What an allowance of a device excuses without --check.
    static let deviceChecks = [CheckID("approov.token.annotations")]

    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Allows a key, a device or an account what some policy checks refuse.",
        discussion: """
            For development and penetration tests. While the allowance is in force, failures of the named policy checks are \
            annotated instead of enforced. Evidence that is not authentic stays rejected, and so does a blocked subject: no \
            gate and no block is excused. Without --check an allowance of a device excuses \
            \(deviceChecks[0].name). It ends after 30 days unless --for or --until says otherwise.

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
        guard subject.subject.kind != .issuer else {
            throw ValidationError("an issuer cannot be allowed: name it in the policy")
        }
        _ = try excused()
    }

    /// The checks to excuse, each a policy check of an engine.
    private func excused() throws -> [CheckID] {
        let catalogue = EngineRegistry.current.catalogue
        let allowed = catalogue.filter { if case .policy = $0.kind { true } else { false } }.map(\.id.name)
        guard !checks.isEmpty else {
            if subject.subject.kind == .device { return Self.deviceChecks }
            throw ValidationError(
                "name what to excuse with --check, such as --check \(allowed.first ?? "NAME"); assay explain lists the checks"
            )
        }
        for name in checks where !allowed.contains(name) {
            if let definition = catalogue.first(where: { $0.id.name == name }) {
                let kind = definition.kind == .signal ? "never rejects" : "is a gate or is decided by the ledger"
                throw ValidationError("--check \(name): only policy checks can be excused, and this one \(kind)")
            }
            throw ValidationError(
                "--check: there is no check \"\(name.prefix(80))\"\(Nearest.advice(for: name, among: allowed))")
        }
        return checks.map { CheckID($0) }
    }

    func run() async throws {
        subject.noteUnlikelyName()
        let now = Date()
        let allowance = LedgerAllowance(
            subject: subject.subject, checks: try excused(), reason: reason, since: now,
            until: end.time(from: now, standard: Self.standardDays * 86_400), setBy: author.name)
        let names = allowance.checks.map(\.name).joined(separator: ", ")
        try confirmation.demand(
            "This excuses failures of \(names) for \(allowance.subject) in \(options.url.description)")
        try await options.url.withLedger(creating: creation.createLedger) { open in
            let block: LedgerBlock?
            do throws(LedgerOutage) {
                block = try await open.ledger.blocks(on: [allowance.subject], at: now).first
                if block == nil { try await open.ledger.allow(allowance) }
            } catch {
                throw CommandFailure(error)
            }
            guard let block else { return }
            throw CommandFailure(
                .rejected,
                "\(block.sentence). Run assay ledger unblock first: a subject has a block or an allowance, not both"
            )
        }
        try Console.print(Terminal(STDOUT_FILENO).printable("\(allowance.subject): \(allowance.sentence)"))
        try Console.print(Terminal(STDOUT_FILENO).printable("excused: \(names)"))
    }
}
