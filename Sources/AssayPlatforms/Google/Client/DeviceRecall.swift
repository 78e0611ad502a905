import AssayCore
public import PlayIntegrity

/// Why device recall bits were not written.
@nonexhaustive
public enum DeviceRecallError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No change was given; nothing was sent.
    case nothingToWrite
    /// Google refuses the token: undecodable, older than 14 days, or of a device that is not genuine.
    case refused(String)
    /// No answer. The bits may have been written; it is safe to repeat the call.
    case outage(IntegrityDecoderOutage)

    /// The message.
    public var description: String {
        switch self {
        case .nothingToWrite: "no device recall bit was given to be changed"
        case .refused(let message): "Google refuses to write device recall bits: \(message)"
        case .outage(let outage): outage.description
        }
    }
}
