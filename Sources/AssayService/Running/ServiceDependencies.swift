import Assay
package import AssayCore
import AssayHTTP
import AssayTokens
import CoreMetrics

/// What the program passes to a service, which depends on no kind of ledger and of key store.
package struct ServiceDependencies: Sendable {
    /// The ledger. The service does not close it.
    package let ledger: any LedgerAdministration
    /// The key stores besides the policy's keys.
    package let keyStores: [any KeyStore]
    /// The clients of engines, such as Google's.
    package let services: [any EngineService]

    /// The storage of the sealed keys; nil if the ledger stores none.
    package let sealedKeys: (any SealedKeyStorage)?
    /// The backend of swift-metrics, set up before the ledger was opened.
    let metrics: MetricsRegistry
    /// Says why the instance at a URL cannot be reached; nil if it can, or if nothing is known of it.
    let probe: @Sendable (_ url: String) async -> String?
    /// The name of the configuration in the log; nil if the process has no other.
    let name: String?
    /// The process, which may have further services.
    let process: ServiceProcess
    /// Counts distinct devices. Kept across reloads of the policy.
    private let devices = DistinctDevices()
    /// Counts verdicts by facts. Kept likewise, so that their values stay bounded.
    private let facts = FactCounts()
    /// Counts the tokens of devices. Kept likewise, so that no reload gives a device more of them.
    private let tokenRates = DeviceTokenRates()

    /// Collects what the service depends on.
    package init(
        ledger: any LedgerAdministration, keyStores: [any KeyStore], services: [any EngineService],
        sealedKeys: (any SealedKeyStorage)? = nil, metrics: MetricsRegistry, name: String? = nil,
        process: ServiceProcess = ServiceProcess(),
        probe: @escaping @Sendable (_ url: String) async -> String? = { _ in nil }
    ) {
        (self.ledger, self.keyStores, self.services, self.sealedKeys) = (ledger, keyStores, services, sealedKeys)
        (self.metrics, self.name, self.process, self.probe) = (metrics, name, process, probe)
    }

    /// The key store, which has the master key; nil for none.
    var keyStore: SealedKeyStore? { keyStores.lazy.compactMap { $0 as? SealedKeyStore }.first }

    /// The verifier of a policy, with everything else that it needs.
    func verifier(of policy: VerificationPolicy) -> Verifier {
        // Requests, which may reload the policy, run in tasks without a factory of their own.
        withMetricsFactory(metrics) {
            Verifier(
                policy: name.map { policy.apart(for: $0) } ?? policy, ledger: ledger, keyStores: keyStores,
                services: services + [tokenRates],
                engines: .standard,
                devices: devices, facts: facts)
        }
    }
}

/// A policy file that was read.
package struct ServicePolicy: Sendable {
    let policy: VerificationPolicy
    /// The number of its apps.
    package var appCount: Int { policy.apps.count }
    /// Its digest, and its text with all defaults.
    let text: PolicyReport.PolicyText

    /// Reads the file.
    ///
    /// - Throws: `PolicyError`, also for a file that every user of the machine may replace.
    init(_ path: String) throws(PolicyError) {
        let text = try PolicyFile.text(of: path)
        let (policy, effective) = try PolicyFile.policyInForce(of: text, path: path, engines: .standard)
        self.policy = policy
        self.text = PolicyReport.PolicyText(text, effective: effective)
    }
}
