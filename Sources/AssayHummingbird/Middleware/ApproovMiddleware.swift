import Approov
import Assay
public import AssayCore
import HTTPTypes
public import Hummingbird

/// Checks the Approov token of every request, what it is bound to, and the signature of the message where the policy
/// demands one. What is done with rejected requests is for the policy's `enforcement`, and for the switch of a
/// ``LiveVerifier``, to say.
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
    ///   - live: judges them.
    ///   - app: the name of the policy's app, and nil for the only one with `approov`.
    ///   - options: how they are treated.
    /// - Throws: ``PolicyError`` when the policy has no such app, or demands signed messages and `options` name no origins.
    public init(
        _ live: LiveVerifier, app: String? = nil, options: ApproovMiddlewareOptions = ApproovMiddlewareOptions()
    ) throws(PolicyError) {
        self.live = live
        settings = RequestJudge.Settings(options)
        position = try live.use(app: app, hasOrigins: options.origins != nil)
    }

    /// Judges a request, and answers it or passes it on.
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
        return try await passOn(request, context, check, enforcement, next)
    }

    /// The answer to a request that does not go on.
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

    /// Passes on a request whose body is checked while it is read. A body that is not the signed one makes every answer an
    /// error, also that of a handler that took no notice.
    private func passOn(
        _ request: Request, _ context: Context, _ check: StreamedBodyCheck,
        _ enforcement: ApproovConfiguration.Enforcement, _ next: (Request, Context) async throws -> Response
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
