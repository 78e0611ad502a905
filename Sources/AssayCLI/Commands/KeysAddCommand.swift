import ArgumentParser
import Assay
import AssayCore
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
              assay keys add approov-2026 --use approov --for shop-api \\
                --secret file:secret.b64
              assay keys add approov-es --use approov --for shop-api \\
                --key-set file:keys.json
              assay keys add signing --use approov-message --for shop-api \\
                --key-id MSKID --secret file:account.b64

            --key-id and --algorithm are no secrets, and are written as they are.

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

    @Option(
        help: ArgumentHelp(
            "approov: the account's secret; approov-message: the account's message signing key.", valueName: "source"))
    var secret: String?

    @Option(help: ArgumentHelp("approov: a public key that tokens are verified with.", valueName: "source"))
    var publicKey: String?

    @Option(help: ArgumentHelp("approov: a JSON Web Key Set of such keys.", valueName: "source"))
    var keySet: String?

    // An ID may begin with a hyphen, which is no option then.
    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("approov: the kid of tokens; approov-message: their mskid.", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("approov: the algorithm that the key is to have, such as ES256.", valueName: "name"))
    var algorithm: String?

    @OptionGroup var options: NewKeyOptions

    private static var purposes: String { Verifier.keyMaterials.map { $0.purpose.name }.joined(separator: ", ") }

    /// The options that are parts of keys.
    private var sources: [KeySources.Source] {
        [
            ("decryptionKey", "--decryption-key", decryptionKey),
            ("verificationKey", "--verification-key", verificationKey), ("secret", "--secret", secret),
            ("publicKey", "--public-key", publicKey), ("keySet", "--key-set", keySet), ("keyID", "--key-id", keyID),
            ("algorithm", "--algorithm", algorithm),
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
            let part = parts.first { $0.name == source.part }
            if part?.content != .word { try SecretArgument.validate(source.text, of: source.option) }
            guard part != nil || source.text == nil else {
                throw ValidationError("\(source.option) is no part of a key for \(use)")
            }
            guard part?.isRequired != true || source.text != nil else {
                throw ValidationError("a key for \(use) needs \(source.option): \(part?.form ?? "")")
            }
        }
        let main = parts.filter { $0.content != .word }.map(\.name)
        guard sources.contains(where: { main.contains($0.part) && $0.text != nil }) else {
            let options = sources.filter { main.contains($0.part) }.map(\.option).joined(separator: ", ")
            throw ValidationError("a key for \(use) needs one of \(options)")
        }
    }

    func run() async throws {
        let type = try type()
        try await options.add(name, type, parts: KeySources(sources).read(type).parts)
    }
}
