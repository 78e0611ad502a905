import Assay
import AssayCore

/// Reads policies that the command line names.
enum PolicyArgument {
    /// Reads a policy file. Prints a note on unknown names in it, which may be misspelt.
    static func read(_ path: String) throws(CommandFailure) -> VerificationPolicy {
        do {
            let policy = try PolicyFile.load(path: path, engines: .current)
            for note in policy.notes { Console.note(note) }
            return policy
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
    }
}
