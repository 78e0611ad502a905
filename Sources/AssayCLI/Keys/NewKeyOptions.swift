import ArgumentParser
import Assay
import AssayCore
import AssayLedgerSQLite
import Foundation

/// What is said of a key that is added, besides its parts.
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
    @OptionGroup var masterKey: MasterKeyOption

    private var window: KeyWindow { KeyWindow(notBefore: notBefore, notAfter: notAfter) }

    func validate() throws {
        guard !window.isEmpty else { throw ValidationError("--not-after is before --not-before") }
        if let objection = scope.flatMap({ KeyName.objection(to: $0) }) { throw ValidationError("--for: \(objection)") }
    }

    /// Refuses what no key can be named.
    static func validate(name: String) throws {
        if let objection = KeyName.objection(to: name) { throw ValidationError("the name of a key: \(objection)") }
    }

    /// Seals a key, in a ledger that is begun when there is none, and says so.
    func add(
        _ name: String, _ type: any KeyMaterial.Type, parts: [String: SecretBytes]
    ) async throws(CommandFailure) {
        let masterKey = try masterKey.read()
        let open = try ledger.url.open(creating: true)
        defer { open.close() }
        guard let store = open.keyStore(masterKey) else {
            throw CommandFailure(.usage, "keys are sealed in a ledger of sqlite:PATH")
        }
        let now = Date()
        let entry: SealedKeyEntry
        do {
            entry = try await store.add(name, for: type.purpose, parts: parts, scope: scope, window: window, at: now)
        } catch {
            throw CommandFailure(error)
        }
        let recipient = entry.scope.map { " of \($0)" } ?? ""
        try Console.print(
            Terminal(STDOUT_FILENO).printable(
                "key \(entry.name) for \(entry.purpose)\(recipient) is sealed in \(ledger.url.description): "
                    + "\(entry.state(at: now))"))
    }
}
