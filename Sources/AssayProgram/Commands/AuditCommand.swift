import ArgumentParser
import AssayCore
import AssayService
import Foundation

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Lists, verifies and exports the audit trail: every change of a ledger by hand.",
        discussion: """
            The commands that block, allow, unblock, disallow or move, those that add, retire or remove keys, those that add or \
            revoke operators, and those that change pins or set modes of devices, append an entry: who, when, what and \
            why. Each entry has the hash of the one before.
            """,
        subcommands: [AuditListCommand.self, AuditVerifyCommand.self, AuditExportCommand.self])
}

struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Prints the entries, the first one first.",
        discussion: """
            --json prints the lines of `assay audit export`.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @Option(
        help: ArgumentHelp("Only entries from this time on (RFC 3339).", valueName: "time"),
        transform: TimeArgument.time)
    var since: Date?

    @Option(
        name: .customLong("operator"), help: ArgumentHelp("Only entries of this operator.", valueName: "name"))
    var operatorName: String?

    @Flag(help: "Print one JSON object per entry.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        try await options.url.passAudit { entry in
            let change = entry.change
            guard since.map({ change.at >= $0 }) ?? true,
                operatorName.map({ change.operatorName.isByteEqual(to: $0) }) ?? true
            else { return }
            if json { return try Console.print(entry.json) }
            let author = change.operatorName.isEmpty ? "(not named)" : change.operatorName
            try Console.print(
                escaping: "\(entry.number)  \(RFC3339.format(change.at))  \(author)  \(change.action.rawValue)  "
                    + "\(change.subject)  \(change.detail)")
        }
    }
}

struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Follows the hashes from the first entry to the last, and compares the entries with the ledger.",
        discussion: """
            Prints how many entries there are and the hash of the last one. Keep this hash elsewhere, and give it the next \
            time with --expect: it shows that no entry up to it was changed or cut off since.

            Blocks, allowances, operators, sealed keys and the accounts of moved keys must be in the ledger as the entries say, and \
            in the trail as the ledger has them. A difference shows that another program has written to the ledger.

            --json prints one object: ledger, sound, entries, lastHash, problems, and with --expect expectedFound.

            Exit status: 0 sound, 1 the trail or the ledger was changed, or no entry has the expected hash, 3 an outage or no \
            ledger.
            """)

    @Option(
        help: ArgumentHelp("The hash of an entry that must be there, 64 hexadecimal digits.", valueName: "hash"))
    var expect: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func validate() throws {
        guard let expect else { return }
        guard AuditReview.isHash(expect) else {
            throw ValidationError("--expect takes a hash of 64 hexadecimal digits, found \"\(expect.prefix(80))\"")
        }
    }

    func run() async throws {
        let expect = expect
        let review = try await options.url.withLedger(creating: false) { open in
            var review = AuditReview(expecting: expect)
            try await review.take(open.ledger)
            return review
        }
        if json {
            try Console.print(json: [
                "ledger": options.url.description, "sound": review.problems.isEmpty, "entries": review.count,
                "lastHash": review.lastHash, "problems": review.problems,
                "expectedFound": expect == nil ? nil : review.isFound,
            ])
        } else {
            for problem in review.problems { try Console.print(escaping: problem) }
        }
        guard review.problems.isEmpty else {
            throw CommandFailure(
                .rejected,
                "the audit trail of \(options.url.description) was changed, or the ledger was changed past it: "
                    + "\(review.problems.count) \(review.problems.count == 1 ? "finding" : "findings")")
        }
        guard review.isFound else {
            throw CommandFailure(
                .rejected,
                "no entry of \(options.url.description) has the expected hash: entries were cut off or replaced, or the "
                    + "hash is of another ledger")
        }
        if json { return }
        try Console.print(
            "\(review.count) \(review.count == 1 ? "entry" : "entries"), sound; the last hash is \(review.lastHash)"
        )
    }
}

struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints every entry as one JSON object per line.",
        discussion: """
            "entry" has the fields number, at (RFC 3339), operator, action, subject, detail and previous. "hash" is SHA-256 \
            of the text of "entry" as written in the line, and "previous" the hash of the line before, both hexadecimal; \
            the first "previous" is zeros.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        try await options.url.passAudit { entry in
            try Console.print(entry.json)
        }
    }
}

extension LedgerURL {
    fileprivate func passAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws {
        try await withLedger(creating: false) { open in
            try await open.ledger.audit(body)
        }
    }
}
