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
        case stated(RequestOutcome, Enforcement, [Verdict])
    }

    private let state: State

    /// The enforcement for the request: `reject`, `annotate` or `off`.
    public var enforcement: Enforcement {
        switch state {
        case .known(let decision): decision.enforcement
        case .streamed(let outcome): outcome.decision.enforcement
        case .stated(_, let enforcement, _): enforcement
        }
    }
    /// The verdict, or the reason for having none. For a streamed body it is ``RequestOutcome/pending`` until the body
    /// has ended.
    public var outcome: RequestOutcome {
        switch state {
        case .known(let decision): decision.outcome
        case .streamed(let outcome): outcome.decision.outcome
        case .stated(let outcome, _, _): outcome
        }
    }
    /// The deciding verdict; nil without one.
    public var verdict: Verdict? { outcome.verdict }
    /// The accepting verdicts of a route that demands all of several kinds of evidence, in its order; otherwise ``verdict`` alone.
    public var verdicts: [Verdict] {
        switch state {
        case .known(let decision): decision.verdicts
        case .streamed(let outcome): outcome.decision.verdicts
        case .stated(_, _, let verdicts): verdicts
        }
    }
    /// Whether the evidence was verified and accepted.
    public var isAccepted: Bool { outcome.isAccepted }

    /// A result that no middleware found, for tests of handlers.
    ///
    /// - Parameters:
    ///   - outcome: the verdict, such as `Verdict.stub(accepting:)` of AssayTesting, or the reason for having none.
    ///   - enforcement: the enforcement for the request.
    ///   - verdicts: those of a route that demands several kinds of evidence; nil for the verdict of `outcome` alone.
    public init(_ outcome: RequestOutcome, enforcement: Enforcement = .reject, verdicts: [Verdict]? = nil) {
        state = .stated(outcome, enforcement, verdicts ?? outcome.verdict.map { [$0] } ?? [])
    }

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
