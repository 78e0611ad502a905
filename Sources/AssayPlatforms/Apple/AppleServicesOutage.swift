public import AssayCore
public import FoundationEssentials

/// Apple's servers gave no usable answer.
public struct AppleServicesOutage: Outage, Equatable {
    /// The part that fails.
    public static let part = "Apple"
    /// The reason.
    public let code: OutageCode
    /// What happened, and what to do. It contains no token, receipt or device token.
    public let message: String
    /// The earliest sensible time for another call; nil if unknown.
    public let retryAt: Date?

    /// Describes an outage.
    public init(_ code: OutageCode, _ message: String, retryAt: Date? = nil) {
        (self.code, self.message, self.retryAt) = (code, message, retryAt)
    }
}

extension OutageCode {
    /// Apple refuses the request as malformed.
    static let refusedRequest: OutageCode = "refused-request"
}
