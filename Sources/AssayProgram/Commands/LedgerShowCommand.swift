import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import Foundation

struct LedgerShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Counts what the ledger holds, or shows a key, a device, an account or an issuer.",
        discussion: """
            An enrolled key is shown with its counter, an account with its keys, and each subject with the block or the \
            allowance that is in force, and its end. --blocks and --allowances list those in force, with who set them and \
            when. `assay ledger keys` lists enrolled keys.

            --json prints the counts as one object, a subject as one object with its keys and standings, and --blocks and \
            --allowances as one object per line. Keys and standings are as `assay ledger export` prints them.

            Exit status: 0, 1 when the key is neither enrolled nor blocked nor allowed, 3 an outage or no ledger.
            """)

    @Argument(
        help: ArgumentHelp("A key ID, base64 of either alphabet.", valueName: "key-id"), transform: SubjectOptions.keyID
    )
    var keyArgument: [UInt8]?

    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("The same as the argument.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyOption: [UInt8]?

    @OptionGroup var named: NamedSubjectOptions

    @Flag(help: "List the blocks in force.")
    var blocks = false

    @Flag(help: "List the allowances in force.")
    var allowances = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: LedgerOptions

    private var keyID: [UInt8]? { keyArgument ?? keyOption }

    func validate() throws {
        guard [keyArgument, keyOption].count(where: { $0 != nil }) + named.given.count <= 1 else {
            throw ValidationError("a key ID, --device, --account and --issuer exclude each other")
        }
        guard !blocks && !allowances || keyID == nil && named.given.isEmpty else {
            throw ValidationError("--blocks and --allowances list those of all subjects; name no subject")
        }
    }

    func run() async throws {
        try await options.url.withLedger(creating: false) { open in
            try await show(open.ledger, at: Date())
        }
    }

    private func show(_ ledger: any LedgerAdministration, at now: Date) async throws {
        if let keyID {
            let subject = LedgerSubject(keyID: keyID)
            let key = try await ledger.enrolledKey(withID: keyID)
            let standings = try await ledger.standings(of: [subject], at: now)
            guard key != nil || !standings.isEmpty else {
                throw CommandFailure(.rejected, "\(options.url.description) has no such key")
            }
            guard !json else {
                return try Console.print(subject.json(keys: [key].compactMap(\.self), standings: standings))
            }
            try show(key, standings)
        } else if blocks || allowances {
            let standings = try await ledger.standings().filter {
                $0.isInForce(at: now) && ($0.block == nil ? allowances : blocks)
            }
            for standing in standings { try json ? Console.print(standing.entryJSON) : show(standing) }
            if standings.isEmpty, !json { try Console.print("there are none in force") }
        } else if let subject = named.given.first {
            let keys = subject.kind == .account ? try await ledger.keys(of: subject.name) : []
            let standings = try await ledger.standings(of: [subject], at: now)
            guard !json else { return try Console.print(subject.json(keys: keys, standings: standings)) }
            if subject.kind == .account {
                for key in keys { try Console.print(escaping: key.line) }
                try Console.print("\(keys.count) \(keys.count == 1 ? "key" : "keys") of the account")
            }
            try show(standings, of: subject.description)
        } else {
            let quarantineEnd = try await ledger.quarantineEnd().flatMap { now < $0 ? $0 : nil }
            try show(await ledger.summary(at: now), quarantineEnd: quarantineEnd)
        }
    }

    private func show(_ summary: LedgerSummary, quarantineEnd: Date?) throws {
        guard !json else {
            var object = JSONObject(["ledger": options.url.description])
            object.add(summary)
            object.add(["quarantineUntil": quarantineEnd])
            return try Console.print(object.text)
        }
        var rows: [(name: String, value: String)] = [
            ("ledger", options.url.description),
            ("open challenges", "\(summary.openChallenges)"),
            ("used challenges", "\(summary.consumedChallenges)"),
            ("enrolled keys", "\(summary.keys)"),
            ("used digests", "\(summary.digests)"),
            ("blocks in force", "\(summary.blocks)"),
            ("allowances in force", "\(summary.allowances)"),
            ("active operators", "\(summary.operators)"),
            ("documents", "\(summary.documents)"),
            ("tasks", "\(summary.tasks)"),
        ]
        if let quarantineEnd { rows.append(("in quarantine until", RFC3339.format(quarantineEnd))) }
        try print(rows)
    }

    private func show(_ standing: LedgerStanding) throws {
        let checks = standing.allowance.map { ", excused: \($0.checks.map(\.name).joined(separator: ", "))" } ?? ""
        let author = standing.setBy.map { ", by \($0)" } ?? ""
        try Console.print(escaping: "\(standing.subject): \(standing.sentence)\(author)\(checks)")
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
                ] + (key.account.map { [("account", $0)] } ?? [])
                    + (key.retiredAt.map { [("retired at", RFC3339.format($0))] } ?? [])
                    + key.properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
        if key == nil { try Console.print("the key is not enrolled") }
        try show(standings, of: "the key")
    }

    private func show(_ standings: [LedgerStanding], of subject: String) throws {
        for standing in standings { try Console.print(escaping: standing.sentence) }
        if standings.isEmpty {
            try Console.print(escaping: "\(subject) is neither blocked nor allowed")
        }
    }

    private func print(_ rows: [(name: String, value: String)]) throws {
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            let gap = String(repeating: " ", count: width - row.name.count + 2)
            try Console.print(escaping: row.name + gap + row.value)
        }
    }
}
