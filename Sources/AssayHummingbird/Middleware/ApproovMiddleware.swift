import Approov
import Assay
public import AssayCore
import HTTPTypes
public import Hummingbird

/// Checks the Approov token and its binding of every request, and the message signature if the policy requires one. The
/// policy's `enforcement` and the switch of the ``LiveVerifier`` decide what happens to rejected requests.
///
///     let live = try LiveVerifier(verifier, logger: logger)
///     let router = Router(context: BasicApproovRequestContext.self)
///     router.add(middleware: try ApproovMiddleware(live, app: "shop-api"))
///     router.get("stock") { request, context in
///         context.approov?.verdict?.approov?.deviceID ?? "unknown"
///     }
public struct ApproovMiddleware<Context: ApproovRequestContext>: RouterMiddleware {
    private let live: LiveVerifier
    private let position: ApproovSwitch.Position
    private let settings: RequestJudge.Settings

    /// Checks requests for an app.
    ///
    /// - Parameters:
    ///   - live: the verifier.
    ///   - app: the name of the policy's app; nil for the only one with `approov`.
    ///   - options: other options.
    /// - Throws: `PolicyError` when the policy has no such app, or requires signed messages and `options` have no origins.
    public init(
        _ live: LiveVerifier, app: String? = nil, options: ApproovMiddlewareOptions = ApproovMiddlewareOptions()
    ) throws(PolicyError) {
        self.live = live
        settings = RequestJudge.Settings(options)
        position = try live.use(app: app, hasOrigins: options.origins != nil)
    }

    /// Judges a request, and refuses it or calls the handler.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let enforcement = position.enforcement
        var request = request
        var context = context
        guard enforcement != .off else {
            context.approov = ApproovRequest(outcome: .off, enforcement: .off, body: nil)
            return try await next(request, context)
        }
        let judge = RequestJudge(state: live.state, app: position.app, settings: settings)
        let judgement = try await judge.judge(
            &request, from: context.remoteAddress, enforces: enforcement == .reject)
        RefusalLog.write(judgement.outcome, app: position.app, enforcement, to: &context.logger)
        if enforcement == .reject, let refusal = refusal(of: judgement.outcome) { return refusal }
        context.approov = ApproovRequest(
            outcome: judgement.outcome, enforcement: enforcement, body: judgement.body)
        guard let check = judgement.body else { return try await next(request, context) }
        return try await callHandler(request, context, check, enforcement, next)
    }

    /// The answer to a refused request; nil for one that the handler gets.
    private func refusal(of outcome: ApproovOutcome) -> Response? {
        guard !outcome.isAccepted else { return nil }
        let refusal = RefusalResponse(options: settings.options)
        switch outcome {
        case .verdict(let verdict): return refusal.rejection(verdict)
        case .outage:
            switch settings.options.outages {
            case .refuse: return refusal.outage()
            case .letThrough: return nil
            }
        case .misconfigured: return refusal.misconfiguration()
        case .unjudged(let obstacle): return refusal.unjudged(obstacle)
        case .off: return nil
        }
    }

    /// Calls the handler of a request whose body is checked while it is read. Any answer to another body than the signed one
    /// becomes an error.
    private func callHandler(
        _ request: Request, _ context: Context, _ check: StreamedBodyCheck,
        _ enforcement: ApproovEnforcement, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let result: Result<Response, any Error>
        do { result = .success(try await next(request, context)) } catch { result = .failure(error) }
        let status = check.status
        guard status != .pending, status != .matches else { return try result.get() }
        RefusalLog.write(status, app: position.app, enforcement, to: context.logger)
        guard enforcement == .reject else { return try result.get() }
        return RefusalResponse(options: settings.options).rejection(of: context.approov?.verdict, body: status)
    }
}
