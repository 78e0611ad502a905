import ArgumentParser
import Assay
import AssayPrimitives
import Foundation

/// `assay ledger show`: counts the entries, or shows what is known of a key.
struct LedgerShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Counts what the ledger holds, or shows a key with its counter and its block.",
        discussion: "Exit status: 0, 1 when the ledger does not know the key, 3 an outage or no ledger.")

    @Argument(
        help: ArgumentHelp("A key ID, base64 of either alphabet.", valueName: "key-id"), transform: SubjectOptions.keyID
    )
    var keyID: [UInt8]?

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let open = try options.url.open(creating: false)
        defer { open.close() }
        let now = Date()
        do {
            if let keyID {
                let identifier = KeyIdentifier.appAttest(keyID)
                let key = try await open.ledger.enrolledKey(identifier)
                let blocks = try await open.ledger.blocks(on: [identifier.subject], at: now)
                try show(key, blocks)
            } else {
                try show(await open.ledger.summary(at: now))
            }
        } catch let outage as LedgerOutage {
            throw CommandFailure(outage)
        }
    }

    private func show(_ summary: LedgerSummary) throws {
        try print([
            ("ledger", options.url.description),
            ("open challenges", "\(summary.openChallenges)"),
            ("used challenges", "\(summary.consumedChallenges)"),
            ("keys", "\(summary.keys)"),
            ("used digests", "\(summary.digests)"),
            ("blocks in force", "\(summary.blocks)"),
        ])
    }

    private func show(_ key: EnrolledKey?, _ blocks: [Block]) throws {
        if let key {
            try print(
                [
                    ("key", Base64.encode(key.identifier.value, .standard)),
                    ("engine", key.identifier.engine),
                    ("app", key.app),
                    ("public key", Base64.encode(key.publicKey, .standard)),
                    ("counter", "\(key.counter)"),
                    ("enrolled at", RFC3339.format(key.enrolledAt)),
                ] + key.properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
        let terminal = Terminal(STDOUT_FILENO)
        for block in blocks { try Console.print(terminal.printable(block.sentence)) }
        guard key != nil else { throw CommandFailure(.rejected, "\(options.url.description) has no such key") }
        if blocks.isEmpty { try Console.print("no block is in force on it") }
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
