import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// `assay capture key`: generates a key pair.
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
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print(terminal.printable("private key in \(privatePath): keep it where replays run"))
        try Console.print(terminal.printable("public key in \(publicPath): give it to the backends"))
    }

    private func make() throws(CommandFailure) -> CapturePrivateKey {
        do { return try CapturePrivateKey.make() } catch { throw CommandFailure(.output, error.message) }
    }
}

extension SecretBytes {
    /// The bytes followed by a line feed.
    fileprivate var endingLine: SecretBytes {
        withUnsafeBytes { bytes in
            SecretBytes(count: bytes.count + 1) { buffer in
                buffer.copyMemory(from: bytes)
                buffer[bytes.count] = UInt8(ascii: "\n")
            }
        }
    }
}
