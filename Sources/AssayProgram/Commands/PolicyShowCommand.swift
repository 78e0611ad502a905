import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay policy show`: prints the policy in force.
struct PolicyShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints a policy with all defaults and the mode of every check, as YAML.",
        discussion: """
            The output is a policy that demands the same. Keys are shown as the policy refers to them, never their \
            contents. Checks that do not run because a field is not set are comments.
            """)

    @Argument(help: "The policy.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    func run() throws {
        let text: String
        do {
            text = try PolicyFile.effectiveText(path: file, engines: .current)
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
        try Console.write(Array(text.utf8))
    }
}
