import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay keys add`: seals a key and stores it.
struct KeysAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a key to the key store.",
        discussion: """
            Secrets are read from a file or an environment variable (file:PATH or env:NAME), because every user of a \
            machine can see arguments. The ledger is created if it does not exist.

              assay keys add play-2026 --use play-integrity --for com.example.shop \\
                --decryption-key file:d.b64 --verification-key file:v.b64
              assay keys add approov-2026 --use approov --for shop-api \\
                --secret file:secret.b64
              assay keys add approov-es --use approov --for shop-api \\
                --key-set file:keys.json
              assay keys add signing --use approov-message --for shop-api \\
                --key-id MSKID --secret file:account.b64

            --key-id and --algorithm take the value itself: they are not secret.

            Exit status: 0, 1 there is a key of this name, 2 a key that cannot be read or used, 3 an outage of the key \
            store, 64 bad arguments.
            """)

    @Argument(help: "The name of the key, which verdicts show.")
    var name: String

    @Option(
        help: ArgumentHelp("What the key is for: \(KeysAddCommand.purposes).", valueName: "purpose"),
        completion: .list(EngineRegistry.current.keyMaterials.map { $0.purpose.name }))
    var use: String

    @OptionGroup var parts: KeyPartOptions
    @OptionGroup var options: NewKeyOptions

    private static var purposes: String {
        EngineRegistry.current.keyMaterials.map { $0.purpose.name }.joined(separator: ", ")
    }

    private func type() throws -> any KeyMaterial.Type {
        guard let type = EngineRegistry.current.keyMaterials.first(where: { $0.purpose.name == use }) else {
            throw ValidationError("no engine uses keys for \"\(use.prefix(60))\"; allowed are \(Self.purposes)")
        }
        return type
    }

    func validate() throws {
        try NewKeyOptions.validate(name: name)
        let allowed = try type().parts
        for source in parts.sources {
            let part = allowed.first { $0.name == source.part }
            if part?.content != .word { try SecretArgument.validate(source.text, of: source.option) }
            guard part != nil || source.text == nil else {
                throw ValidationError("\(source.option) is no part of a key for \(use)")
            }
            guard part?.isRequired != true || source.text != nil else {
                throw ValidationError("a key for \(use) needs \(source.option): \(part?.form ?? "")")
            }
        }
        let main = allowed.filter { $0.content != .word }.map(\.name)
        guard parts.sources.contains(where: { main.contains($0.part) && $0.text != nil }) else {
            let options = parts.sources.filter { main.contains($0.part) }.map(\.option).joined(separator: ", ")
            throw ValidationError("a key for \(use) needs one of \(options)")
        }
    }

    func run() async throws {
        let type = try type()
        try await options.add(name, type, parts: KeySources(parts.sources).read(type).parts)
    }
}
