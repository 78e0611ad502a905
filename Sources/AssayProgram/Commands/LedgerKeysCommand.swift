import ArgumentParser
import AssayCore
import AssayPrimitives
import AssayService
import Foundation

struct LedgerKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists the enrolled keys, one a line: of all apps and accounts, or of those that the options name.",
        discussion: """
            With --account the keys come in the order of their enrolment, otherwise in the order of engine and key ID. \
            `assay ledger show KEY-ID` shows one with its counter. Keys of the key store are others: see `assay keys list`.

              assay ledger keys --app shop-ios --since 2026-11-01T00:00:00Z
              assay ledger keys --account alice --json

            --json prints the objects that `assay ledger export` prints for keys.

            Exit status: 0, also when there are none, 3 an outage or no ledger.
            """)

    @Option(help: ArgumentHelp("Only keys of this app of the policy.", valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("Only keys of this account of the backend.", valueName: "name"))
    var account: String?

    @Option(
        help: ArgumentHelp("Only keys that were enrolled at this time or later (RFC 3339).", valueName: "time"),
        transform: TimeArgument.time)
    var since: Date?

    @Flag(help: "Print one JSON object per key.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func validate() throws {
        guard app?.isEmpty != true, account?.isEmpty != true else {
            throw ValidationError("an app or an account has a name")
        }
    }

    func run() async throws {
        var count = 0
        try await options.url.withLedger(creating: false) { open in
            try await each(of: open.ledger) { key in
                guard app.map({ key.app.isByteEqual(to: $0) }) ?? true, since.map({ key.enrolledAt >= $0 }) ?? true
                else { return }
                count += 1
                try json ? Console.print(LedgerEntry.key(key).json) : Console.print(escaping: key.line)
            }
        }
        if count == 0 { Console.note("\(options.url.description) has no such keys") }
    }

    /// Passes the keys of the account, or all keys, to `body`. The ledger streams them: memory does not grow with their number.
    private func each(of ledger: any LedgerAdministration, _ body: (EnrolledKey) throws -> Void) async throws {
        if let account {
            for key in try await ledger.keys(of: account) { try body(key) }
            return
        }
        var hasKeys = false
        do {
            try await ledger.export { entry in
                if case .key(let key) = entry {
                    hasKeys = true
                    try body(key)
                } else if hasKeys {
                    throw EndOfKeys()
                }
            }
        } catch is EndOfKeys {}
    }

    /// The export has passed all keys.
    private struct EndOfKeys: Error {}
}

extension EnrolledKey {
    /// The key on one line, for lists.
    var line: String {
        let owner = account.map { ", account \($0)" } ?? ""
        let end = retiredAt.map { ", retired at \(RFC3339.format($0))" } ?? ""
        return "\(Base64.encode(identifier.value, .standard)) of \(identifier.engine), app \(app)\(owner), enrolled at "
            + "\(RFC3339.format(enrolledAt))\(end)"
    }
}
