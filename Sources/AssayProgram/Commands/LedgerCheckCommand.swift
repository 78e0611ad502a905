import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay ledger check`: checks the ledger for damage, and its storage for settings that put it at risk.
struct LedgerCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in the ledger, and for settings that put it at risk.",
        discussion: """
            Damage is in the entries, and a backup replaces them. Settings are those of the storage: of the database server and the \
            tables' definitions and rights, or the mode of the file. Each is corrected in place, as its line says; lines about \
            settings begin with "setting: ".

            Exit status: 0 sound, 1 damaged, 4 sound with settings to correct, 3 an outage, or no ledger: also a file of another \
            program, and one whose first page is damaged.
            """)

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        var settings: [String] = []
        let problems: [String]
        do {
            (problems, settings) = try await options.url.withLedger(creating: false) { open in
                do throws(LedgerOutage) {
                    // Settings first: some of them are the cause when the rest cannot be read.
                    let settings = try await open.ledger.settingProblems()
                    return (try await open.ledger.check(EngineRegistry.current.problem(withKey:)), settings)
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
        for setting in settings { try Console.print(terminal.printable("setting: \(setting)")) }
        guard problems.isEmpty else {
            throw CommandFailure(
                .rejected, "\(options.url.description) is damaged: \(Self.count(problems)); restore a backup")
        }
        guard settings.isEmpty else {
            throw CommandFailure(
                .settings,
                "\(options.url.description) is sound, and its settings put it at risk: \(Self.count(settings)); correct them as "
                    + "each line says")
        }
        try Console.print(terminal.printable("\(options.url.description) is sound"))
    }

    private static func count(_ findings: [String]) -> String {
        "\(findings.count) \(findings.count == 1 ? "finding" : "findings")"
    }
}
