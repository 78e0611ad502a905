import Assay
public import AssayCore
import HTTPTypes
public import Hummingbird
import NIOCore

/// Verifies the evidence that requests carry: an Approov token or signed message, an App Attest assertion or a Play Integrity token
/// over the request. The policy's `enforcement` and the switch of the ``ReloadableVerifier`` decide what happens to rejected requests.
///
///     let live = try ReloadableVerifier(verifier, logger: logger)
///     let router = Router(context: BasicEvidenceRequestContext.self)
///     router.add(middleware: try EvidenceMiddleware(live, app: "shop-api"))
///     router.get("stock") { request, context in
///         context.judged?.verdict?.approov?.deviceID ?? "unknown"
///     }
public struct EvidenceMiddleware<Context: EvidenceRequestContext>: RouterMiddleware {
    private let live: ReloadableVerifier
    private let selector: ReloadableVerifier.RouteSelector
    private let settings: RequestJudge.Settings

    /// Verifies requests for an app.
    ///
    /// - Parameters:
    ///   - live: the verifier.
    ///   - app: the name of the policy's app; nil for the only one that expects evidence with its requests: with `approov`,
    ///     `appAttest.requests` or `playIntegrity.requests`.
    ///   - kind: the kind of evidence; nil for the only one of the app.
    ///   - options: other options.
    /// - Throws: `PolicyError` when the policy has no such app, or requires signed requests and `options` have no origins.
    public init(
        _ live: ReloadableVerifier, app: String? = nil, kind: EvidenceKind? = nil,
        options: EvidenceMiddlewareOptions = EvidenceMiddlewareOptions()
    ) throws(PolicyError) {
        self.live = live
        settings = RequestJudge.Settings(options)
        selector = try live.use(app: app, kind: kind, hasOrigins: options.origins != nil)
    }

    /// Verifies requests for a route of the policy, which names several kinds of evidence.
    ///
    /// - Parameters:
    ///   - live: the verifier.
    ///   - route: the name of the route in the policy's `routes`.
    ///   - options: other options.
    /// - Throws: `PolicyError` when the policy has no such route, or requires signed requests and `options` have no origins.
    public init(
        _ live: ReloadableVerifier, route: String, options: EvidenceMiddlewareOptions = EvidenceMiddlewareOptions()
    ) throws(PolicyError) {
        self.live = live
        settings = RequestJudge.Settings(options)
        selector = try live.use(route: route, hasOrigins: options.origins != nil)
    }

    /// Verifies a request, and refuses it or calls the handler.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var request = request
        var context = context
        let judge = RequestJudge(state: live.state, settings: settings)
        guard let route = judge.state.route(selector) else {
            // Not reached: a policy without the route is not adopted.
            return RefusalResponse(options: settings.options).misconfiguration(nil)
        }
        let source = ReceivedRequest(head: request.head, proxy: settings.options.proxy, peer: context.remoteAddress)
        switch try await judge.judge(source, &request.body, on: route, account: context.account) {
        case .streamed(let outcome, let reader):
            context.judged = JudgedRequest(streamed: outcome)
            return try await callHandler(request, context, route.name, outcome, reader, next)
        case .decided(let decision):
            RefusalLog.write(decision, route: route.name, to: &context.logger)
            if let refusal = refusal(of: decision) { return refusal }
            context.judged = JudgedRequest(decision)
            return try await next(request, context)
        }
    }

    /// The answer to a refused request; nil if the handler must answer.
    private func refusal(of decision: RequestDecision) -> Response? {
        guard settings.options.refuses(decision) else { return nil }
        return RefusalResponse(options: settings.options).answer(decision)
    }

    /// Calls the handler of a request whose body is streamed. Replaces the handler's answer if the request is refused.
    private func callHandler(
        _ request: Request, _ context: Context, _ route: String, _ outcome: StreamedOutcome,
        _ reader: StreamedBodyReader, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let result: Result<Response, any Error>
        do { result = .success(try await next(request, context)) } catch { result = .failure(error) }
        let isSuccess = (try? result.get()).map { $0.status.code < 400 } ?? false
        let mayRefuse = outcome.decision.enforcement == .reject
        if isSuccess, mayRefuse { await reader.drain() }
        let decision = outcome.decision
        var logger = context.logger
        RefusalLog.write(decision, route: route, to: &logger)
        if let refusal = refusal(of: decision) { return refusal }
        if isSuccess, mayRefuse, case .pending = decision.outcome {
            // A task of the handler still reads the body.
            return RefusalResponse(options: settings.options).misconfiguration(decision)
        }
        return try result.get()
    }
}
