import Assay
import AssayCore

/// Policies on the command line.
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
