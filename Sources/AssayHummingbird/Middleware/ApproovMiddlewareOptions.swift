public import FoundationEssentials

/// How ``ApproovMiddleware`` treats requests, besides what the policy says.
public struct ApproovMiddlewareOptions: Sendable {
    /// What the body of a rejection tells besides that it is one.
    public enum Disclosure: Sendable {
        /// The response code and the device ID, which support needs.
        case codes
        /// The names of the failed checks as well. They tell an attacker what to work on: for development.
        case failedChecks
    }

    /// What is done with requests while there can be no verdict, since the ledger or a key store is out.
    public enum OutageRule: Sendable {
        /// They are answered with 503.
        case refuse
        /// They go on to the handler, which finds the outage in its context.
        case letThrough
    }

    /// What clients address the server by. Needed for signed messages.
    public var origins: ApproovOrigins?
    /// The proxy in front of the server.
    public var proxy = ApproovProxy.none
    /// When bodies of signed messages are checked.
    public var body = ApproovBodyMode.collected()
    /// What the body of a rejection tells.
    public var disclosure = Disclosure.codes
    /// What is done with requests during an outage.
    public var outages = OutageRule.refuse
    /// After how many seconds clients are to try again after an outage.
    public var retryAfter = 5
    /// The time of judgement.
    public var now: @Sendable () -> Date = { Date() }

    /// The defaults, with what signed messages need.
    public init(origins: ApproovOrigins? = nil) { self.origins = origins }
}
