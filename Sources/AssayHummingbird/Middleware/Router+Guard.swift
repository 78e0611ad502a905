public import Hummingbird

extension Router where Context: EvidenceRequestContext {
    /// Adds the middleware, and makes sure that it guards every route.
    ///
    /// A router applies middleware only to routes that are added after it. Call this before the routes are added, or name those
    /// that need no check:
    ///
    ///     router.get("livez") { _, _ in "" }
    ///     try router.guardAllRoutes(with: EvidenceMiddleware(live, app: "shop-api"), except: ["GET /livez"])
    ///     router.get("stock") { _, _ in "" }
    ///
    /// - Parameters:
    ///   - middleware: the middleware.
    ///   - open: the routes that are not guarded, as `Router.routes` describes them: `GET /livez`, `POST /items/{id}`.
    /// - Throws: ``UnguardedRoutesError`` when the router has other routes already. Then the middleware is not added.
    public func guardAllRoutes(
        with middleware: EvidenceMiddleware<Context>, except open: [String] = []
    ) throws(UnguardedRoutesError) {
        let unguarded = routes.map(\.description).filter { !open.contains($0) }
        guard unguarded.isEmpty else { throw UnguardedRoutesError(routes: unguarded.sorted()) }
        add(middleware: middleware)
    }
}

/// Routes that were added before the middleware, and that it would not guard.
public struct UnguardedRoutesError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The routes, such as `GET /stock`, sorted.
    public let routes: [String]

    /// The sentence.
    public var description: String {
        "the router has routes that the middleware would not guard: \(routes.joined(separator: ", ")); add the middleware "
            + "before them, or name them as exceptions"
    }
}
