public import AssayHTTP
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
