public import Assay
import AssayCore
public import FoundationEssentials

extension EvidenceGuard {
    /// Options besides the policy.
    public struct Options: Sendable {
        /// What the body of a rejection discloses.
        public enum Disclosure: Sendable {
            /// The response code, and the device or key ID, for support.
            case codes
            /// The names of the failed checks too. They help attackers: for development only.
            case failedChecks
        }

        /// The treatment of requests during an outage of the ledger or a key store.
        public enum OutageRule: Sendable {
            /// Answer with 503.
            case refuse
            /// Call the handler, which gets the outage. Not for ``OutageCode/forgotten``, because the client may
            /// have sent the message before.
            case letThrough
        }

        /// The origins of the server. Required for signed requests.
        public var origins: ServerOrigins?
        /// The proxy in front of the server.
        public var proxy = TrustedProxy.none
        /// When bodies of signed requests are checked, and how long they may be. ``EvidenceGuard`` itself is given bodies that have been
        /// read, and uses the limit alone.
        public var body = RequestBodyMode.collected()
        /// What the body of a rejection discloses.
        public var disclosure = Disclosure.codes
        /// The treatment of requests during an outage.
        public var outages = OutageRule.refuse
        /// The value of `Retry-After` in an outage, in seconds.
        public var retryAfter = 5
        /// Captures a share of the evidence of judged requests; nil for none. The owner closes it.
        public var capture: SampledCapture?
        /// The time of judgement.
        public var now: @Sendable () -> Date = { Date() }

        /// The defaults.
        public init(origins: ServerOrigins? = nil) { self.origins = origins }

        /// Whether a request is refused.
        package func refuses(_ decision: RequestDecision) -> Bool {
            guard decision.enforcement == .reject, !decision.isAccepted else { return false }
            return switch decision.outcome {
            // A client can cause this outage by sending its body slowly, so always refuse.
            case .outage(let outage): outages == .refuse || (outage as? LedgerOutage)?.code == .forgotten
            case .verdict, .misconfigured, .unjudged: true
            case .pending, .off: false
            }
        }
    }
}

/// When the body of a signed request is compared with the digests that its signature covers. Bodies of apps without signed
/// messages are not read.
public struct RequestBodyMode: Sendable {
    package let isStreamed: Bool
    package let limit: Int
    /// How long a body may take to arrive; nil for any time.
    package let time: Duration?
    /// The most bytes of a body that is collected, also of one of unknown length in streamed mode.
    package var collectedLimit: Int { isStreamed ? min(limit, Self.standardLimit) : limit }

    /// 2 MiB.
    package static let standardLimit = 2 << 20

    /// Reads the whole body before it calls the handler, which gets the body unchanged.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a body; a longer one is answered with 413, without being read if its
    ///     `Content-Length` is greater.
    ///   - time: how long the body may take to arrive after its head; a slower one is answered with 408.
    public static func collected(upTo limit: Int = 2 << 20, within time: Duration = .seconds(60)) -> RequestBodyMode {
        RequestBodyMode(isStreamed: false, limit: limit, time: time)
    }

    /// Compares the body while the handler reads it. Everything else is judged before. At the end of the body, before
    /// it delivers the last part, the middleware compares the digests and the ledger consumes the message. If the
    /// message is refused then, reading throws ``StreamedBodyError`` and the client gets the refusal instead of the
    /// handler's answer.
    ///
    /// Before the last part, a handler knows only that the app signed the head. It does not know whether the body is
    /// the signed one, complete, or a copy of an accepted one. A handler can store what it reads, but must not act on
    /// it before the end.
    ///
    /// The middleware reads the rest of the body before it sends an answer below 400, so a handler cannot read the body
    /// while it writes such an answer. If the handler throws or answers with an error before the end, or if the body
    /// differs, is cut off or is too long, the message stays unused and the client can send it again.
    ///
    /// Freshness is judged when the head arrives, and blocks in the ledger again at the end of the body. The ledger can judge a body
    /// that ends within an hour of its head; later it may report an outage. A body without `Content-Length` and `Transfer-Encoding`, as on HTTP/2, is collected, up
    /// to 2 MiB: clients that upload more on HTTP/2 must state its length.
    /// - Parameters:
    ///   - limit: the most bytes of a body.
    ///   - time: how long the body may take to arrive after its head; reading a slower one throws, and the client gets 408.
    public static func streamed(upTo limit: Int = 1 << 30, within time: Duration = .seconds(900)) -> RequestBodyMode {
        RequestBodyMode(isStreamed: true, limit: limit, time: time)
    }
}
