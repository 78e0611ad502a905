public import AssayCore
public import Hummingbird
public import NIOCore

/// A request context that holds the result of ``EvidenceMiddleware``.
///
///     struct ShopContext: EvidenceRequestContext {
///         var coreContext: CoreRequestContextStorage
///         let remoteAddress: SocketAddress?
///         var judged: JudgedRequest?
///
///         init(source: Source) {
///             coreContext = CoreRequestContextStorage(source: source)
///             remoteAddress = source.channel.remoteAddress
///         }
///     }
public protocol EvidenceRequestContext: RemoteAddressRequestContext {
    /// The result; nil for a request that did not pass through the middleware.
    var judged: JudgedRequest? { get set }
    /// The account of the session, of 1 to 255 bytes, which an earlier middleware has determined; nil for none. A
    /// blocked account is rejected. The default implementation returns nil.
    var account: String? { get }
}

extension EvidenceRequestContext {
    /// No account.
    public var account: String? { nil }
}

/// The result of verifying a request, for handlers.
public struct JudgedRequest: Sendable {
    private enum State {
        case known(RequestDecision)
        case streamed(StreamedOutcome)
    }

    private let state: State

    var decision: RequestDecision {
        switch state {
        case .known(let decision): decision
        case .streamed(let outcome): outcome.decision
        }
    }

    /// The enforcement for the request: `reject`, `annotate` or `off`.
    public var enforcement: Enforcement { decision.enforcement }
    /// The verdict, or the reason for having none. For a streamed body it is ``RequestOutcome/pending`` until the body
    /// has ended.
    public var outcome: RequestOutcome { decision.outcome }
    /// The deciding verdict; nil without one.
    public var verdict: Verdict? { outcome.verdict }
    /// The accepting verdicts of a route that demands all of several kinds of evidence, in its order; otherwise ``verdict`` alone.
    public var verdicts: [Verdict] { decision.verdicts }
    /// Whether the evidence was verified and accepted.
    public var isAccepted: Bool { outcome.isAccepted }

    init(_ decision: RequestDecision) { state = .known(decision) }

    init(streamed outcome: StreamedOutcome) { state = .streamed(outcome) }
}

/// The smallest context for the middleware.
public struct BasicEvidenceRequestContext: EvidenceRequestContext {
    /// Hummingbird's storage.
    public var coreContext: CoreRequestContextStorage
    /// The address of the peer.
    public let remoteAddress: SocketAddress?
    /// The result of the check.
    public var judged: JudgedRequest?

    /// Creates the context of a new request.
    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
