import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// `assay capture open`: opens sealed records.
struct CaptureOpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens sealed records, and prints each record in clear on one line.",
        discussion: """
            Records that are not sealed are printed as well. What cannot be read or opened is reported on standard error.

            Exit status: 0, 2 something could not be read or opened, 74 the output cannot be written.
            """)

    @OptionGroup var corpus: CorpusArguments

    @Option(help: ArgumentHelp("The private key: file:PATH or env:NAME.", valueName: "source"))
    var key: String

    @Flag(
        help:
            "The input is a part of a file, such as that of a worker: the number at the end of sealed records is not compared."
    )
    var part = false

    func validate() throws { try SecretArgument.validate(key, of: "--key") }

    func run() throws {
        let key = try CaptureKeyArgument.privateKey(key, of: "--key")
        try corpus.rewrite(opening: key, isPart: part) { (record, _) throws(CaptureError) in record.jsonLine }
    }
}

/// Reads capture keys from option values.
enum CaptureKeyArgument {
    /// Reads the private key from the source that an option names.
    static func privateKey(_ source: String, of option: String) throws(CommandFailure) -> CapturePrivateKey {
        let text: SecretBytes
        do throws(CommandFailure) {
            text = try SecretArgument.read(source, of: option)
        } catch {
            // A public key may be readable for others, so report the wrong kind of key instead of the file's mode.
            guard let open = try? SecretArgument.read(source, of: option, isSecret: false),
                (try? CapturePublicKey(text: open)) != nil
            else { throw error }
            text = open
        }
        do {
            return try CapturePrivateKey(text: text)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error.message)")
        }
    }

    /// Refuses a file that others can write: who replaces the key reads all that is sealed from then on.
    private static func requireOwnWriter(_ source: String, of option: String) throws(CommandFailure) {
        guard source.hasPrefix("file:") else { return }
        let path = String(source.dropFirst("file:".count))
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & (S_IWGRP | S_IWOTH) != 0 else { return }
        throw CommandFailure(
            .unreadable,
            "\(option): others can write \(path.excerpt), and who replaces the key reads what is sealed for it (mode "
                + "0\(String(status.st_mode & 0o777, radix: 8))); run: chmod go-w \(path.excerpt)")
    }

    /// Reads the public key from the source that an option names.
    static func publicKey(_ source: String, of option: String) throws(CommandFailure) -> CapturePublicKey {
        let text = try SecretArgument.read(source, of: option, isSecret: false)
        try requireOwnWriter(source, of: option)
        do {
            return try CapturePublicKey(text: text)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error.message)")
        }
    }
}
