import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// `assay ledger show`: counts the entries, or prints the entries for one subject.
struct LedgerShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Counts what the ledger holds, or shows a key, a device, an account or an issuer.",
        discussion: """
            An enrolled key is shown with its counter, and each subject with the block or the allowance that is in \
            force, and its end.

            Exit status: 0, 1 when the key is neither enrolled nor blocked nor allowed, 3 an outage or no ledger.
            """)

    @Argument(
        help: ArgumentHelp("A key ID, base64 of either alphabet.", valueName: "key-id"), transform: SubjectOptions.keyID
    )
    var keyArgument: [UInt8]?

    @Option(
        name: .customLong("key-id"), help: ArgumentHelp("The same as the argument.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyOption: [UInt8]?

    @OptionGroup var named: NamedSubjectOptions
    @OptionGroup var options: LedgerOptions

    private var keyID: [UInt8]? { keyArgument ?? keyOption }

    func validate() throws {
        guard [keyArgument, keyOption].count(where: { $0 != nil }) + named.given.count <= 1 else {
            throw ValidationError("a key ID, --device, --account and --issuer exclude each other")
        }
    }

    func run() async throws {
        try await options.url.withLedger(creating: false) { open in
            do {
                try await show(open.ledger, at: Date())
            } catch let outage as LedgerOutage {
                throw CommandFailure(outage)
            }
        }
    }

    private func show(_ ledger: any LedgerAdministration, at now: Date) async throws {
        if let keyID {
            let identifier = KeyIdentifier.appAttest(keyID)
            let key = try await ledger.enrolledKey(identifier)
            try show(key, await ledger.standings(of: [identifier.subject], at: now))
        } else if let subject = named.given.first {
            try show(await ledger.standings(of: [subject], at: now), of: subject.description)
        } else {
            try show(await ledger.summary(at: now))
        }
    }

    private func show(_ summary: LedgerSummary) throws {
        try print([
            ("ledger", options.url.description),
            ("open challenges", "\(summary.openChallenges)"),
            ("used challenges", "\(summary.consumedChallenges)"),
            ("enrolled keys", "\(summary.keys)"),
            ("used digests", "\(summary.digests)"),
            ("blocks in force", "\(summary.blocks)"),
            ("allowances in force", "\(summary.allowances)"),
        ])
    }

    private func show(_ key: EnrolledKey?, _ standings: [LedgerStanding]) throws {
        if let key {
            try print(
                [
                    ("key", Base64.encode(key.identifier.value, .standard)),
                    ("engine", key.identifier.engine),
                    ("app", key.app),
                    ("public key", Base64.encode(key.publicKey, .standard)),
                    ("counter", key.counters.description),
                    ("enrolled at", RFC3339.format(key.enrolledAt)),
                ] + key.properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
        guard key != nil || !standings.isEmpty else {
            throw CommandFailure(.rejected, "\(options.url.description) has no such key")
        }
        if key == nil { try Console.print("the key is not enrolled") }
        try show(standings, of: "the key")
    }

    private func show(_ standings: [LedgerStanding], of subject: String) throws {
        let terminal = Terminal(STDOUT_FILENO)
        for standing in standings { try Console.print(terminal.printable(standing.sentence)) }
        if standings.isEmpty {
            try Console.print(terminal.printable("\(subject) is neither blocked nor allowed"))
        }
    }

    private func print(_ rows: [(name: String, value: String)]) throws {
        let terminal = Terminal(STDOUT_FILENO)
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            let gap = String(repeating: " ", count: width - row.name.count + 2)
            try Console.print(terminal.printable(row.name + gap + row.value))
        }
    }
}
