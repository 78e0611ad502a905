import ArgumentParser
import Assay
import Foundation

/// `assay keys add`: seals a key.
struct KeysAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a key to the key store.",
        discussion: """
            Secrets are no arguments, which every user of a machine can see, but stand in a file that only you can read \
            or in a variable: file:PATH or env:NAME. The ledger is begun when it does not exist.

              assay keys add play-2026 --use play-integrity --for com.example.shop \\
                --decryption-key file:d.b64 --verification-key file:v.b64

            Exit status: 0, 1 there is a key of this name, 2 a key that cannot be read or used, 3 an outage of the key \
            store, 64 bad arguments.
            """)

    @Argument(help: "The name of the key, which verdicts show.")
    var name: String

    @Option(
        help: ArgumentHelp("What the key is for: \(KeysAddCommand.purposes).", valueName: "purpose"),
        completion: .list(Verifier.keyMaterials.map { $0.purpose.name }))
    var use: String

    @Option(help: ArgumentHelp("play-integrity: the key that opens tokens.", valueName: "source"))
    var decryptionKey: String?

    @Option(help: ArgumentHelp("play-integrity: the public key that verifies them.", valueName: "source"))
    var verificationKey: String?

    @OptionGroup var options: NewKeyOptions

    private static var purposes: String { Verifier.keyMaterials.map { $0.purpose.name }.joined(separator: ", ") }

    /// The options that are parts of keys.
    private var sources: [KeySources.Source] {
        [
            ("decryptionKey", "--decryption-key", decryptionKey),
            ("verificationKey", "--verification-key", verificationKey),
        ]
    }

    private func type() throws -> any KeyMaterial.Type {
        guard let type = Verifier.keyMaterials.first(where: { $0.purpose.name == use }) else {
            throw ValidationError("no engine uses keys for \"\(use.prefix(60))\"; allowed are \(Self.purposes)")
        }
        return type
    }

    func validate() throws {
        try NewKeyOptions.validate(name: name)
        let parts = try type().parts
        for source in sources {
            try SecretArgument.validate(source.text, of: source.option)
            let part = parts.first { $0.name == source.part }
            guard part != nil || source.text == nil else {
                throw ValidationError("\(source.option) is no part of a key for \(use)")
            }
            guard part?.isRequired != true || source.text != nil else {
                throw ValidationError("a key for \(use) needs \(source.option): \(part?.form ?? "")")
            }
        }
    }

    func run() async throws {
        let type = try type()
        try await options.add(name, type, parts: KeySources(sources).read(type).parts)
    }
}
