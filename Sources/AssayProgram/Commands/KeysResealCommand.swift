import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import Foundation

struct KeysResealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Changes the master key: seals all keys and kept receipts under the first one of the file.",
        discussion: """
            The file of the master key has one key on each line: the new one first, and the one that has sealed the keys so far after \
            it. Nothing is exported, and no token and no app notices. In this order, without a gap:

              1. Add the new key as the last line of the file of every service, and restart them: they can open both.
              2. Make it the first line, and restart them: what they seal from now on is under the new key.
              3. Run `assay keys reseal` with such a file.
              4. When it says that nothing is left, take the former key out of the files, and restart the services.

            Backups of the ledger from before still need the former key. Each key is changed in a transaction of its own, with an \
            entry in the audit trail: after an error, run it again.

            Exit status: 0 nothing is left, 1 a receipt is left, 2 a master key that cannot be read, 3 an outage or no ledger, also when a \
            key is sealed under none of the master keys, 64 bad arguments.
            """)

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption

    func run() async throws {
        let masterKey = try masterKey.read()
        let now = Date()
        var names: [String] = []
        var resealed = 0
        let receipts = try await options.url.withLedger(creating: false) { open in
            let store = try open.keyStore(masterKey)
            while true {
                // Again, until nothing was found: a service that is about to end may have sealed more meanwhile.
                let more = try await store.reseal(by: author.name, at: now)
                let receipts = try await ReceiptResealing(in: open.ledger, under: masterKey, at: now)
                names += more
                resealed += receipts.resealed
                if more.isEmpty, receipts.resealed == 0 { return receipts }
            }
        }
        for name in names { try Console.print(escaping: "key \(name) is sealed under the first master key") }
        let left = receipts.busy + receipts.unusable
        try Console.print(
            "resealed: \(names.count) keys, \(resealed) receipts; "
                + (left == 0 ? "nothing is left under another master key" : "\(left) receipts are left"))
        if receipts.unusable > 0 {
            Console.note(
                "\(receipts.unusable) receipts open under none of these master keys: add the one that sealed them, or wait until new "
                    + "attestations have replaced them")
        }
        if receipts.busy > 0 {
            Console.note("\(receipts.busy) receipts are being exchanged: run it again in some minutes")
        }
        if left > 0 { throw CommandFailure(.rejected, nil) }
    }
}
