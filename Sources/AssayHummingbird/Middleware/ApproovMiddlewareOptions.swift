public import FoundationEssentials

/// Options of ``ApproovMiddleware`` besides the policy.
public struct ApproovMiddlewareOptions: Sendable {
    /// What the body of a rejection discloses.
    public enum Disclosure: Sendable {
        /// The response code and the device ID, for support.
        case codes
        /// The names of the failed checks too. They help attackers: for development only.
        case failedChecks
    }

    /// The treatment of requests during an outage of the ledger or a key store.
    public enum OutageRule: Sendable {
        /// Answer with 503.
        case refuse
        /// Call the handler, whose context has the outage.
        case letThrough
    }

    /// The origins of the server. Required for signed messages.
    public var origins: ApproovOrigins?
    /// The proxy in front of the server.
    public var proxy = ApproovProxy.none
    /// When bodies of signed messages are checked.
    public var body = ApproovBodyMode.collected()
    /// What the body of a rejection discloses.
    public var disclosure = Disclosure.codes
    /// The treatment of requests during an outage.
    public var outages = OutageRule.refuse
    /// The value of `Retry-After` in an outage, in seconds.
    public var retryAfter = 5
    /// The time of judgement.
    public var now: @Sendable () -> Date = { Date() }

    /// The defaults.
    public init(origins: ApproovOrigins? = nil) { self.origins = origins }
}

/// When the body of a signed request is compared with the digests that its signature covers. Bodies of apps without signed
/// messages are not read.
public struct ApproovBodyMode: Sendable {
    let isStreamed: Bool
    package let limit: Int

    /// The body is read completely before the handler is called, which gets it unchanged.
    ///
    /// - Parameter limit: the most bytes of a body; a longer one is answered with 413, without being read if its
    ///   `Content-Length` is greater.
    public static func collected(upTo limit: Int = 2 << 20) -> ApproovBodyMode {
        ApproovBodyMode(isStreamed: false, limit: limit)
    }

    /// The body is checked while the handler reads it, everything else before. The last part is delivered only if the digests
    /// match. Otherwise reading ends with ``StreamedBodyError``, and the client gets an error, whatever the handler answers.
    ///
    /// Until the last part the body is unverified: a handler must not act on it before. A body without `Content-Length` and
    /// `Transfer-Encoding`, as on HTTP/2, is collected.
    /// - Parameter limit: the most bytes of a body.
    public static func streamed(upTo limit: Int = 1 << 30) -> ApproovBodyMode {
        ApproovBodyMode(isStreamed: true, limit: limit)
    }
}
