public import AssayCore
public import FoundationEssentials

/// What a key store says of a key without opening it. Nothing of it is secret, and nothing of it is proven: only the
/// master key shows that it was not changed.
public struct SealedKeyEntry: Sendable, Equatable {
    /// The name, unique in the store.
    public let name: String
    /// What the key is for.
    public let purpose: KeyPurpose
    /// The package name or the policy's app that the key is for, and nil for every app whose policy names the key.
    public let scope: String?
    /// The algorithms that it is used with, and the ID by which evidence names it when it has one.
    public let algorithm: String
    /// When the key may be used.
    public let window: KeyWindow
    /// Since when the key is no longer used, and nil while it is.
    public let retiredAt: Date?
    /// When it was added.
    public let addedAt: Date

    /// The key's state at a time.
    public func state(at time: Date) -> KeyState { window.state(at: time, retiredAt: retiredAt) }
}
