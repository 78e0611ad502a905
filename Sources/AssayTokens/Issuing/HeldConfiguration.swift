/// What an app does with the pins of its configuration.
@nonexhaustive
public enum PinMode: String, Sendable, CaseIterable {
    /// It connects to a pinned host only if a certificate has one of the pins.
    case pin
    /// It uses no pins, so that a tester can read what it sends.
    case unpin
    /// It connects to no pinned host.
    case block
    /// It connects to no pinned host, and not to its backend.
    case blockAll
}

/// The configuration that an app has when it asks for a token.
public struct HeldConfiguration: Sendable, Equatable {
    /// Its `version`; 0 for none.
    public let version: Int64
    /// The mode in force.
    public let mode: PinMode

    /// The largest version: every reader of JSON has it exactly.
    package static let largestVersion: Int64 = 9_007_199_254_740_991

    /// States a configuration.
    public init(version: Int64, mode: PinMode = .pin) { (self.version, self.mode) = (version, mode) }
}
