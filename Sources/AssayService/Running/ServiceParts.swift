import Assay
package import AssayCore
package import AssayKeyStore

/// What the program gives a service: the service knows neither the kind of the ledger nor where keys are.
package struct ServiceParts: Sendable {
    /// The ledger. The service does not close it.
    package let ledger: any LedgerAdministration
    /// The key stores besides the policy's keys.
    package let keyStores: [any KeyStore]
    /// The clients of engines, such as Google's.
    package let services: [any EngineService]

    /// The storage of the sealed keys; nil if the ledger stores none.
    package let sealedKeys: (any SealedKeyStorage)?

    /// Collects the parts.
    package init(
        ledger: any LedgerAdministration, keyStores: [any KeyStore], services: [any EngineService],
        sealedKeys: (any SealedKeyStorage)? = nil
    ) {
        self.ledger = ledger
        self.keyStores = keyStores
        self.services = services
        self.sealedKeys = sealedKeys
    }

    /// The key store, which has the master key; nil for none.
    var keyStore: SealedKeyStore? { keyStores.lazy.compactMap { $0 as? SealedKeyStore }.first }

    /// Reads the policy in a file.
    ///
    /// - Returns: its verifier, and its text with all defaults.
    func load(_ path: String) throws(PolicyError) -> (verifier: Verifier, policy: String) {
        let text = try PolicyFile.text(of: path)
        let policy = try PolicyFile.parse(text, path: path)
        return (
            Verifier(policy: policy, ledger: ledger, keyStores: keyStores, services: services),
            try PolicyFile.effectiveText(of: text, path: path, engines: .standard)
        )
    }
}
