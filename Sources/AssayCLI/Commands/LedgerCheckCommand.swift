import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger check`: checks the ledger for corruption.
struct LedgerCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in the ledger.",
        discussion: "Exit status: 0 sound, 1 damaged, 3 an outage, no ledger, or one that is too damaged to be opened.")

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let problems = try await options.url.withLedger(creating: false) { open in
            do throws(LedgerOutage) {
                return try await open.ledger.check(EngineRegistry.current.problem(withKey:))
            } catch {
                throw CommandFailure(error)
            }
        }
        let terminal = Terminal(STDOUT_FILENO)
        for problem in problems { try Console.print(terminal.printable(problem)) }
        guard problems.isEmpty else {
            throw CommandFailure(
                .rejected,
                "\(options.url.description) is damaged: \(problems.count) "
                    + (problems.count == 1 ? "finding" : "findings"))
        }
        try Console.print(terminal.printable("\(options.url.description) is sound"))
    }
}
