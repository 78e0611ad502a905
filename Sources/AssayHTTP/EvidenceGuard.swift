import Assay
public import AssayCore
public import HTTPTypes
public import Logging

/// Verifies the evidence that requests carry, for a server of any framework. The policy's `enforcement` and the switch of the
/// ``ReloadableVerifier`` decide what happens to rejected requests.
///
///     let guarding = try EvidenceGuard(verifier, app: "shop-ios", options: options)
///     switch await guarding.judge(request, body: body, peer: address, logger: logger) {
///     case .pass(let judged): return handler(judged.verdict)
///     case .refuse(let refusal): return answer(refusal.status, refusal.fields, refusal.body)
///     }
public struct EvidenceGuard: Sendable {
    /// What to do with a request.
    public enum Decision: Sendable {
        /// Call the handler.
        case pass(JudgedRequest)
        /// Answer with this.
        case refuse(Refusal)
    }

    private let verifier: ReloadableVerifier
    private let selector: ReloadableVerifier.RouteSelector
    private let settings: RequestJudge.Settings

    /// Verifies requests for an app.
    ///
    /// - Parameters:
    ///   - verifier: the verifier.
    ///   - app: the name of the policy's app; nil for the only one that expects evidence with its requests: with `approov`,
    ///     `appAttest.requests` or `playIntegrity.requests`.
    ///   - kind: the kind of evidence; nil for the only one of the app.
    ///   - options: other options.
    /// - Throws: `PolicyError` when the policy has no such app, or requires signed requests and `options` have no origins.
    public init(
        _ verifier: ReloadableVerifier, app: String? = nil, kind: EvidenceKind? = nil, options: Options = Options()
    ) throws(PolicyError) {
        self.verifier = verifier
        settings = RequestJudge.Settings(options)
        selector = try verifier.use(app: app, kind: kind, hasOrigins: options.origins != nil)
    }

    /// Verifies requests for a route of the policy, which names several kinds of evidence.
    ///
    /// - Parameters:
    ///   - verifier: the verifier.
    ///   - route: the name of the route in the policy's `routes`.
    ///   - options: other options.
    /// - Throws: `PolicyError` when the policy has no such route, or requires signed requests and `options` have no origins.
    public init(
        _ verifier: ReloadableVerifier, route: String, options: Options = Options()
    ) throws(PolicyError) {
        self.verifier = verifier
        settings = RequestJudge.Settings(options)
        selector = try verifier.use(route: route, hasOrigins: options.origins != nil)
    }

    /// Judges a request whose body has been read, and logs the outcome.
    ///
    /// - Parameters:
    ///   - request: the head as the client sent it. Its `path` has the query and is not normalised. The host is the `authority` or a
    ///     field `Host`, not both.
    ///   - body: the whole body, as it came: before any decompression. A request whose body is longer than the limit of
    ///     ``Options/body`` is refused; read one byte more than that at most.
    ///   - peer: the address of the peer of the connection, without a port; nil if unknown.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    ///   - logger: the logger of the request.
    nonisolated(nonsending) public func judge(
        _ request: HTTPRequest, body: some Sequence<UInt8>, peer: String?, account: String? = nil, logger: Logger
    ) async -> Decision {
        await decide(request, .bytes(Array(body)), peer, account, logger)
    }

    /// Judges a request whose body has been read in parts, and logs the outcome.
    ///
    /// - Parameters:
    ///   - request: the head; see ``judge(_:body:peer:account:logger:)``.
    ///   - digests: the digests of the body, made for the fields of this request and updated with every part: without an update, the
    ///     body counts as empty.
    nonisolated(nonsending) public func judge(
        _ request: HTTPRequest, digests: BodyDigests, peer: String?, account: String? = nil, logger: Logger
    ) async -> Decision {
        await decide(request, .digests(digests), peer, account, logger)
    }

    nonisolated(nonsending) private func decide(
        _ request: HTTPRequest, _ body: UnreadRequest.Body, _ peer: String?, _ account: String?, _ logger: Logger
    ) async -> Decision {
        guard let rules else { return .refuse(.misconfiguration(nil)) }
        let source = ReceivedRequest(head: request, proxy: options.proxy, peer: peer)
        let decision = await rules.judge.decide(source, body, on: rules.route, account: account)
        var logger = logger
        log(decision, route: rules.route.name, account: account, to: &logger)
        return refusal(of: decision).map { .refuse($0) } ?? .pass(JudgedRequest(decision))
    }

    // MARK: For layers of frameworks

    package var options: Options { settings.options }

    /// Whether the client's address is that of the peer.
    package var needsPeer: Bool { settings.options.proxy.addressField == nil }

    /// Judges a request without its body and without waiting; nil if ``judge(_:mayStream:under:peer:account:)`` has to judge.
    package func judgeAtOnce(
        _ request: HTTPRequest, under rules: Rules, peer: String?, account: String?
    ) -> RequestDecision? {
        let source = ReceivedRequest(head: request, proxy: options.proxy, peer: peer)
        return rules.judge.decideAtOnce(source, on: rules.route, account: account)
    }

    /// Judges a request without its body, which ``judgeAtOnce(_:under:peer:account:)`` could not.
    ///
    /// - Parameter mayStream: whether the body can be read in parts while the handler runs.
    nonisolated(nonsending) package func judge(
        _ request: HTTPRequest, mayStream: Bool, under rules: Rules, peer: String?, account: String?
    ) async -> RequestJudge.Judgement {
        let source = ReceivedRequest(head: request, proxy: options.proxy, peer: peer)
        return await rules.judge.judge(source, mayStream: mayStream, on: rules.route, account: account)
    }

    /// Logs a decision, and adds it to the metadata of the request's logger.
    package func log(_ decision: RequestDecision, route: String, account: String?, to logger: inout Logger) {
        let verifier = verifier
        RefusalLog.write(
            decision, route: route, account: account, verifier.state.verifier.policy.logAccounts, to: &logger)
    }

    /// The answer to a refused request; nil if the handler must answer.
    package func refusal(of decision: RequestDecision) -> Refusal? {
        options.refuses(decision) ? Refusal(decision, options) : nil
    }

    /// What a request is judged by, from its beginning to its end.
    package struct Rules: Sendable {
        let judge: RequestJudge
        package let route: GuardedRoute
    }

    /// The present rules; nil for a policy without the route, which is not adopted.
    package var rules: Rules? {
        let state = verifier.state
        return state.route(selector).map { Rules(judge: RequestJudge(state: state, settings: settings), route: $0) }
    }
}
