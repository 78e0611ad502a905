import AssayCLI
import AssayCore
import AssayKeyStore
import AssayService

/// Runs `assay serve` with AssayService.
struct HTTPServiceRunner: ServiceRunner {
    var keys: [(path: String, form: String, standard: String, help: String)] {
        ServiceKey.all.map { ($0.path, $0.form, $0.standard, $0.help) }
    }

    var problems: [(code: String, meaning: String)] { ProblemCode.allCases.map { ($0.rawValue, $0.meaning) } }

    func prepare(
        file: String?, environment: [String: String], settings: [(key: String, value: String)]
    ) throws(PolicyError) -> any PreparedService {
        Prepared(
            configuration: try ServiceConfiguration(file: file, environment: environment, settings: settings))
    }
}

private struct Prepared: PreparedService {
    let configuration: ServiceConfiguration

    var ledger: String? { configuration.ledger }
    var masterKey: String? { configuration.masterKey }
    var serviceAccount: String? { configuration.serviceAccount }

    func run(
        ledger: any LedgerAdministration, keyStores: [any KeyStore], services: [any EngineService],
        sealedKeys: (any SealedKeyStorage)?
    ) async throws {
        try await HTTPService(
            configuration,
            parts: ServiceParts(
                ledger: ledger, keyStores: keyStores, services: services, sealedKeys: sealedKeys)
        ).run()
    }
}
