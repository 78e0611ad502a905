import AssayCore
import AssayHTTPClient
import AssayKeyStore
import AssayService
import CoreMetrics

/// Runs `assay serve` with AssayService.
struct HTTPServiceRunner: ServiceRunner {
    /// The backend of swift-metrics of this process, set up with that of swift-log.
    fileprivate static let metrics = {
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        ServiceLog.bootstrap()
        return registry
    }()

    var keys: [(path: String, form: String, standard: String, help: String)] {
        ServiceKey.all.map { ($0.path, $0.form, $0.standard, $0.help) }
    }

    func logFailure(_ problem: String) { ServiceLog.failure(problem) }

    func logNote(_ text: String) { ServiceLog.note(text) }

    var problems: [(code: String, meaning: String)] { ProblemCode.allCases.map { ($0.rawValue, $0.meaning) } }

    func prepare(
        file: String?, environment: [String: String], settings: [(key: String, value: String)]
    ) throws(PolicyError) -> any PreparedService {
        // Set it up before the ledger is opened, because the ledger counts too.
        Prepared(
            configuration: try ServiceConfiguration(file: file, environment: environment, settings: settings),
            metrics: Self.metrics)
    }

    func listener(
        at address: String?, file: String?, environment: [String: String], settings: [(key: String, value: String)]
    ) throws(PolicyError) -> any ServiceListener {
        if let address {
            guard let known = ListenAddress(address) else {
                throw PolicyError(
                    field: "--address",
                    "expected \(ListenAddress.forms), found \(address.excerpt)\(ListenAddress.advice(on: address))")
            }
            return OperatorsListener(probe: try ServiceProbe(known))
        }
        let configuration = try ServiceConfiguration(
            file: file, environment: environment, settings: settings, isPartial: true)
        guard let listener = configuration.admin ?? configuration.metrics else {
            throw PolicyError(
                field: "admin",
                "the configuration has neither a listener of operators nor one of metrics, which answer about health")
        }
        return OperatorsListener(
            probe: try ServiceProbe(listener, certificate: configuration.adminCertificate))
    }
}

private struct OperatorsListener: ServiceListener {
    let probe: ServiceProbe

    var address: String { probe.address.description }

    func send(
        _ method: String, _ path: String, token: String?, within seconds: Double
    ) async throws -> (status: Int, detail: String?) {
        let answer = try await probe.send(method, path, token: token, within: seconds)
        return (answer.status, answer.detail)
    }
}

private struct Prepared: PreparedService {
    let configuration: ServiceConfiguration
    let metrics: MetricsRegistry

    var ledger: String? { configuration.ledger }
    var masterKey: String? { configuration.masterKey }
    var serviceAccount: String? { configuration.serviceAccount }
    var googleURL: String? { configuration.googleURL }
    var statusListURL: String? { configuration.statusListURL }
    var appleServers: AppleServers {
        var servers = AppleServers()
        servers.appAttest = configuration.appAttestURL
        servers.deviceCheck = configuration.deviceCheckURL
        return servers
    }

    func check() throws {
        try HTTPService.check(configuration)
        for (key, url) in [
            ("statusListURL", statusListURL), ("appAttestURL", configuration.appAttestURL),
            ("deviceCheckURL", configuration.deviceCheckURL), ("failover.primary", configuration.failover.primary),
        ] {
            do throws(DecodeError) { if let url { _ = try ServerURL(url) } } catch {
                throw PolicyError(field: key, error.detail)
            }
        }
    }

    func run(
        ledger: any LedgerAdministration, keyStores: [any KeyStore], services: [any EngineService],
        sealedKeys: (any SealedKeyStorage)?
    ) async throws {
        let probe = try InstanceProbe(configuration.failover.primary)
        try await HTTPService(
            configuration,
            parts: ServiceParts(
                ledger: ledger, keyStores: keyStores, services: services, sealedKeys: sealedKeys,
                metrics: metrics, probe: { await probe.objection(to: $0) })
        ).run()
        await probe.shutdown()
    }
}
