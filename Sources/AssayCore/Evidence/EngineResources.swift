/// What an engine judges with, besides the policy.
public struct EngineResources: Sendable {
    /// The keys.
    public let keys: any KeyStore
    /// The services that were given, of which an engine looks for those that it knows.
    public let services: [any EngineService]

    /// Collects what an engine judges with.
    public init(keys: any KeyStore, services: [any EngineService] = []) {
        self.keys = keys
        self.services = services
    }
}

/// A service outside of the process that an engine may ask, such as Google's servers. Each engine declares its own.
public protocol EngineService: Sendable {}
