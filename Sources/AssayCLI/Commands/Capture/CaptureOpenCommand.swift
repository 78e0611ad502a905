import ArgumentParser
import AssayCapture
import AssayCore

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

    func validate() throws { try SecretArgument.validate(key, of: "--key") }

    func run() throws {
        let key = try CaptureKeyArgument.privateKey(key, of: "--key")
        try corpus.rewrite(opening: key) { (record) throws(CaptureError) in record.jsonLine }
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

    /// Reads the public key from the source that an option names.
    static func publicKey(_ source: String, of option: String) throws(CommandFailure) -> CapturePublicKey {
        let text = try SecretArgument.read(source, of: option, isSecret: false)
        do {
            return try CapturePublicKey(text: text)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error.message)")
        }
    }
}
