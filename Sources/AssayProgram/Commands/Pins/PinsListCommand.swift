import ArgumentParser
import Assay
import AssayCore
import Foundation

struct PinsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the domains and pins of the ledger.",
        discussion: """
            --json prints them in the form of pins.json, a line for each domain. To change several at once:

              assay pins list --json >pins.json
              assay pins set pins.json

            Exit status: 0, 3 an outage or no ledger.
            """)

    @Flag(help: "Print one JSON object, which `pins set` and `pins check` read.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let set = try await options.url.pins()
        if json { return try Console.write(Array(set.json.utf8)) }
        guard !set.domains.isEmpty else { return Console.note("\(options.url.description) has no domains with pins") }
        let now = Date()
        var rows = [["domain", "pin", "state"]]
        for domain in set.domains {
            let name = domain.name + (domain.isJWE ? " (jwe)" : "")
            if domain.pins.isEmpty { rows.append([name, "none", ""]) }
            rows += domain.pins.map { [name, $0.text, Self.state(of: $0, at: now)] }
        }
        try Console.print(table: rows)
    }

    private static func state(of pin: Pin, at now: Date) -> String {
        let window = CheckedAddress.window(of: pin)
        return (pin.isInForce(at: now) ? "in force" : "not in force") + (window.isEmpty ? "" : ", \(window)")
    }
}

extension LedgerURL {
    /// The pins of the ledger.
    func pins() async throws -> PinSet {
        try await withLedger(creating: false) { open in
            do throws(LedgerOutage) { return try await LedgerRegister<PinSet>(in: open.ledger).content() } catch {
                // Repeating does not help: the check must not pass for it.
                if error.code == .corrupt { throw CommandFailure(.unreadable, error.description) }
                throw error
            }
        }
    }
}
