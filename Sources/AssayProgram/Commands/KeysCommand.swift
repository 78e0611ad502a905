import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Generates, adds, imports, lists, retires and removes keys of the key store.",
        discussion: """
            The key store is in the file of a ledger. Each key is sealed there with AES-256-GCM under a master key, \
            which must be kept elsewhere. This command creates one:

              (umask 077; openssl rand -base64 32 >master.key)

            Several keys of an app may be live at once. To rotate a key, add the new one, and retire the old one when its \
            last evidence has arrived. Processes that have the store open use a change within a second.

            The file may have several master keys, one on each line. The first one seals; the others only open what they have sealed, \
            until `assay keys reseal` has sealed that under the first one.
            """,
        subcommands: [
            KeysGenerateCommand.self, KeysAddCommand.self, KeysImportCommand.self, KeysListCommand.self,
            KeysRetireCommand.self, KeysRemoveCommand.self, KeysResealCommand.self,
        ])
}

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

    static func type(for use: String) throws -> any KeyMaterial.Type {
        guard let type = EngineRegistry.current.keyMaterials.first(where: { $0.purpose.name == use }) else {
            throw ValidationError("no engine uses keys for \"\(use.prefix(60))\"; allowed are \(purposes)")
        }
        return type
    }

    func validate() throws {
        try NewKeyOptions.validate(name: name)
        let allowed = try Self.type(for: use).parts
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
        let type = try Self.type(for: use)
        try await options.add(name, type, parts: KeySources(parts.sources).read(type).parts)
    }
}

struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the keys of the key store, without anything secret.",
        discussion: """
            It takes no master key, so it proves nothing: a process that can write to the file can change the list. \
            A key that was changed does not open, and every verdict that needs the key store is an outage then.

            A note names each live key whose window ends within 14 days.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var options: LedgerOptions
    /// Accepted as by the other commands on keys, and not read.
    @OptionGroup(visibility: .hidden) var masterKey: MasterKeyOption

    @Flag(help: "Print one JSON object per key.")
    var json = false

    func run() async throws {
        let keys = try await options.url.withLedger(creating: false) { open in
            let storage = try open.sealedKeys()
            return try await storage.sealedKeys()
        }
        let now = Date()
        for key in keys { key.noteEnd(at: now) }
        if json { return try keys.forEach { try Console.print($0.json(at: now)) } }
        guard !keys.isEmpty else { return Console.note("\(options.url.description) has no keys") }
        let rows =
            [["name", "use", "for", "algorithm", "not before", "not after", "state", "added"]]
            + keys.map { $0.cells(at: now) }
        try Console.print(table: rows)
    }
}

extension SealedKey {
    fileprivate func cells(at now: Date) -> [String] {
        [
            name, purpose.name, scope ?? "-", algorithm, window.notBefore.map(RFC3339.format) ?? "-",
            window.notAfter.map(RFC3339.format) ?? "-", stateText(at: now), RFC3339.format(addedAt),
        ]
    }

    /// Notes the end of a live key if it is near.
    fileprivate func noteEnd(at now: Date) {
        guard let end = window.notAfter, state(at: now) == .live, end < now.addingTimeInterval(KeyWindow.notice)
        else { return }
        let days = Int(end.timeIntervalSince(now) / 86_400)
        Console.note(
            "key \(name) for \(purpose) ends in \(days) day\(days == 1 ? "" : "s"), at \(RFC3339.format(end)): add the next one"
        )
    }

    /// The state with the retirement time, which has no column.
    private func stateText(at now: Date) -> String {
        switch state(at: now) {
        case .retired(let time): "retired at \(RFC3339.format(time))"
        case .live, .pending, .expired:
            state(at: now).name + (retiredAt.map { ", retires at \(RFC3339.format($0))" } ?? "")
        }
    }

    /// The key as one JSON object on one line.
    fileprivate func json(at now: Date) -> String {
        var object = JSONObject()
        for (name, text) in texts(at: now) { object.add(name, text: text) }
        return object.text
    }
}

struct KeysRetireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Retires a key: evidence under it is rejected, and verdicts name the key.",
        discussion: """
            The time of retirement can be moved to an earlier time, never to a later one. The command needs the master \
            key, because the time is sealed together with the key. `assay keys remove` does not need it.

            Exit status: 0, 1 when there is no such key or it was retired before, 2 a master key that cannot be read, 3 \
            an outage or no ledger, 64 bad arguments.
            """)

    @Argument(help: "The name of the key.")
    var name: String

    @OptionGroup var retirement: KeyRetirement

    func run() async throws { try await retirement.retire("key", name) }
}

/// The options of the commands that retire a sealed key.
struct KeyRetirement: ParsableArguments {
    @Option(
        help: ArgumentHelp("The time of retirement (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption

    /// Retires the key, and says so.
    ///
    /// - Parameter purpose: what the key must be for; nil for any purpose.
    func retire(_ noun: String, _ name: String, purpose: KeyPurpose? = nil) async throws {
        let masterKey = try masterKey.read()
        let now = Date()
        let (time, place) = (at ?? now, options.url.description)
        try confirmation.require("This retires \(noun) \(name) of \(place) at \(RFC3339.format(time))")
        try await options.url.withLedger(creating: false) { open in
            if let purpose {
                let known = try await open.sealedKeys().sealedKeys().filter { $0.purpose == purpose }
                guard known.contains(where: { $0.name.isByteEqual(to: name) }) else {
                    throw CommandFailure(.rejected, "\(place) has no \(noun) \(name.excerpt)")
                }
            }
            try await open.keyStore(masterKey).retire(name, at: time, by: author.name, now: now)
        }
        let verb = time <= now ? "is" : "will be"
        try Console.print(escaping: "\(noun) \(name) \(verb) retired at \(RFC3339.format(time))")
    }
}

struct KeysRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a key permanently.",
        discussion: """
            Evidence under the key can no longer be opened, and verdicts do not name the key. The master key is not \
            needed. The sealed bytes may stay in free pages of the file until SQLite reuses these.

            Exit status: 0, 1 when there is no such key, 3 an outage or no ledger.
            """)

    @Argument(help: "The name of the key.")
    var name: String

    @OptionGroup var options: LedgerOptions
    /// Accepted as by the other commands on keys, and not read.
    @OptionGroup(visibility: .hidden) var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption

    func run() async throws {
        try confirmation.require("This removes key \(name) of \(options.url.description) permanently")
        try await options.url.withLedger(creating: false) { open in
            let storage = try open.sealedKeys()
            do throws(KeyStoreFailure) {
                try await storage.removeSealedKey(name, by: author.name, at: Date())
            } catch .refusal(.unknownName) {
                throw CommandFailure(.rejected, "\(options.url.description) has no key \(name.prefix(60))")
            } catch {
                throw CommandFailure(error)
            }
        }
        try Console.print(escaping: "key \(name) is removed from \(options.url.description)")
    }
}
