import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity

/// `assay keys import`: imports keys from vendor files.
struct KeysImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports keys from where they are handed out.",
        subcommands: [KeysImportPlayConsoleCommand.self, KeysImportApproovCommand.self])
}

/// `assay keys import play-console`: imports the response keys that the Play Console exports.
struct KeysImportPlayConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play-console",
        abstract: "Imports the response keys of an app from the Play Console's encrypted download.",
        discussion: """
            The console encrypts the keys for an RSA key of yours, whose public half you have uploaded there:

              (umask 077; openssl genrsa -aes128 -out private.pem 2048)
              openssl rsa -in private.pem -pubout -out public.pem

            This opens the file with the private key, and seals both response keys. They are written nowhere else.

              assay keys import play-console shop.enc --private-key private.pem \\
                --name play-2026 --for com.example.shop

            Exit status: 0, 1 there is a key of this name, 2 a file that cannot be read or opened, 3 an outage of the \
            key store, 64 bad arguments.
            """)

    @Argument(help: "The download, NAME.enc.", completion: .file(extensions: ["enc"]))
    var file: String

    @Option(
        help: ArgumentHelp("The RSA private key, PEM, in a file that only you can read.", valueName: "file"),
        completion: .file(extensions: ["pem"]))
    var privateKey: String

    @Option(
        help: ArgumentHelp(
            "What the private key is encrypted with: file:PATH or env:NAME. Without it the terminal asks.",
            valueName: "source"))
    var passphrase: String?

    @Option(help: "The name that the key gets, which verdicts show.")
    var name: String

    @OptionGroup var options: NewKeyOptions

    func validate() throws {
        try NewKeyOptions.validate(name: name)
        try SecretArgument.validate(passphrase, of: "--passphrase")
        try SecretArgument.validateFile(privateKey, of: "--private-key")
    }

    func run() async throws {
        // Fail on a missing master key before prompting for the passphrase.
        _ = try options.masterKey.read()
        let encrypted = try InputFile.read(file, limit: InputLimits.keyPart)
        let key = try readPrivateKey()
        let download: PlayConsoleDownload
        do {
            download = try PlayConsoleDownload(encrypted: encrypted, privateKey: key)
            _ = try PlayIntegrityKeys.reading(download.parts)
        } catch {
            throw CommandFailure(.unreadable, "\(InputFile.name(file)): \(error)")
        }
        for note in download.notes { Console.note("\(InputFile.name(file)): \(note)") }
        try await options.add(name, PlayIntegrityKeys.self, parts: download.parts)
    }

    private func readPrivateKey() throws(CommandFailure) -> RSAPrivateKey {
        let pem = try SecretArgument.readFile(privateKey, of: "--private-key")
        let given = try passphrase.map { (text) throws(CommandFailure) in
            try SecretArgument.read(text, of: "--passphrase").withoutLineEnd
        }
        do {
            return try RSAPrivateKey(pem: pem, passphrase: given)
        } catch .passphraseMissing {
            guard let typed = PassphrasePrompt.read("Passphrase of \(privateKey.excerpt(atMost: 1024)): ") else {
                throw failure(
                    .passphraseMissing, "; give --passphrase file:PATH or env:NAME, or run this on a terminal")
            }
            do {
                return try RSAPrivateKey(pem: pem, passphrase: typed)
            } catch {
                throw failure(error)
            }
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: RSAPrivateKeyError, _ remedy: String = "") -> CommandFailure {
        CommandFailure(.unreadable, "--private-key: \(privateKey): \(error)\(remedy)")
    }
}

extension SecretBytes {
    /// The bytes without a line ending at the end of the file.
    fileprivate var withoutLineEnd: SecretBytes {
        withUnsafeBytes { bytes in
            var text = bytes[...]
            if text.last == 0x0A { text = text.dropLast() }
            if text.last == 0x0D { text = text.dropLast() }
            return SecretBytes(text)
        }
    }
}
