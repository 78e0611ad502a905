import AssayHTTP
public import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Refuses HTTP/1 requests whose target or `Host` is ambiguous, before the server's libraries normalise them.
///
/// Hummingbird cuts scheme, authority and fragment off an absolute target before middleware sees it, and ignores the HTTP
/// version. This handler answers 400 and closes the connection for:
/// - a target in absolute or authority form, with user information or a fragment, or with bytes outside printable ASCII;
/// - a `Host` that is missing (but in HTTP/1.0), repeated, empty, or more than host and port.
///
/// It reads what the client wrote, for all routes and for every `enforcement` of the policy:
///
///     let application = Application(
///         router: router,
///         server: .http1(configuration: .init(additionalChannelHandlers: [RequestTargetGuard.handler()])))
///
/// HTTP/2 streams need no handler: nothing is normalised there, and ``EvidenceMiddleware`` makes the same checks for
/// signed messages.
public enum RequestTargetGuard {
    /// Makes the handler of one connection.
    public static func handler() -> any RemovableChannelHandler { CheckInstaller() }
}

/// Inserts the check directly before the conversion of HTTP/1 into HTTPTypes, after handlers for upgrades. Closes a
/// connection whose pipeline has no such conversion.
private final class CheckInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        // The channel of an HTTP/2 stream: its parent is a connection, whose parent is the listening socket.
        if context.channel.parent?.parent != nil { return }
        do {
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestHeadCheck(), position: .before(codec))
        } catch {
            context.close(promise: nil)
        }
    }
}

private final class RequestHeadCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), let problem = Self.problem(of: head) {
            hasRefused = true
            // Hummingbird answers errors of its parser with 400, after the answers to earlier requests, and closes.
            context.fireErrorCaught(problem)
        } else {
            context.fireChannelRead(data)
        }
    }

    private static func problem(of head: HTTPRequestHead) -> HTTPParserError? {
        guard ServerOrigins.isTarget(head.uri) else { return .invalidURL }
        let isHost = ServerOrigins.isHost(head.headers["Host"], isOptional: head.version == .http1_0)
        return isHost ? nil : .invalidHeaderToken
    }
}
