import Assay
import AssayCore

/// Reads policies that the command line names.
enum PolicyArgument {
    /// Reads a policy file. Names in it that are not known are noted: one of them may be misspelt.
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
