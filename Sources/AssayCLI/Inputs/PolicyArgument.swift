import Assay
import AssayCore

/// Reads policies that the command line names.
enum PolicyArgument {
    /// Reads a policy file.
    static func read(_ path: String) throws(CommandFailure) -> VerificationPolicy {
        do {
            return try PolicyFile.load(path: path, engines: .current)
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
    }
}
