import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay policy check`: prints every error and every weak setting of a policy.
struct PolicyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Prints every error and every weak setting of a policy.",
        discussion: """
            Prints one line each, FILE:LINE: error, warning or note: the field and what is wrong with it. A policy with errors \
            cannot be used. A warning names a setting that admits more than is needed, a name that is not known and may be \
            misspelt, a rule that is not in force, or a key that is not in force or ends within 30 days. A note names what a \
            setting needs outside of the policy, such as a signal that is turned on in the Play Console.

            Exit status: 0 no errors, 1 warnings with --strict, 2 errors.
            """)

    @Argument(help: "The policy.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Flag(help: "Exit with 1 if there are warnings.")
    var strict = false

    @Flag(help: "Print one JSON object per error, warning or note: file, line, severity, field and message.")
    var json = false

    func run() throws {
        let review = PolicyReview(path: file, engines: .current, at: Date())
        let terminal = Terminal(STDOUT_FILENO)
        for finding in review.findings {
            try Console.print(json ? finding.json : terminal.printable(finding.description))
        }
        let (errors, warnings) = (review.count(.error), review.count(.warning))
        Console.note(
            "\(file): \(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")")
        if errors > 0 { throw CommandFailure(.unreadable) }
        if strict, warnings > 0 { throw CommandFailure(.rejected) }
    }
}
