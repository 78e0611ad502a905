public import Approov
import Assay
public import AssayCore
public import Hummingbird
public import NIOCore

/// A context of requests that has room for what ``ApproovMiddleware`` finds.
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
    /// What was found, and nil for a request that did not pass through the middleware.
    var approov: ApproovRequest? { get set }
}

/// What handlers learn of the check of a request.
public struct ApproovRequest: Sendable {
    /// The verdict, or why there is none.
    public let outcome: ApproovOutcome
    /// What was done with it: `reject` or `annotate`, and `off` when nobody looked.
    public let enforcement: ApproovConfiguration.Enforcement
    /// Whether the body is the signed one, for a body that is checked while the handler reads it, and nil for every other.
    public let body: StreamedBodyCheck?

    /// The verdict, if there is one.
    public var verdict: Verdict? { outcome.verdict }
    /// Whether the request was judged and accepted.
    public var isAccepted: Bool { outcome.isAccepted }
}

/// A context with nothing but what Hummingbird and the check need.
public struct BasicApproovRequestContext: ApproovRequestContext {
    /// What Hummingbird needs.
    public var coreContext: CoreRequestContextStorage
    /// The address of the peer.
    public let remoteAddress: SocketAddress?
    /// What the check found.
    public var approov: ApproovRequest?

    /// The context of a request that just came in.
    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
