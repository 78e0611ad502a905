import AssayCLI
import AssayCore
import AssayKeyStore
import AssayService
import CoreMetrics

/// Runs `assay serve` with AssayService.
struct HTTPServiceRunner: ServiceRunner {
    /// The backend of swift-metrics of this process.
    fileprivate static let metrics = {
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()

    var keys: [(path: String, form: String, standard: String, help: String)] {
        ServiceKey.all.map { ($0.path, $0.form, $0.standard, $0.help) }
    }

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
                throw PolicyError(field: "--address", "expected \(ListenAddress.forms), found \(address.excerpt)")
            }
            return OperatorsListener(probe: try ServiceProbe(known))
        }
        let configuration = try ServiceConfiguration(
            file: file, environment: environment, settings: settings, isPartial: true)
        guard let admin = configuration.admin else {
            throw PolicyError(
                field: "admin", "the configuration has no listener of operators, which answers about health")
        }
        return OperatorsListener(probe: try ServiceProbe(admin))
    }
}

private struct OperatorsListener: ServiceListener {
    let probe: ServiceProbe

    var address: String { probe.address.description }

    func get(_ path: String, token: String?, within seconds: Double) async throws -> (status: Int, detail: String?) {
        let answer = try await probe.get(path, token: token, within: seconds)
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
