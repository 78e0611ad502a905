import ArgumentParser
import Assay
import AssayCore
import AssayLedgerPostgreSQL
import AssayService
import Foundation

struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Shows, checks and exports the ledger; blocks and allows keys, devices, accounts and issuers.",
        subcommands: [
            LedgerShowCommand.self, LedgerKeysCommand.self, LedgerBlockCommand.self, LedgerUnblockCommand.self,
            LedgerAllowCommand.self, LedgerDisallowCommand.self, LedgerMoveCommand.self, LedgerCheckCommand.self,
            LedgerExportCommand.self, LedgerQuarantineCommand.self, LedgerCreateCommand.self,
        ])
}

struct LedgerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.durableForm). Without it the user's own.", valueName: "url"),
        completion: .durableLedger, transform: LedgerOptions.durable)
    var ledger: LedgerURL?

    /// The given URL, or the user's standard ledger.
    var url: LedgerURL { ledger ?? .standard() }

    static func durable(_ text: String) throws -> LedgerURL {
        let url = try LedgerURL(text)
        guard url != .memory else {
            throw ValidationError(
                "memory: holds nothing yet and keeps nothing; name a ledger with \(LedgerURL.durableForm)")
        }
        return url
    }
}

/// Whether a command may create a ledger.
struct CreateLedgerOption: ParsableArguments {
    @Flag(help: "Create the ledger if it does not exist; otherwise a missing ledger is an outage.")
    var createLedger = false
}

struct LedgerCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a new ledger: a file, or the tables in PostgreSQL with the rights of a server's role.",
        discussion: """
            A ledger that exists stays as it is. Run it as the user of the service, because only that user can read the new file; or, \
            for PostgreSQL, as a role that may create the schema, by default assay: schema=NAME in the URL names another one. The \
            password comes from PGPASSWORD or a password file.

            Exit status: 0 done, 3 an outage, or a schema that holds something else, 64 bad arguments.
            """)

    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.durableForm).", valueName: "url"), completion: .durableLedger,
        transform: LedgerOptions.durable)
    var ledger: LedgerURL

    @Option(
        name: .customLong("grant-to"),
        help: ArgumentHelp(
            "The role of the servers: it may read and write entries, and own nothing.", valueName: "role"))
    var role: String?

    func validate() throws {
        if case .sqlite = ledger, role != nil {
            throw ValidationError("--grant-to is for PostgreSQL: the mode of a file decides who may use it")
        }
    }

    func run() async throws {
        let isNew: Bool
        if case .sqlite(let path) = ledger {
            isNew = try await ledger.createFile(path)
        } else {
            do { isNew = try await PostgreSQLLedger.create(ledger.description, grantingTo: role) } catch {
                throw CommandFailure(opening: error)
            }
        }
        let granted = role.map { "; role \($0) may use it" } ?? ""
        try Console.print(
            escaping: "\(ledger.description) \(isNew ? "is a new ledger" : "is a ledger already")\(granted)")
    }
}

struct LedgerCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in the ledger, and for settings that put it at risk.",
        discussion: """
            Damage is in the entries, and a backup replaces them. Settings are those of the storage: of the database server and the \
            tables' definitions and rights, or the mode of the file. Each is corrected in place, as its line says; lines about \
            settings begin with "setting: ". --json prints one object: ledger, sound, problems and settings.

            Exit status: 0 sound, 1 damaged, 4 sound with settings to correct, 3 an outage, or no ledger: also a file of another \
            program, and one whose first page is damaged.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        var settings: [String] = []
        let problems: [String]
        do {
            (problems, settings) = try await options.url.withLedger(creating: false) { open in
                // Settings first: some of them are the cause when the rest cannot be read.
                let settings = try await open.ledger.settingProblems()
                return (try await open.ledger.check(EngineRegistry.current.problem(withKey:)), settings)
            }
        } catch {
            // A damaged file may be too damaged to be opened as a ledger.
            problems = options.url.damage()
            if problems.isEmpty { throw error }
        }
        if json {
            try Console.print(json: [
                "ledger": options.url.description, "sound": problems.isEmpty, "problems": problems,
                "settings": settings,
            ])
        } else {
            for problem in problems { try Console.print(escaping: problem) }
            for setting in settings { try Console.print(escaping: "setting: \(setting)") }
        }
        guard problems.isEmpty else {
            throw CommandFailure(
                .rejected, "\(options.url.description) is damaged: \(Self.count(problems)); restore a backup")
        }
        guard settings.isEmpty else {
            throw CommandFailure(
                .settings,
                "\(options.url.description) is sound, and its settings put it at risk: \(Self.count(settings)); correct them as "
                    + "each line says")
        }
        if !json { try Console.print(escaping: "\(options.url.description) is sound") }
    }

    private static func count(_ findings: [String]) -> String {
        "\(findings.count) \(findings.count == 1 ? "finding" : "findings")"
    }
}

struct LedgerExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints every entry as one JSON object per line.",
        discussion: """
            Binary is standard base64 with padding, times are RFC 3339. By the field "entry":

              challenge  sha256, app, purpose, issuedAt, expiresAt, consumedAt if it was
              key        engine, identifier, app, account if it has one, publicKey, counter, skipped (below), enrolledAt,
                         retiredAt if it is, properties
              digest     digest, app, kind, madeAt, usedAt, until
              block      kind (key, device, account or issuer), name, reason, since, until if it ends, operator if known
              allowance  as a block, and checks
              operator   name, role, addedAt, addedBy if known, until, revokedAt and revokedBy if it was

            "skipped" of a key is there if a window of counters may still accept smaller ones: bit i, from the least \
            significant bit of the first byte, is for the counter less 1 + i.

            A challenge that can still be used is a secret: the export has its SHA-256 digest instead. Keys of the key \
            store and the hashes of operators' tokens are not exported; see `assay keys list`.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        try await options.url.withLedger(creating: false) { open in
            try await open.ledger.export { entry in try Console.print(entry.json) }
        }
    }
}

struct LedgerMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Gives an enrolled key to another account, or to none.",
        discussion: """
            An attestation binds its key to the account of its session, and no other evidence changes that. Counter, blocks \
            and allowances of the key stay. The limit maximumKeys of a policy is not applied.

            Exit status: 0, 1 when there is no such key, 3 an outage or no ledger.
            """)

    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("The key ID, base64 of either alphabet.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyID: [UInt8]

    @Option(help: ArgumentHelp("The account that the key will belong to.", valueName: "name"))
    var account: String?

    @Flag(help: "Take the account of the key away.")
    var noAccount = false

    @OptionGroup var change: LedgerChangeOptions

    func validate() throws {
        guard (account == nil) == noAccount else {
            throw ValidationError("exactly one of --account and --no-account is needed")
        }
        guard let account else { return }
        guard (1...255).contains(account.utf8.count) else { throw ValidationError("--account takes 1 to 255 bytes") }
    }

    func run() async throws {
        let subject = LedgerSubject(keyID: keyID)
        let target = account.map { "account \($0)" } ?? "no account"
        try change.confirm("This gives \(subject) in \(change.url.description) to \(target)")
        let before = try await change.url.withLedger(creating: false) { open -> EnrolledKey? in
            guard let found = try await open.ledger.enrolledKey(withID: keyID) else { return nil }
            return try await open.ledger.move(found.identifier, to: account, by: change.author.name, at: Date())
        }
        guard let before else { throw CommandFailure(.rejected, "\(change.url.description) has no such key") }
        let origin = before.account.map { "account \($0)" } ?? "no account"
        try Console.print(escaping: "\(subject) belongs to \(target); before it was of \(origin)")
    }
}
