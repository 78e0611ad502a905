import ArgumentParser
import Assay
import AssayCore

/// Secrets on the command line: never themselves, but where they are.
///
/// Options that take one are plain text to the argument parser, whose errors show the value that was found.
enum SecretArgument {
    /// Checks that the text of an option names a source.
    ///
    /// - Throws: `ValidationError` that does not show the text.
    static func validate(_ text: String?, of option: String) throws {
        guard let text else { return }
        do {
            _ = try SecretSource(text)
        } catch {
            throw ValidationError(
                "\(option): \(error.message). Every user of this machine sees the arguments of a running program")
        }
    }

    /// Checks that the text of an option may name a file, and is not what is in one: errors show the names of files.
    ///
    /// - Throws: `ValidationError` that does not show the text.
    static func validateFile(_ text: String, of option: String) throws {
        guard !text.utf8.contains(0x0A), !text.utf8.contains(0x0D), !text.contains("-----BEGIN") else {
            throw ValidationError(
                "\(option): expected the name of a file, found what may be in one. Every user of this machine sees the "
                    + "arguments of a running program")
        }
    }

    /// Reads what the source of an option holds.
    static func read(
        _ text: String, of option: String, isSecret: Bool = true
    ) throws(CommandFailure) -> SecretBytes {
        do {
            return try SecretSource(text).read(isSecret: isSecret)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error.message)")
        }
    }

    /// What is wrong with a part of a key: the option, its source, and the sentence.
    static func failure(_ error: KeyError, of option: String?, _ text: String?) -> CommandFailure {
        guard let option else { return CommandFailure(.unreadable, error.description) }
        // Echo a word unchanged, only once.
        guard let source = text.flatMap({ try? SecretSource($0) }) else {
            return CommandFailure(.unreadable, "\(option): \(error.message)")
        }
        return CommandFailure(.unreadable, "\(option): \(source.name): \(error.message)")
    }

    /// Reads a file that is named as it is, or a source.
    static func readFile(_ text: String, of option: String) throws(CommandFailure) -> SecretBytes {
        let isSource = text.hasPrefix("file:") || text.hasPrefix("env:")
        return try read(isSource ? text : "file:\(text)", of: option)
    }
}
