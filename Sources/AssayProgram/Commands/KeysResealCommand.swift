import ArgumentParser
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

            Receipts that none of the keys opens stay until they expire. If the key that sealed them is lost, so are they.

            Backups of the ledger from before still need the former key. Each key is changed in a transaction of its own, with an \
            entry in the audit trail: after an error, run it again.

            Exit status: 0 nothing is left, 1 a receipt is left, 2 a master key that cannot be read, 3 an outage or no ledger, also when a \
            key is sealed under none of the master keys, 64 bad arguments.
            """)

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption

    /// How often it is looked again. A service that seals on under another key must not keep the command for ever.
    private static let rounds = 5

    func run() async throws {
        let masterKey = try masterKey.read()
        var names: [String] = []
        var resealed = 0
        var last: ReceiptResealing?
        try await options.url.withLedger(creating: false) { open in
            let store = try open.keyStore(masterKey)
            // Again, until nothing was found: a service that is about to end may have sealed more meanwhile.
            for _ in 0..<Self.rounds where last == nil {
                let now = Date()
                let more = try await store.reseal(by: author.name, at: now)
                let receipts = try await ReceiptResealing(in: open.ledger, under: masterKey, at: now)
                names += more
                resealed += receipts.resealed
                if more.isEmpty, receipts.resealed == 0 { last = receipts }
            }
        }
        for name in names { try Console.print(escaping: "key \(name) is sealed under the first master key") }
        guard let last else {
            throw CommandFailure(
                .rejected,
                "\(names.count) keys and \(resealed) receipts were sealed again, and a service still seals under another master key: make "
                    + "the new one the first line of every file, restart, and run this again")
        }
        let left = last.busy + last.unusable
        try Console.print(
            "resealed: \(names.count) keys, \(resealed) receipts; "
                + (left == 0 ? "nothing is left under another master key" : "\(left) receipts are left"))
        if last.unusable > 0 {
            Console.note("\(last.unusable) receipts open under none of these master keys: add the one that sealed them")
        }
        if last.busy > 0 { Console.note("\(last.busy) receipts are being exchanged: run it again in some minutes") }
        if left > 0 { throw CommandFailure(.rejected, nil) }
    }
}
