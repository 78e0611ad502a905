import AssayCore
public import PlayIntegrity

/// The bits of device recall to be changed: what an app remembers of a device, kept by Google for three years.
///
/// Bits that are nil stay as they are.
public struct DeviceRecallValues: Sendable, Equatable {
    /// The first bit.
    public var first: Bool?
    /// The second bit.
    public var second: Bool?
    /// The third bit.
    public var third: Bool?

    /// States which bits are changed.
    public init(first: Bool? = nil, second: Bool? = nil, third: Bool? = nil) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// Whether no bit is changed.
    public var isEmpty: Bool { first == nil && second == nil && third == nil }
}

/// Why bits of device recall were not written.
public enum DeviceRecallError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No bit was given to be changed; nothing was sent.
    case nothingToWrite
    /// Google refuses the token: it cannot be decoded, is older than 14 days, or of a device that is not genuine.
    case refused(String)
    /// There is no answer. The bits may have been written nevertheless; writing the same ones again does no harm.
    case outage(IntegrityDecoderOutage)

    /// What happened.
    public var description: String {
        switch self {
        case .nothingToWrite: "no device recall bit was given to be changed"
        case .refused(let message): "Google refuses to write device recall bits: \(message)"
        case .outage(let outage): outage.description
        }
    }
}
