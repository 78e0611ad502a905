public import Approov
import Assay
public import AssayCore
public import Hummingbird
public import NIOCore

/// A request context that holds the result of ``ApproovMiddleware``.
///
///     struct ShopContext: ApproovRequestContext {
///         var coreContext: CoreRequestContextStorage
///         let remoteAddress: SocketAddress?
///         var approov: ApproovRequest?
///
///         init(source: Source) {
///             coreContext = CoreRequestContextStorage(source: source)
///             remoteAddress = source.channel.remoteAddress
///         }
///     }
public protocol ApproovRequestContext: RemoteAddressRequestContext {
    /// The result; nil for a request that did not pass through the middleware.
    var approov: ApproovRequest? { get set }
    /// The account of the session, of 1 to 255 bytes, which an earlier middleware has found out; nil for none. A blocked
    /// account is rejected. Without an implementation: nil.
    var account: String? { get }
}

extension ApproovRequestContext {
    /// No account.
    public var account: String? { nil }
}

/// The result of the check of a request, for handlers.
public struct ApproovRequest: Sendable {
    /// The enforcement for the request: `reject`, `annotate` or `off`.
    public let enforcement: ApproovEnforcement
    private let known: ApproovOutcome
    private let streamed: StreamedOutcome?

    /// The verdict, or why there is none. That of a streamed body is ``ApproovOutcome/pending`` until the body has ended.
    public var outcome: ApproovOutcome { streamed?.value ?? known }
    /// The verdict; nil without one.
    public var verdict: Verdict? { outcome.verdict }
    /// Whether the request was judged and accepted.
    public var isAccepted: Bool { outcome.isAccepted }

    init(_ outcome: ApproovOutcome, enforcement: ApproovEnforcement) {
        self.enforcement = enforcement
        known = outcome
        streamed = nil
    }

    init(streamed outcome: StreamedOutcome, enforcement: ApproovEnforcement) {
        self.enforcement = enforcement
        known = .pending
        streamed = outcome
    }
}

/// The smallest context for the middleware.
public struct BasicApproovRequestContext: ApproovRequestContext {
    /// Hummingbird's storage.
    public var coreContext: CoreRequestContextStorage
    /// The address of the peer.
    public let remoteAddress: SocketAddress?
    /// The result of the check.
    public var approov: ApproovRequest?

    /// Creates the context of a new request.
    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

/// The result of ``ApproovMiddleware`` for a request: the verdict, or why there is none.
public enum ApproovOutcome: Sendable {
    /// The request was judged. Under the enforcement `annotate` handlers get rejected requests too.
    case verdict(Verdict)
    /// The ledger, a key store or a service is unreachable.
    case outage(any Outage)
    /// The configuration is unusable: for example, all keys have expired.
    case misconfigured(RequestError)
    /// The request cannot be judged.
    case unjudged(ApproovObstacle)
    /// The head of the request is acceptable. The rest is decided when its streamed body has been read to the end; see
    /// ``ApproovBodyMode/streamed(upTo:)``.
    case pending
    /// The check is switched off.
    case off

    /// The verdict; nil without one.
    public var verdict: Verdict? {
        guard case .verdict(let verdict) = self else { return nil }
        return verdict
    }

    /// Whether the request was judged and accepted.
    public var isAccepted: Bool { verdict?.outcome == .accept }

    /// The outcome in logs: `accept`, `reject`, `outage`, `misconfigured`, `unjudged`, `pending` or `off`.
    package var word: String {
        switch self {
        case .verdict(let verdict): verdict.outcome.rawValue
        case .outage: "outage"
        case .misconfigured: "misconfigured"
        case .unjudged: "unjudged"
        case .pending: "pending"
        case .off: "off"
        }
    }
}

/// Why a request cannot be judged.
public enum ApproovObstacle: String, Sendable {
    /// Its host is none of the ``ApproovOrigins``.
    case unknownHost = "unknown-host"
    /// Its target has a fragment, does not begin with a slash, or is not printable ASCII: the signed target is ambiguous.
    case badTarget = "bad-target"
    /// Its `Host` or `:authority` is missing, repeated, or more than host and port.
    case badHost = "bad-host"
    /// Its body is longer than the limit.
    case bodyTooLong = "body-too-long"
    /// Its body is shorter or longer than `Content-Length`.
    case bodyLengthDiffers = "body-length-differs"
}
