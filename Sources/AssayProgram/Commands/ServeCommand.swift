import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import AssayPrimitives
import AssayService
import CoreMetrics
import Foundation

/// `assay serve`: the service.
struct ServeCommand: AsyncParsableCommand {
    /// The backend of swift-metrics of this process, set up with that of swift-log.
    private static let metrics = {
        let registry = MetricsRegistry(MetricName.program)
        MetricsSystem.bootstrap(registry)
        ServiceLog.bootstrap()
        return registry
    }()

    static var configuration: CommandConfiguration {
        let keys = ServiceKey.all.map { key in
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
        // A person at a terminal reads the message. Programs read a log, in which each line is JSON.
        guard isatty(STDERR_FILENO) == 0 else { return try await serve() }
        do {
            try await Console.$isLogged.withValue(true) { try await serve() }
        } catch let failure as CommandFailure {
            if let message = failure.message { ServiceLog.failure(message) }
            throw CommandFailure(failure.status)
        }
    }

    private func serve() async throws {
        // Otherwise an entry of the log ends the process when the reader of its logs has ended.
        signal(SIGPIPE, SIG_IGN)
        let configuration: ServiceConfiguration
        do throws(PolicyError) {
            configuration = try ServiceConfiguration(
                file: config, environment: ProcessInfo.processInfo.environment, settings: allSettings)
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
        // Set up before the ledger is opened, because the ledger counts too.
        let metrics = Self.metrics
        let url = try configuration.ledger.map { try LedgerURL($0) } ?? .standard()
        guard url != .memory else {
            throw CommandFailure(
                .usage,
                "serve: memory: is no ledger for a service: it forgets what was used, and takes the keys that come with "
                    + "evidence; name \(LedgerURL.durableForm)")
        }
        do { try Self.check(configuration) } catch { throw CommandFailure(.unreadable, "\(error)") }
        let masterKey = try MasterKeyOption.read(configuration.masterKey, of: "masterKey")
        let client = try GoogleOptions.client(
            configuration.serviceAccount, of: "serviceAccount", url: configuration.googleURL)
        do {
            try await url.withLedger(creating: creation.createLedger) { open in
                let stores: [any KeyStore] = try masterKey.map { [try open.keyStore($0)] } ?? []
                try await Self.run(configuration, metrics, open, stores, masterKey, client)
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

    /// Reads the policy, the files of TLS and the URLs, so that a mistake in them leaves no new ledger behind.
    private static func check(_ configuration: ServiceConfiguration) throws {
        try HTTPService.check(configuration)
        for (key, url) in [
            ("statusListURL", configuration.statusListURL), ("appAttestURL", configuration.appAttestURL),
            ("deviceCheckURL", configuration.deviceCheckURL), ("failover.primary", configuration.failover.primary),
        ] {
            do throws(DecodeError) { if let url { _ = try ServerURL(url) } } catch {
                throw PolicyError(field: key, error.detail)
            }
        }
    }

    private static func run(
        _ configuration: ServiceConfiguration, _ metrics: MetricsRegistry, _ open: OpenLedger,
        _ stores: [any KeyStore], _ masterKey: MasterKey?, _ client: PlayIntegrityClient?
    ) async throws {
        // Sends no request before a policy needs the list. A policy that is read later may need it.
        let status = try StatusListChoice.connection(
            sharing: open.ledger, url: configuration.statusListURL, of: "statusListURL")
        // It exchanges receipts where a policy keeps them, which a policy that is read later may.
        let servers = AppleServers(appAttest: configuration.appAttestURL, deviceCheck: configuration.deviceCheckURL)
        let apple = try servers.connection(ledger: open.ledger, masterKey: masterKey)
        let services: [(any EngineService)?] = [client, status, apple]
        let result: Result<Void, any Error>
        do {
            let probe = try InstanceProbe(configuration.failover.primary)
            try await HTTPService(
                configuration,
                parts: ServiceDependencies(
                    ledger: open.ledger, keyStores: stores, services: services.compactMap(\.self),
                    sealedKeys: open.keys, metrics: metrics, probe: { await probe.objection(to: $0) })
            ).run()
            await probe.shutdown()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await status.shutdown()
        await apple.shutdown()
        do { try result.get() } catch let outage as any Outage {
            throw CommandFailure(outage)
        } catch {
            throw CommandFailure(.unreadable, "\(error)")
        }
    }
}
