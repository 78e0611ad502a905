import Approov
import ArgumentParser
import AssayCore
import AssayInspection
import AssayPrimitives
import PlayIntegrity

struct KeysImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports keys from where they are handed out.",
        subcommands: [KeysImportPlayConsoleCommand.self, KeysImportApproovCommand.self])
}

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

struct KeysImportApproovCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approov",
        abstract: "Imports the secret of an Approov account from what the approov tool prints.",
        discussion: """
            FILE is the output of the tool. It may contain prompts and warnings. The secret is recognised by its \
            form, base64 of 64 bytes, also when a terminal has wrapped it. Two texts that could be it are refused. Piped, \
            it is written nowhere else:

              approov secret admin.tok -get \\
                | assay keys import approov - --name approov-2026 --for shop-api

            When the secret is updated, import the new one under another name: both are live until the old one is \
            retired with `assay keys retire`, six minutes later, and no request is refused meanwhile.

            Exit status: 0, 1 there is a key of this name, 2 a file that cannot be read or has no secret, 3 an outage of \
            the key store, 64 bad arguments.
            """)

    @Argument(
        help: "What the tool printed, in a file that only you can read, and - for standard input.", completion: .file())
    var file: String

    @Option(help: "The name that the key gets, which verdicts show.")
    var name: String

    // Unconditional: an ID may begin with a hyphen.
    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("The kid that tokens name the secret by, when they do.", valueName: "id"))
    var keyID: String?

    @OptionGroup var options: NewKeyOptions

    func validate() throws {
        try NewKeyOptions.validate(name: name)
        try SecretArgument.validateFile(file, of: "FILE")
        // The user may have pasted the secret instead of a path. Do not print it.
        guard (try? ApproovToolOutput(SecretBytes(Array(file.utf8)))) == nil else {
            throw ValidationError(
                "FILE: expected the name of a file, found what may be the secret. Every user of this machine sees the "
                    + "arguments of a running program")
        }
    }

    func run() async throws {
        // Fail on a missing master key before reading the file.
        _ = try options.masterKey.read()
        let name = InputFile.name(file)
        var parts: [String: SecretBytes] = [:]
        do {
            let output = try ApproovToolOutput(readText())
            parts["secret"] = output.secret
            if output.otherLines > 0 {
                Console.note(
                    "\(name): \(output.otherLines) other line\(output.otherLines == 1 ? " is" : "s are") passed over")
            }
            if let keyID { parts["keyID"] = SecretBytes(Array(keyID.utf8)) }
            _ = try ApproovKey.reading(parts)
        } catch let error as KeyError {
            throw CommandFailure(
                .unreadable, error.part == "keyID" ? "--key-id: \(error.message)" : "\(name): \(error.message)")
        }
        try await options.add(self.name, ApproovKey.self, parts: parts)
    }

    private func readText() throws(CommandFailure) -> SecretBytes {
        guard file == "-" else { return try SecretArgument.readFile(file, of: "FILE") }
        var bytes = try InputFile.read(file, limit: InputLimits.keyPart)
        defer { SecretBytes.wipe(&bytes) }
        return SecretBytes(bytes)
    }
}
