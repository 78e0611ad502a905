import ArgumentParser
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import Foundation

struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Makes keys for captured records; opens, seals and redacts them.",
        discussion: """
            Backends capture records with RecordCapture of the library Assay. Sealed ones can be read only with the private key \
            that belongs to the public one that the backend was given:

              assay capture key --output keys
              assay capture open --key file:keys/capture-private.key captures/
            """,
        subcommands: [
            CaptureKeyCommand.self, CaptureOpenCommand.self, CaptureSealCommand.self, CaptureRedactCommand.self,
        ])
}

struct CaptureKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Makes a pair of keys: records are sealed for the public one, and opened with the private one.",
        discussion: """
            Each file says which key it has, and the 32 bytes of an X25519 key in base64. A file that exists is not written over: what was sealed \
            for a lost key stays closed.

            Exit status: 0, 74 a file exists or cannot be written.
            """)

    @Option(
        help: ArgumentHelp(
            "Make capture-private.key and capture-public.key in this folder, which is made when it is missing.",
            valueName: "folder"), completion: .directory)
    var output: String?

    @Option(
        name: .customLong("private"), help: ArgumentHelp("The file of the private key.", valueName: "file"),
        completion: .file())
    var privateFile: String?

    @Option(
        name: .customLong("public"), help: ArgumentHelp("The file of the public key.", valueName: "file"),
        completion: .file())
    var publicFile: String?

    func validate() throws {
        guard (output == nil) == (privateFile != nil), (privateFile == nil) == (publicFile == nil) else {
            throw ValidationError("give --output FOLDER, or both --private FILE and --public FILE")
        }
        guard [output, privateFile, publicFile].allSatisfy({ $0 != "" }) else {
            throw ValidationError("a file or a folder has a name")
        }
    }

    func run() throws {
        if let output {
            do {
                try FileManager.default.createDirectory(
                    atPath: output, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw CommandFailure(.output, "\(output) cannot be made: \(error.localizedDescription)")
            }
        }
        let privatePath = privateFile ?? "\(output ?? ".")/capture-private.key"
        let publicPath = publicFile ?? "\(output ?? ".")/capture-public.key"
        let key = try make()
        try NewFile.write(key.text.endingLine, to: privatePath, mode: 0o600)
        do {
            let text = SecretBytes(Array(key.publicKey.text.utf8))
            try NewFile.write(text.endingLine, to: publicPath, mode: 0o644)
        } catch {
            unlink(privatePath)
            throw error
        }
        try Console.print(escaping: "private key in \(privatePath): keep it where replays run")
        try Console.print(escaping: "public key in \(publicPath): give it to the backends")
    }

    private func make() throws(CommandFailure) -> CapturePrivateKey {
        do { return try CapturePrivateKey.make() } catch { throw CommandFailure(.output, error.message) }
    }
}

extension SecretBytes {
    /// The bytes followed by a line feed.
    var endingLine: SecretBytes {
        withUnsafeBytes { bytes in
            SecretBytes(count: bytes.count + 1) { buffer in
                buffer.copyMemory(from: bytes)
                buffer[bytes.count] = UInt8(ascii: "\n")
            }
        }
    }
}

struct CaptureOpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens sealed records, and prints each record in clear on one line.",
        discussion: """
            Records that are not sealed are printed as well. What cannot be read or opened is reported on standard error.

            Exit status: 0, 2 something could not be read or opened, 74 the output cannot be written.
            """)

    @OptionGroup var corpus: CorpusArguments

    @Option(
        help: ArgumentHelp("The private key: file:PATH or env:NAME.", valueName: "source"), completion: .source)
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

struct CaptureSealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Seals the evidence of records for a public key, and prints each record on one line.",
        discussion: """
            Kind, app, time, id and expectation stay in clear, and cannot be changed any more. Evidence, account, device token and \
            device bits are encrypted with HPKE (RFC 9180: X25519, HKDF-SHA256, ChaCha20-Poly1305). The last record has the number \
            of all: `assay capture open` and `assay replay` report a file that was cut.

            Exit status: 0, 2 something could not be read, 74 the output cannot be written.
            """)

    @OptionGroup var corpus: CorpusArguments

    @Option(
        help: ArgumentHelp("The public key: file:PATH or env:NAME.", valueName: "source"), completion: .source)
    var to: String

    func validate() throws { try SecretArgument.validate(to, of: "--to") }

    func run() throws {
        let key = try CaptureKeyArgument.publicKey(to, of: "--to")
        try corpus.rewrite { (record, count) throws(CaptureError) in
            try record.sealedLine(for: key, endingFileOf: count)
        }
    }
}

struct CaptureRedactCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "redact",
            abstract: "Leaves sensitive fields out of records, and prints each record on one line.",
            discussion: """
                \(EngineRegistry.current.sensitiveFields.map(CaptureRedactCommand.describe).joined(separator: "\n"))

                account becomes its SHA-256 digest, which hides no account that can be guessed. deviceToken and every field that the \
                kind does not have are removed. `redacted` in a record names what was removed or replaced, and a replay reports \
                a record that cannot be judged without it as redacted. A sum is printed on standard error.

                Where a policy looks for the challenge in the client data, a replay cannot judge a record without it. A record of \
                an unknown kind is not printed, because its sensitive fields are not known.

                Exit status: 0, 2 something could not be read, 74 the output cannot be written.
                """)
    }

    @OptionGroup var corpus: CorpusArguments

    func run() throws {
        let engines = EngineRegistry.current
        var (records, fields, judgeable) = (0, 0, 0)
        defer {
            if records > 0 {
                Console.note(
                    "\(Words.count(records, "record")): \(Words.count(fields, "field")) removed or replaced; a replay can judge "
                        + "\(judgeable), and reports \(records - judgeable) as redacted")
            }
        }
        try corpus.rewrite { (record, _) throws(CaptureError) in
            let redacted = try record.redacted(knowing: engines)
            records += 1
            fields += redacted.redacted.count
            judgeable += redacted.indispensableFields(knowing: engines).isEmpty ? 1 : 0
            return redacted.jsonLine
        }
    }

    private static func describe(_ field: SensitiveField) -> String {
        let fate: String
        switch field.substitute {
        case .sha256(let name): fate = "becomes its SHA-256 digest in \(name)"
        case .none: fate = "is removed, so the record can no longer be verified"
        }
        let condition = field.condition.map { " \($0)" } ?? ""
        return "\(field.kind) \(field.name)\(condition): \(fate). It reveals \(field.reveals)."
    }
}
