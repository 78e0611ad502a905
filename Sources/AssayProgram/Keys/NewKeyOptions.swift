import ArgumentParser
import AssayCore
import AssayPrimitives
import Foundation

/// Scope, validity window and store of a new key.
struct NewKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The package name or the policy's app that the key is for. Without it every app whose policy names the key.",
            valueName: "package"))
    var scope: String?

    @Option(
        help: ArgumentHelp("From when on the key is used (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var notBefore: Date?

    @Option(
        help: ArgumentHelp("Until when the key is used (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var notAfter: Date?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var author: OperatorOption
    @OptionGroup var masterKey: MasterKeyOption

    private var window: KeyWindow { KeyWindow(notBefore: notBefore, notAfter: notAfter) }

    func validate() throws {
        guard !window.isEmpty else { throw ValidationError("--not-after is before --not-before") }
        if let objection = scope.flatMap({ KeyName.objection(to: $0) }) { throw ValidationError("--for: \(objection)") }
    }

    static func validate(name: String) throws {
        if let objection = KeyName.objection(to: name) { throw ValidationError("the name of a key: \(objection)") }
    }

    /// Seals a key and prints a confirmation. Creates a missing ledger.
    func add(_ name: String, _ type: any KeyMaterial.Type, parts: [String: SecretBytes]) async throws {
        try Console.print(escaping: try await seal(name, type, parts: parts))
    }

    /// Seals a key. Creates a missing ledger. Returns a confirmation.
    func seal(
        _ name: String, _ type: any KeyMaterial.Type, parts: [String: SecretBytes]
    ) async throws -> String {
        let masterKey = try masterKey.read()
        let now = Date()
        let (key, copies) = try await ledger.url.withLedger(creating: true) { open in
            let store = try open.keyStore(masterKey)
            let key = try await store.add(
                name, for: type.purpose, parts: parts, scope: scope, window: window, by: author.name, at: now)
            // The key is added: an outage of this look-up is none of the command.
            let copies = try? await store.names(withSecretsOf: parts, for: type.purpose, besides: name, at: now)
            return (key, copies ?? [])
        }
        for other in copies {
            Console.note(
                "the key \(other) has the same secret as \(name): retiring one of them does not end the use of the secret"
            )
        }
        let recipient = key.scope.map { " of \($0)" } ?? ""
        return "key \(key.name) for \(key.purpose)\(recipient) is sealed in \(ledger.url.description): "
            + "\(key.state(at: now))"
    }
}
