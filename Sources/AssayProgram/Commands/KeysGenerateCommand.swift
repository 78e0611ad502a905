import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

struct KeysGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Draws a secret, seals it in the key store, and exports it once.",
        discussion: """
            The secret comes from the random number generator of the operating system. It has the length that the use \
            demands: 64 bytes for Approov's tokens, 32 bytes for the others. It is written as base64 into a new file that only \
            you can read, or with - to standard output. No command exports it a second time.

              assay keys generate account-2026 --use approov-issuer --export secret.b64

            Backends that verify with the same secret read this file, such as with `assay keys add --use approov`. Keep no \
            copy that you do not need.

            Exit status: 0, 1 there is a key of this name, 2 a master key that cannot be read, 3 an outage of the key store, \
            64 bad arguments, 74 the secret cannot be written.
            """)

    /// The part of keys that is random bytes.
    private static let part = "secret"
    private static let keyIDPart = "keyID"
    /// The lengths to try, in bytes: the shortest that keys of the use may have.
    private static let lengths = [32, 64]

    @Argument(help: "The name of the key, which verdicts show.")
    var name: String

    @Option(
        help: ArgumentHelp("What the key is for: \(KeysGenerateCommand.purposes).", valueName: "purpose"),
        completion: .list(KeysGenerateCommand.uses))
    var use: String

    // Unconditional: an ID may begin with a hyphen.
    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("The ID by which tokens name the key, for uses with one.", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("The length in bytes, where the use allows several.", valueName: "bytes"))
    var length: Int?

    @Option(
        help: ArgumentHelp(
            "A new file for the secret, or - for standard output. Without it the secret is in the key store only.",
            valueName: "file"), completion: .file())
    var export: String?

    @OptionGroup var options: NewKeyOptions

    /// The uses of keys that are random bytes.
    private static var uses: [String] {
        EngineRegistry.current.keyMaterials.filter { isDrawn($0) }.map { $0.purpose.name }
    }

    private static var purposes: String { uses.joined(separator: ", ") }

    private static func isDrawn(_ type: any KeyMaterial.Type) -> Bool {
        type.parts.contains { $0.name == part && $0.content == .secret }
    }

    func validate() throws {
        try NewKeyOptions.validate(name: name)
        let type = try KeysAddCommand.type(for: use)
        guard Self.isDrawn(type) else {
            throw ValidationError("a key for \(use) is not random bytes; allowed are \(Self.purposes)")
        }
        let idPart = type.parts.first { $0.name == Self.keyIDPart }
        guard idPart != nil || keyID == nil else { throw ValidationError("--key-id is no part of a key for \(use)") }
        guard idPart?.isRequired != true || keyID != nil else {
            throw ValidationError("a key for \(use) needs --key-id: \(idPart?.form ?? "")")
        }
        if let length, !(16...128).contains(length) {
            throw ValidationError("--length: expected 16 to 128, found \(length)")
        }
        guard export != "" else { throw ValidationError("--export: a file has a name") }
    }

    func run() async throws {
        let type = try KeysAddCommand.type(for: use)
        // Fail on a missing master key before a file is made.
        _ = try options.masterKey.read()
        let parts = try draw(type)
        guard let secret = parts[Self.part]?.endingLine else { return }
        let file = export == "-" ? nil : export
        // First the file: a key that is sealed and that backends cannot get is of no use.
        if let file { try NewFile.write(secret, to: file, mode: 0o600) }
        let confirmation: String
        do { confirmation = try await options.seal(name, type, parts: parts) } catch {
            if let file {
                // After an outage the key may be sealed all the same.
                if (error as? CommandFailure)?.status == .outage {
                    Console.note("\(file) has the secret: if `assay keys list` shows \(name), the key is sealed")
                } else {
                    unlink(file)
                }
            }
            throw error
        }
        guard export == "-" else {
            try Console.print(escaping: confirmation)
            if let file { try Console.print(escaping: "the secret is in \(file)") }
            return
        }
        Console.note(confirmation)
        var bytes = secret.withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        try Console.write(bytes)
    }

    /// Draws a secret that keys of a type can have, as base64.
    private func draw(_ type: any KeyMaterial.Type) throws(CommandFailure) -> [String: SecretBytes] {
        var failure: KeyError?
        for count in length.map({ [$0] }) ?? Self.lengths {
            var generator = SystemRandomNumberGenerator()
            let drawn = SecretBytes(count: count) { buffer in
                for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &generator) }
            }
            var parts = [Self.part: drawn.base64]
            if let keyID { parts[Self.keyIDPart] = SecretBytes(Array(keyID.utf8)) }
            do throws(KeyError) {
                _ = try type.reading(parts)
                return parts
            } catch {
                failure = error
                if error.part == Self.keyIDPart { break }
            }
        }
        let option = failure?.part == Self.keyIDPart ? "--key-id" : "--length"
        throw CommandFailure(.usage, "\(option): \(failure?.message ?? "no length fits")")
    }
}

extension SecretBytes {
    fileprivate var base64: SecretBytes {
        var text = withUnsafeBytes { Array(Base64.encode(Array($0), .standard).utf8) }
        defer { SecretBytes.wipe(&text) }
        return SecretBytes(text)
    }
}
