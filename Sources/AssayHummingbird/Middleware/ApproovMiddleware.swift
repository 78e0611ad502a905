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
            context.approov = ApproovRequest(.off, enforcement: .off)
            return try await next(request, context)
        }
        let judge = RequestJudge(state: live.state, app: position.app, settings: settings)
        let judgement = try await judge.judge(
            &request, from: context.remoteAddress, account: context.account, enforces: enforcement == .reject)
        if let streamed = judgement.streamed {
            context.approov = ApproovRequest(streamed: streamed.outcome, enforcement: enforcement)
            return try await callHandler(request, context, streamed.outcome, streamed.reader, next)
        }
        RefusalLog.write(judgement.outcome, app: position.app, enforcement, to: &context.logger)
        if enforcement == .reject, let refusal = refusal(of: judgement.outcome) { return refusal }
        context.approov = ApproovRequest(judgement.outcome, enforcement: enforcement)
        return try await next(request, context)
    }

    /// The answer to a refused request; nil for one that the handler gets.
    private func refusal(of outcome: ApproovOutcome) -> Response? {
        guard settings.options.refuses(outcome) else { return nil }
        let refusal = RefusalResponse(options: settings.options)
        switch outcome {
        case .verdict(let verdict): return refusal.rejection(verdict)
        case .outage: return refusal.outage()
        case .misconfigured: return refusal.misconfiguration()
        case .unjudged(let obstacle): return refusal.unjudged(obstacle)
        case .pending, .off: return nil
        }
    }

    /// Calls the handler of a request whose body is streamed. The handler's answer is replaced if the message is refused.
    private func callHandler(
        _ request: Request, _ context: Context, _ outcome: StreamedOutcome, _ reader: StreamedBodyReader,
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let enforcement = context.approov?.enforcement ?? .reject
        let result: Result<Response, any Error>
        do { result = .success(try await next(request, context)) } catch { result = .failure(error) }
        let isSuccess = (try? result.get()).map { $0.status.code < 400 } ?? false
        if isSuccess, enforcement == .reject { await reader.drain() }
        var logger = context.logger
        RefusalLog.write(outcome.value, app: position.app, enforcement, to: &logger)
        guard enforcement == .reject else { return try result.get() }
        if let refusal = refusal(of: outcome.value) { return refusal }
        if isSuccess, case .pending = outcome.value {
            // A task of the handler still reads the body.
            return RefusalResponse(options: settings.options).misconfiguration()
        }
        return try result.get()
    }
}
