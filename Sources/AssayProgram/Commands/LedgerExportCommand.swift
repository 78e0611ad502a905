import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger export`: prints every entry as JSON.
struct LedgerExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints every entry as one JSON object per line.",
        discussion: """
            Binary is standard base64 with padding, times are RFC 3339. By the field "entry":

              challenge  sha256, app, purpose, issuedAt, expiresAt, consumedAt if it was
              key        engine, identifier, app, account if it has one, publicKey, counter, skipped (below), enrolledAt,
                         retiredAt if it is, properties
              digest     digest, app, kind, madeAt, usedAt, until
              block      kind (key, device, account or issuer), name, reason, since, until if it ends, operator if known
              allowance  as a block, and checks
              operator   name, role, addedAt, addedBy if known, until, revokedAt and revokedBy if it was

            "skipped" of a key is there if a window of counters may still accept smaller ones: bit i, from the least \
            significant bit of the first byte, is for the counter less 1 + i.

            A challenge that can still be used is a secret: the export has its SHA-256 digest instead. Keys of the key \
            store and the hashes of operators' tokens are not exported; see assay keys list.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        try await options.url.withLedger(creating: false) { open in
            do {
                try await open.ledger.export { entry in try Console.print(entry.json) }
            } catch let outage as LedgerOutage {
                throw CommandFailure(outage)
            }
        }
    }
}
