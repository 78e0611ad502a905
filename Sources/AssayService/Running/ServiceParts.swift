import Assay
package import AssayCore

/// What the program gives a service: the service knows neither the kind of the ledger nor where keys are.
package struct ServiceParts: Sendable {
    /// The ledger. The service does not close it.
    package let ledger: any LedgerAdministration
    /// The key stores besides the policy's keys.
    package let keyStores: [any KeyStore]
    /// The clients of engines, such as Google's.
    package let services: [any EngineService]

    /// Collects the parts.
    package init(ledger: any LedgerAdministration, keyStores: [any KeyStore], services: [any EngineService]) {
        self.ledger = ledger
        self.keyStores = keyStores
        self.services = services
    }

    /// The verifier of a policy.
    func verifier(_ policy: VerificationPolicy) -> Verifier {
        Verifier(policy: policy, ledger: ledger, keyStores: keyStores, services: services)
    }
}
