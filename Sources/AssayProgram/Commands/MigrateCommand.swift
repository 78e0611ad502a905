import ArgumentParser
import AssayCore
import AssayLedgerPostgreSQL

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Moves a ledger from SQLite to PostgreSQL, or back.",
        discussion: """
            Copies everything: challenges, keys with their counters, used digests and the marks of purged ones, blocks, operators, \
            sealed keys, documents, tasks and the audit trail. From the beginning on, FROM refuses all writers, for good. The copy is \
            compared by counts and digests. A migration that was interrupted is continued by the same command. Until the copy \
            is complete, TO is refused by all other commands.

            TO is empty: a new file, or a database after `assay ledger create`. Both are used as the owner of the tables. After \
            --cancel, name another TO.

            Exit status: 0 moved, 1 the copy differs, 3 an outage, 64 bad arguments.
            """)

    @Argument(help: "The ledger to move.", completion: .durableLedger, transform: { try LedgerURL($0) })
    var from: LedgerURL

    @Argument(help: "The ledger to move it to.", completion: .durableLedger, transform: { try LedgerURL($0) })
    var to: LedgerURL

    @Flag(help: "Let writers into FROM again instead, after a migration to TO that was not finished.")
    var cancel = false

    func validate() throws {
        guard from != .memory, to != .memory, from != to else {
            throw ValidationError("FROM and TO are two ledgers of \(LedgerURL.durableForm)")
        }
    }

    func run() async throws {
        let source = try await from.openToMove(creating: false)
        do {
            try await move(source)
        } catch let outage as LedgerOutage {
            try? await source.close()
            throw CommandFailure(outage)
        } catch {
            try? await source.close()
            throw error
        }
        try await source.close()
    }

    private func move(_ source: any MovableLedger) async throws {
        let target = try await to.openToMove(creating: !cancel)
        let copy = LedgerCopy(source: source, from: from.description, target: target, to: to.description)
        do {
            try await (cancel ? self.cancel(copy) : run(copy))
        } catch let refusal as LedgerCopyRefusal {
            try? await target.close()
            throw CommandFailure(refusal.isOfCopy ? .rejected : .usage, refusal.description)
        } catch {
            try? await target.close()
            throw error
        }
        try await target.close()
    }

    private func cancel(_ copy: LedgerCopy) async throws {
        try await copy.cancel()
        try Console.print(escaping: "\(from.description) takes writers again; \(to.description) is refused for good")
    }

    private func run(_ copy: LedgerCopy) async throws {
        let inventory = try await copy.run()
        let parts = inventory.sections.sorted { $0.key < $1.key }.map { "\($0.value.count) \($0.key)" }
        try Console.print(
            escaping:
                "\(from.description) is moved to \(to.description): \(parts.isEmpty ? "empty" : parts.joined(separator: ", "))"
        )
    }
}
