/// The keys and services of an engine.
package struct EngineResources: Sendable {
    /// The keys.
    package let keys: any KeyStore
    /// All services of the verifier; an engine picks those of its own type.
    package let services: [any EngineService]

    /// Collects keys and services.
    package init(keys: any KeyStore, services: [any EngineService] = []) {
        self.keys = keys
        self.services = services
    }
}

/// A service outside of the process that an engine may ask, such as Google's servers. Each engine declares its own
/// protocol.
public protocol EngineService: Sendable {}
