import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger check`: checks the ledger for corruption.
struct LedgerCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in the ledger.",
        discussion:
            "Exit status: 0 sound, 1 damaged, 3 an outage, or no ledger: also a file of another program, and one whose first page is damaged."
    )

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let problems: [String]
        do {
            problems = try await options.url.withLedger(creating: false) { open in
                do throws(LedgerOutage) {
                    return try await open.ledger.check(EngineRegistry.current.problem(withKey:))
                } catch {
                    throw CommandFailure(error)
                }
            }
        } catch {
            // A damaged file may be too damaged to be opened as a ledger.
            problems = options.url.damage()
            if problems.isEmpty { throw error }
        }
        let terminal = Terminal(STDOUT_FILENO)
        for problem in problems { try Console.print(terminal.printable(problem)) }
        guard problems.isEmpty else {
            throw CommandFailure(
                .rejected,
                "\(options.url.description) is damaged: \(problems.count) "
                    + (problems.count == 1 ? "finding" : "findings") + "; restore a backup")
        }
        try Console.print(terminal.printable("\(options.url.description) is sound"))
    }
}
