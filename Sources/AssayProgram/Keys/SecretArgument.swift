import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives

/// Secrets on the command line. Options name the source of a secret, never the secret itself.
///
/// The argument parser treats such options as plain text, because its parsing errors would print the value.
enum SecretArgument {
    /// Checks that an option names a source.
    ///
    /// - Throws: `ValidationError` without the text, which may be a secret.
    static func validate(_ text: String?, of option: String) throws {
        guard let text else { return }
        do {
            _ = try SecretSource(text)
        } catch {
            throw ValidationError(
                "\(option): \(error.message). Every user of this machine sees the arguments of a running program")
        }
    }

    /// Checks that an option can be a file name and is not the contents of a file. Other errors print file names.
    ///
    /// - Throws: `ValidationError` without the text, which may be a secret.
    static func validateFile(_ text: String, of option: String) throws {
        guard !text.utf8.contains(0x0A), !text.utf8.contains(0x0D), !text.contains("-----BEGIN") else {
            throw ValidationError(
                "\(option): expected the name of a file, found what may be in one. Every user of this machine sees the "
                    + "arguments of a running program")
        }
    }

    /// Reads the source that an option names.
    static func read(
        _ text: String, of option: String, isSecret: Bool = true
    ) throws(CommandFailure) -> SecretBytes {
        do {
            return try SecretSource(text).read(isSecret: isSecret)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error.message)")
        }
    }

    /// The error message for a part of a key: option, source and reason.
    static func failure(_ error: KeyError, of option: String?, _ text: String?) -> CommandFailure {
        guard let option else { return CommandFailure(.unreadable, error.description) }
        // A plain word may be the secret itself: do not print it.
        guard let source = text.flatMap({ try? SecretSource($0) }) else {
            return CommandFailure(.unreadable, "\(option): \(error.message)")
        }
        return CommandFailure(.unreadable, "\(option): \(source.name): \(error.message)")
    }

    /// Reads a file given by its plain path, or a source.
    static func readFile(_ text: String, of option: String) throws(CommandFailure) -> SecretBytes {
        let isSource = text.hasPrefix("file:") || text.hasPrefix("env:")
        return try read(isSource ? text : "file:\(text)", of: option)
    }
}
