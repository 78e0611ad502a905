import AssayHummingbird
import Hummingbird
import NIOCore

/// The context of a request: the result of the check, and the account of the session.
struct ShopContext: EvidenceRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?
    var judged: JudgedRequest?
    var account: String?

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

/// Finds the account of the session. Add it before the middleware that judges evidence, which refuses a blocked account.
struct Sessions: RouterMiddleware {
    let account: @Sendable (String) -> String?

    func handle(
        _ request: Request, context: ShopContext, next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.account = request.headers[.authorization].flatMap(account)
        return try await next(request, context)
    }
}
