import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayTokens
import Foundation

struct SecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Adds, lists and retires the secrets that apps receive at run time.",
        discussion: """
            The values are sealed in the key store of the ledger, and no command prints one. POST /v1/secrets gives them to \
            apps whose policy has `secrets`, after accepted evidence.
            """,
        subcommands: [SecretsAddCommand.self, SecretsListCommand.self, SecretsRetireCommand.self])
}

struct SecretsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a value of a secret.",
        discussion: """
            Of several values of a name the newest one that may be used counts: to rotate a secret, add the new value, and \
            retire the old one when no app has it any more. With --derive there is no value to give: the command draws a \
            master secret, and each device receives a value of its own. The ledger is created if it does not exist.

              assay secrets add maps-ios --for shop-ios --value file:maps.key
              assay secrets add sealing --for shop-ios --derive

            Exit status: 0, 2 a value that cannot be read or used, 3 an outage of the key store, 64 bad arguments.
            """)

    @Argument(help: "\(RuntimeSecret.parts.first { $0.name == RuntimeSecret.namePart }?.form ?? "the name").")
    var name: String

    @Option(
        help: ArgumentHelp(
            "The value, UTF-8 of at most \(RuntimeSecret.longest) bytes: file:PATH or env:NAME. A line end at its end is cut off.",
            valueName: "source"),
        completion: .source)
    var value: String?

    @Flag(help: "Each device receives a value of its own.")
    var derive = false

    @OptionGroup var options: NewKeyOptions

    func validate() throws {
        if let objection = SecretName.objection(to: name) {
            throw ValidationError("the name of a secret: \(objection)")
        }
        guard (value == nil) == derive else { throw ValidationError("give either --value or --derive") }
        try SecretArgument.validate(value, of: "--value")
    }

    func run() async throws {
        let mode = derive ? RuntimeSecret.Mode.derive : .text
        let parts = [
            RuntimeSecret.namePart: SecretBytes(Array(name.utf8)),
            RuntimeSecret.modePart: SecretBytes(Array(mode.rawValue.utf8)),
            RuntimeSecret.valuePart: try value.map { try SecretArgument.read($0, of: "--value") } ?? Self.master(),
        ]
        do { _ = try RuntimeSecret.reading(parts) } catch {
            throw SecretArgument.failure(error, of: "--value", value)
        }
        var generator = SystemRandomNumberGenerator()
        let mark = (0..<4).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        // The name in the key store: one secret has several values over time.
        let key = "\(options.scope ?? "any")/\(name)/\(mark.hexadecimal)"
        try NewKeyOptions.validate(name: key)
        try await options.add(key, RuntimeSecret.self, parts: parts)
    }

    private static func master() -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<RuntimeSecret.masterLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return SecretBytes(Array(Base64.encode(bytes, .standard).utf8))
    }
}

struct SecretsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the secrets, without their values.",
        discussion: """
            The first column is the key: its name in the key store, by which `assay secrets retire` and `assay keys remove` \
            find it. The command takes no master key, so it proves nothing: a process that can write to the file can change the \
            list.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var options: LedgerOptions
    /// Accepted as by the other commands on keys, and not read.
    @OptionGroup(visibility: .hidden) var masterKey: MasterKeyOption

    @Flag(help: "Print one JSON object per value.")
    var json = false

    func run() async throws {
        let keys = try await options.url.withLedger(creating: false) { open in
            let storage = try open.sealedKeys()
            return try await storage.sealedKeys().filter { $0.purpose == RuntimeSecret.purpose }
        }
        let now = Date()
        guard !json else {
            for key in keys {
                let (mode, secret) = key.modeAndSecret
                var object = JSONObject(["secret": secret, "mode": mode])
                for (name, text) in key.texts(at: now) where !["use", "algorithm"].contains(name) {
                    object.add(name, text: text)
                }
                try Console.print(object.text)
            }
            return
        }
        guard !keys.isEmpty else { return Console.note("\(options.url.description) has no secrets") }
        let rows = keys.map { key in
            let (mode, secret) = key.modeAndSecret
            return [
                key.name, secret, mode, key.scope ?? "-", key.window.notBefore.map(RFC3339.format) ?? "-",
                key.window.notAfter.map(RFC3339.format) ?? "-", key.state(at: now).name,
                RFC3339.format(key.addedAt),
            ]
        }
        try Console.print(
            table: [["key", "secret", "mode", "for", "not before", "not after", "state", "added"]] + rows)
    }
}

extension SealedKey {
    /// What the summary of a runtime secret says.
    fileprivate var modeAndSecret: (mode: String, secret: String) {
        let words = algorithm.split(separator: " ", maxSplits: 1)
        return (words.first == "text" ? "text" : "derive", words.last.map(String.init) ?? "")
    }
}

struct SecretsRetireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Retires a value of a secret: no app receives it any more.",
        discussion: """
            Apps that have the value keep it for at most `secrets.life` of the policy. A value that has leaked must also be \
            changed where it is used.

            Exit status: 0, 1 when there is no such key or it was retired before, 2 a master key that cannot be read, 3 \
            an outage or no ledger, 64 bad arguments.
            """)

    @Argument(help: "The key, as `assay secrets list` prints it in the first column.")
    var key: String

    @OptionGroup var retirement: KeyRetirement

    func run() async throws { try await retirement.retire("secret", key, purpose: RuntimeSecret.purpose) }
}
