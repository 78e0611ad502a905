import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// `assay keys list`: lists the keys of the key store.
struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the keys of the key store, without anything secret.",
        discussion: """
            It takes no master key, so it proves nothing: a process that can write to the file can change the list. \
            A key that was changed does not open, and every verdict that needs the key store is an outage then.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var options: LedgerOptions
    /// Accepted as by the other commands on keys, and not read.
    @OptionGroup(visibility: .hidden) var masterKey: MasterKeyOption

    @Flag(help: "Print one JSON object per key.")
    var json = false

    func run() async throws {
        let keys = try await options.url.withLedger(creating: false) { open in
            let storage = try open.sealedKeys()
            do throws(KeyStoreOutage) { return try await storage.sealedKeys() } catch { throw CommandFailure(error) }
        }
        let now = Date()
        if json { return try keys.forEach { try Console.print($0.json(at: now)) } }
        guard !keys.isEmpty else { return Console.note("\(options.url.description) has no keys") }
        let rows =
            [["name", "use", "for", "algorithm", "not before", "not after", "state", "added"]]
            + keys.map { $0.cells(at: now) }
        for line in Terminal(STDOUT_FILENO).table(rows) { try Console.print(line) }
    }
}

extension SealedKey {
    fileprivate func cells(at now: Date) -> [String] {
        [
            name, purpose.name, scope ?? "-", algorithm, window.notBefore.map(RFC3339.format) ?? "-",
            window.notAfter.map(RFC3339.format) ?? "-", stateText(at: now), RFC3339.format(addedAt),
        ]
    }

    /// The state with the retirement time, which has no column.
    private func stateText(at now: Date) -> String {
        switch state(at: now) {
        case .retired(let time): "retired at \(RFC3339.format(time))"
        case .live, .pending, .expired:
            state(at: now).name + (retiredAt.map { ", retires at \(RFC3339.format($0))" } ?? "")
        }
    }

    /// The key as one JSON object on one line.
    fileprivate func json(at now: Date) -> String {
        var object = JSONObject()
        for (name, text) in texts(at: now) { object.add(name, text: text) }
        return object.text
    }
}
