import ArgumentParser
package import AssayCore
import AssayLedgerPostgreSQL
import AssayLedgerSQLite
import AssayPlatforms
import AssayPrimitives
import AssayService
import CoreMetrics
import Foundation

struct ServeCommand: AsyncParsableCommand {
    /// The backend of swift-metrics of this process, set up with that of swift-log.
    static let metrics = {
        let registry = MetricsRegistry(MetricName.program)
        MetricsSystem.bootstrap(registry)
        ServiceLog.bootstrap()
        return registry
    }()

    static var configuration: CommandConfiguration {
        guard !FirstParse.isRunning else { return FirstParse.configuration("serve") }
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

                With several configurations, one process serves them all, apart from one another: each has its own addresses, policy, \
                ledger, master key and captures. Their settings are in the files alone. If one cannot start or fails, all end.

                SIGHUP reads the policy and the TLS files again. SIGTERM and SIGINT end the service when its requests are \
                finished; a second signal ends it at once.

                Exit status: 0 stopped, 2 configuration or policy that cannot be read, or an address that cannot be listened \
                on, 3 an outage of the ledger or the key store at the start, 64 bad arguments.
                """)
    }

    @Argument(
        help: ArgumentHelp(
            "Configurations, YAML: one, in place of --config, or several for one process.", valueName: "configuration"),
        completion: .yaml)
    var configurations: [String] = []

    @Option(help: "The configuration, YAML.", completion: .yaml)
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "A key of the configuration and its value. May be given several times.", valueName: "key=value"),
        completion: ServeCommand.keys)
    var settings: [String] = []

    @Option(help: "The policy.", completion: .yaml)
    var policy: String?

    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.durableForm).", valueName: "url"), completion: .durableLedger)
    var ledger: String?

    @Option(help: ArgumentHelp("The public listener: HOST:PORT or unix:PATH.", valueName: "address"))
    var listen: String?

    @Flag(help: "Take requests without a token, on loopback addresses only.")
    var open = false

    @OptionGroup var creation: CreateLedgerOption

    func validate() throws {
        _ = try Self.pairs(settings)
        guard configurations.isEmpty || config == nil else {
            throw ValidationError("give the configuration with --config or as an argument, not both")
        }
        guard configurations.count < 2 || allSettings.isEmpty else {
            throw ValidationError(
                "--set, --policy, --ledger, --listen and --open are for one configuration; with several, set the keys in each file"
            )
        }
    }

    /// Completes the keys of `--set`.
    static var keys: CompletionKind { .list(ServiceKey.all.map { "\($0.path)=" }) }

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
        guard configurations.count < 2 else {
            return try await SeveralServices(configurations).serve(creatingLedgers: creation.createLedger)
        }
        let configuration: ServiceConfiguration
        do throws(PolicyError) {
            configuration = try ServiceConfiguration(
                file: config ?? configurations.first, environment: ProcessInfo.processInfo.environment,
                settings: allSettings)
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
        if let format = configuration.logFormat { ServiceLog.use(format) }
        // Set up before the ledger is opened, because the ledger counts too.
        let metrics = Self.metrics
        try await PreparedService(configuration).serve(metrics, creatingLedger: creation.createLedger)
    }

    private var allSettings: [(key: String, value: String)] {
        var all = Self.split(settings)
        if let policy { all.append(("policy", policy)) }
        if let ledger { all.append(("ledger", ledger)) }
        if let listen { all.append(("listen", listen)) }
        if open { all.append(("open", "true")) }
        return all
    }
}

/// A configuration of which everything was read that the ledger does not have.
struct PreparedService {
    private let configuration: ServiceConfiguration
    private let url: LedgerURL
    private let policy: ServicePolicy
    private let masterKey: MasterKey?

    init(_ configuration: ServiceConfiguration) throws {
        self.configuration = configuration
        url = try configuration.ledger.map { try LedgerURL($0) } ?? .standard()
        guard url != .memory else {
            throw CommandFailure(
                .usage,
                "serve: memory: is no ledger for a service: it forgets what was used, and takes the keys that come with "
                    + "evidence; name \(LedgerURL.durableForm)")
        }
        do { policy = try Self.check(configuration) } catch { throw CommandFailure(.unreadable, "\(error)") }
        masterKey = try MasterKeyOption.read(configuration.masterKey, of: "masterKey")
    }

    /// Serves until a signal ends the service.
    ///
    /// - Parameters:
    ///   - name: the name of the configuration in the log; nil if the process has no other.
    ///   - signals: the signals, if they are trapped already.
    func serve(
        _ metrics: MetricsRegistry, creatingLedger: Bool, name: String? = nil,
        process: ServiceProcess = ServiceProcess(), until signals: EndingSignals? = nil
    ) async throws {
        let client = try GoogleOptions.client(
            configuration.serviceAccount, of: "serviceAccount", url: configuration.googleURL)
        try await finishing(with: { await client?.shutdown() }) {
            if creatingLedger, url.isMissingFile {
                do { try await HTTPService.checkStart(configuration, policy: policy) } catch {
                    throw CommandFailure(.unreadable, "\(error)")
                }
            }
            try await url.withLedger(creating: creatingLedger) { open in
                let stores: [any KeyStore] = try masterKey.map { [try open.keyStore($0)] } ?? []
                try await run(metrics, open, stores, client, name, process, until: signals)
            }
        }
    }

    /// What a person reads when the service is ready: its listeners, its policy and its ledger.
    private func sentence(listeningOn addresses: [String]) -> String {
        var listeners = [("listening on", configuration.certificate != nil)]
        if configuration.admin != nil { listeners.append(("operators on", configuration.adminCertificate != nil)) }
        if configuration.metrics != nil { listeners.append(("metrics on", configuration.adminCertificate != nil)) }
        let places = zip(listeners, addresses).map { listener, address in
            let scheme = address.hasPrefix("unix:") ? "" : listener.1 ? "https://" : "http://"
            return "\(listener.0) \(scheme)\(address)"
        }
        let apps = "\(policy.appCount) \(policy.appCount == 1 ? "app" : "apps")"
        return (places + ["\(configuration.policy) (\(apps))", "ledger \(url.description)"]).joined(separator: ", ")
    }

    /// Reads the policy, the files of TLS and the URLs, so that a mistake in them leaves no new ledger behind.
    private static func check(_ configuration: ServiceConfiguration) throws -> ServicePolicy {
        let policy = try HTTPService.check(configuration)
        for (key, url) in [
            ("statusListURL", configuration.statusListURL), ("appAttestURL", configuration.appAttestURL),
            ("deviceCheckURL", configuration.deviceCheckURL), ("failover.primary", configuration.failover.primary),
        ] {
            do throws(DecodeError) { if let url { _ = try ServerURL(url) } } catch {
                throw PolicyError(field: key, error.detail)
            }
        }
        return policy
    }

    private func run(
        _ metrics: MetricsRegistry, _ open: OpenLedger, _ stores: [any KeyStore], _ client: PlayIntegrityClient?,
        _ name: String?, _ process: ServiceProcess, until signals: EndingSignals?
    ) async throws {
        // Sends no request before a policy needs the list. A policy that is read later may need it.
        let status = try StatusListChoice.connection(
            sharing: open.ledger, url: configuration.statusListURL, of: "statusListURL")
        // It exchanges receipts where a policy keeps them, which a policy that is read later may.
        let servers = AppleServers(appAttest: configuration.appAttestURL, deviceCheck: configuration.deviceCheckURL)
        let apple = try servers.connection(ledger: open.ledger, masterKey: masterKey)
        // Asks no host before a policy says fetch: yes.
        let services: [(any EngineService)?] = [client, status, apple, HostCertificates()]
        func shutdown() async {
            await status.shutdown()
            await apple.shutdown()
        }
        do {
            try await finishing(with: shutdown) {
                let probe = try InstanceProbe(configuration.failover.primary)
                try await HTTPService(
                    configuration,
                    dependencies: ServiceDependencies(
                        ledger: open.ledger, keyStores: stores, services: services.compactMap(\.self),
                        sealedKeys: open.keys, metrics: metrics, name: name, process: process,
                        probe: { await probe.objection(to: $0) }),
                    policy: policy,
                    whenReady: { addresses in
                        guard ServiceLog.isText else { return }
                        Console.complain((name.map { "\($0): " } ?? "") + sentence(listeningOn: addresses))
                    }
                ).run(until: signals)
                await probe.shutdown()
            }
        } catch let outage as any Outage {
            throw CommandFailure(outage)
        } catch {
            throw CommandFailure(.unreadable, "\(error)")
        }
    }
}

/// Finds out whether another instance of Assay can be reached.
struct InstanceProbe: Sendable {
    private static let timeout = Duration.seconds(10)
    /// Public, and answered by every instance with tokens.
    private static let path = "/.well-known/openid-configuration"
    private let exchange: HTTPExchange?
    private let host: String

    /// - Parameter url: where it is; nil if none is to be probed.
    /// - Throws: `PolicyError` for a URL of another form.
    init(_ url: String?) throws(PolicyError) {
        guard let url else {
            (exchange, host) = (nil, "")
            return
        }
        // Brackets of an IPv6 address are not part of it.
        do throws(DecodeError) { host = try ServerURL(url).host.filter { !"[]".contains($0) } } catch {
            throw PolicyError(field: "failover.primary", error.message)
        }
        exchange = HTTPExchange(answerLimit: 65_536, connectTimeout: Self.timeout, time: .system)
    }

    /// Why an instance cannot be reached; nil if it can.
    ///
    /// An instance that answers with a problem of its own is reached, such as one whose tokens an operator has stopped. A gateway that
    /// does not reach the instance answers with 502, 503 or 504, and without the media type of problems.
    func objection(to url: String) async -> String? {
        guard let exchange, await Self.hasAddress(host) else { return nil }
        do throws(HTTPFailure) {
            let answer = try await exchange.get(url + Self.path, fields: [], within: Self.timeout)
            let type = answer.field("Content-Type") ?? ""
            return answer.status < 500 || type.hasPrefix("application/problem+json") ? nil : answer.summary
        } catch {
            switch error {
            case .cut(let status, _, _) where status < 500: return nil
            case .unanswered(_, let sentence), .cut(_, _, let sentence): return Self.canConnect ? sentence : nil
            case .notConnected(isOfServer: true, let sentence): return Self.canConnect ? sentence : nil
            // This machine's resolver, network or trusted roots: nothing is known of the instance.
            case .notConnected(isOfServer: false, _): return nil
            case .cancelled, .shutDown: return nil
            }
        }
    }

    /// Whether a name has an address. Asked apart from the connection, whose time may also run out for a resolver that does not answer.
    private static func hasAddress(_ host: String) async -> Bool {
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        Thread.detachNewThread {
            var found: UnsafeMutablePointer<addrinfo>?
            answer.yield(getaddrinfo(host, nil, nil, &found) == 0)
            freeaddrinfo(found)
        }
        for await hasAddress in answers { return hasAddress }
        // The task was cancelled.
        return false
    }

    /// Whether this process can open a socket. Without one, such as when clients hold all of its files, nothing is known of the first
    /// instance, and no client must be able to turn failover on.
    private static var canConnect: Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Closes the connections.
    func shutdown() async { await exchange?.shutdown() }
}

extension MetricName {
    /// The metrics of the service, and of the ledgers and clients that the program gives it.
    package static let program: [MetricName] = service + sqlite + postgreSQL + statusList + googlePlay + appleServices
}
