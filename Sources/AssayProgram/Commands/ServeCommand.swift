import ArgumentParser
import Assay
package import AssayCore
package import AssayKeyStore
import Foundation

/// Runs the service. The program without HTTP has no runner.
package protocol ServiceRunner: Sendable {
    /// The configuration keys: name, form, default, and help.
    var keys: [(path: String, form: String, standard: String, help: String)] { get }

    /// Writes to the log that the service cannot start, or has ended, and why.
    func logFailure(_ problem: String)

    /// Writes to the log what happened at the start.
    func logNote(_ text: String)

    /// The problem codes of the service, with their meanings.
    var problems: [(code: String, meaning: String)] { get }

    /// Reads the configuration.
    ///
    /// - Throws: `PolicyError` for an invalid configuration.
    func prepare(
        file: String?, environment: [String: String], settings: [(key: String, value: String)]
    ) throws(PolicyError) -> any PreparedService

    /// The operators' listener of a running service, at `address` or, if that is nil, from the configuration.
    ///
    /// - Throws: `PolicyError` for an invalid configuration. The field `--address` means an invalid address.
    func listener(
        at address: String?, file: String?, environment: [String: String], settings: [(key: String, value: String)]
    ) throws(PolicyError) -> any ServiceListener
}

/// A service with its configuration.
package protocol PreparedService: Sendable {
    /// The URL of the ledger; nil for the user's own.
    var ledger: String? { get }
    /// The source of the master key.
    var masterKey: String? { get }
    /// The source of Google's service account.
    var serviceAccount: String? { get }
    /// The URL of the Play Integrity API; nil for Google's.
    var googleURL: String? { get }
    /// The URL of the list of revoked attestation certificates; nil for Google's.
    var statusListURL: String? { get }
    /// Where Apple's services are.
    var appleServers: AppleServers { get }

    /// Reads the policy, the files of TLS and the URLs, so that a mistake in them leaves no new ledger behind.
    ///
    /// - Throws: as ``run(ledger:keyStores:services:sealedKeys:)`` for them.
    func check() throws

    /// Serves until a signal stops the process.
    func run(
        ledger: any LedgerAdministration, keyStores: [any KeyStore], services: [any EngineService],
        sealedKeys: (any SealedKeyStorage)?
    ) async throws
}

/// `assay serve`: the service.
struct ServeCommand: AsyncParsableCommand {
    /// Runs the service; nil in a program without HTTP.
    @TaskLocal static var runner: (any ServiceRunner)?

    static var configuration: CommandConfiguration {
        let keys = (runner?.keys ?? []).map { key in
            "  \(key.path)\n      \(key.help)\n      \(key.form) (default: \(key.standard))"
        }
        return CommandConfiguration(
            commandName: "serve",
            abstract: "Verifies evidence for backends in any language, over HTTP.",
            discussion: """
                Keys of the configuration come from the file of --config, the environment and --set, each overriding those before. \
                In a file, limits.body is `limits: { body: 2MiB }`; in the environment it is ASSAY_LIMITS_BODY.

                \(keys.joined(separator: "\n"))

                A TCP listener takes requests only with the token of an operator: `assay operators add NAME --role caller`. On a \
                unix socket, the mode of its file decides who may connect. GET /openapi.json describes the API.

                A ledger that does not exist is an outage, unless --create-ledger creates it: after the loss of a disk, an empty \
                ledger would accept used evidence again. Give the flag once, for the first start, or create the ledger with \
                `assay ledger create`.

                SIGHUP reads the policy and the TLS files again. SIGTERM and SIGINT end the service when its requests are \
                finished; a second signal ends it at once.

                Exit status: 0 stopped, 2 configuration or policy that cannot be read, or an address that cannot be listened \
                on, 3 an outage of the ledger or the key store at the start, 64 bad arguments.
                """)
    }

    @Option(help: "The configuration, YAML.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "A key of the configuration and its value. May be given several times.", valueName: "key=value"))
    var settings: [String] = []

    @Option(help: "The policy.", completion: .file(extensions: ["yaml", "yml"]))
    var policy: String?

    @Option(help: ArgumentHelp("The ledger: \(LedgerURL.durableForm).", valueName: "url"))
    var ledger: String?

    @Option(help: ArgumentHelp("The public listener: HOST:PORT or unix:PATH.", valueName: "address"))
    var listen: String?

    @Flag(help: "Take requests without a token, on loopback addresses only.")
    var open = false

    @OptionGroup var creation: CreateLedgerOption

    func validate() throws { _ = try Self.pairs(settings) }

    /// Splits values of `--set` into keys and values.
    ///
    /// - Throws: `ValidationError` for one without `=`.
    static func pairs(_ settings: [String]) throws -> [(key: String, value: String)] {
        for setting in settings {
            guard setting.contains("=") else {
                throw ValidationError("--set takes KEY=VALUE, found \"\(setting.prefix(60))\"")
            }
        }
        return split(settings)
    }

    /// Splits validated values of `--set` into keys and values.
    static func split(_ settings: [String]) -> [(key: String, value: String)] {
        settings.map { setting in
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (key: parts[0], value: parts[1])
        }
    }

    func run() async throws {
        guard let runner = Self.runner else {
            throw CommandFailure(.usage, "serve: this program was built without HTTP; `make install` has it")
        }
        // A person at a terminal reads the message. Programs read a log, in which each line is JSON.
        guard isatty(STDERR_FILENO) == 0 else { return try await serve(runner) }
        do {
            try await Console.$log.withValue(runner) { try await serve(runner) }
        } catch let failure as CommandFailure {
            if let message = failure.message { runner.logFailure(message) }
            throw CommandFailure(failure.status)
        }
    }

    private func serve(_ runner: any ServiceRunner) async throws {
        // Otherwise an entry of the log ends the process when the reader of its logs has ended.
        signal(SIGPIPE, SIG_IGN)
        let prepared: any PreparedService
        do throws(PolicyError) {
            prepared = try runner.prepare(
                file: config, environment: ProcessInfo.processInfo.environment, settings: allSettings)
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
        let url = try prepared.ledger.map { try LedgerURL($0) } ?? .standard()
        guard url != .memory else {
            throw CommandFailure(
                .usage,
                "serve: memory: is no ledger for a service: it forgets what was used, and takes the keys that come with "
                    + "evidence; name \(LedgerURL.durableForm)")
        }
        do { try prepared.check() } catch { throw CommandFailure(.unreadable, "\(error)") }
        let masterKey = try MasterKeyOption.read(prepared.masterKey, of: "masterKey")
        let client = try GoogleOptions.client(prepared.serviceAccount, of: "serviceAccount", url: prepared.googleURL)
        do {
            try await url.withLedger(creating: creation.createLedger) { open in
                let stores: [any KeyStore] = try masterKey.map { [try open.keyStore($0)] } ?? []
                try await Self.run(prepared, open, stores, masterKey, client)
            }
        } catch {
            await client?.shutdown()
            throw error
        }
        await client?.shutdown()
    }

    private var allSettings: [(key: String, value: String)] {
        var all = Self.split(settings)
        if let policy { all.append(("policy", policy)) }
        if let ledger { all.append(("ledger", ledger)) }
        if let listen { all.append(("listen", listen)) }
        if open { all.append(("open", "true")) }
        return all
    }

    private static func run(
        _ service: any PreparedService, _ open: OpenLedger, _ stores: [any KeyStore], _ masterKey: MasterKey?,
        _ client: (any GoogleConnection)?
    ) async throws {
        // Sends no request before a policy needs the list. A policy that is read later may need it.
        let status = try StatusListChoice.connection(
            sharing: open.ledger, url: service.statusListURL, of: "statusListURL")
        // It exchanges receipts where a policy keeps them, which a policy that is read later may.
        let apple = try AppleServicesChoice.connection(
            ledger: open.ledger, masterKey: masterKey, servers: service.appleServers)
        let services: [(any EngineService)?] = [client, status, apple]
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await service.run(
                    ledger: open.ledger, keyStores: stores, services: services.compactMap(\.self),
                    sealedKeys: open.keys))
        } catch {
            result = .failure(error)
        }
        await status?.shutdown()
        await apple?.shutdown()
        do { try result.get() } catch let outage as any Outage {
            throw CommandFailure(outage)
        } catch {
            throw CommandFailure(.unreadable, "\(error)")
        }
    }
}
