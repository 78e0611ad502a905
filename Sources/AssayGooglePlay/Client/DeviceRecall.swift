import AssayCore
public import PlayIntegrity

/// Changes of device recall bits, which Google keeps for a device for three years. Bits that are nil do not change.
public struct DeviceRecallValues: Sendable {
    /// The first bit.
    public var first: Bool?
    /// The second bit.
    public var second: Bool?
    /// The third bit.
    public var third: Bool?

    /// Chooses the changes.
    public init(first: Bool? = nil, second: Bool? = nil, third: Bool? = nil) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// Whether no bit changes.
    var isEmpty: Bool { first == nil && second == nil && third == nil }
}

/// Why device recall bits were not written.
public enum DeviceRecallError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No change was given; nothing was sent.
    case nothingToWrite
    /// Google refuses the token: undecodable, older than 14 days, or of a device that is not genuine.
    case refused(String)
    /// There is no answer. The bits may have been written; repeating the call is safe.
    case outage(IntegrityDecoderOutage)

    /// The sentence.
    public var description: String {
        switch self {
        case .nothingToWrite: "no device recall bit was given to be changed"
        case .refused(let message): "Google refuses to write device recall bits: \(message)"
        case .outage(let outage): outage.description
        }
    }
}
