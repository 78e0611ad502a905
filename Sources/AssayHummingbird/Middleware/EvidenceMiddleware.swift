public import AssayCore
public import AssayHTTP
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
    private let guarding: EvidenceGuard

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
        _ verifier: ReloadableVerifier, app: String? = nil, kind: EvidenceKind? = nil,
        options: EvidenceMiddlewareOptions = EvidenceMiddlewareOptions()
    ) throws(PolicyError) {
        guarding = try EvidenceGuard(verifier, app: app, kind: kind, options: options)
    }

    /// Verifies requests for a route of the policy, which names several kinds of evidence.
    ///
    /// - Parameters:
    ///   - verifier: the verifier.
    ///   - route: the name of the route in the policy's `routes`.
    ///   - options: other options.
    /// - Throws: `PolicyError` when the policy has no such route, or requires signed requests and `options` have no origins.
    public init(
        _ verifier: ReloadableVerifier, route: String, options: EvidenceMiddlewareOptions = EvidenceMiddlewareOptions()
    ) throws(PolicyError) {
        guarding = try EvidenceGuard(verifier, route: route, options: options)
    }

    /// Verifies a request, and refuses it or calls the handler.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let peer = guarding.needsPeer ? context.remoteAddress?.addressText : nil
        guard let rules = guarding.rules else { return Response(.misconfiguration(nil)) }
        let judged = guarding.judgeAtOnce(request.head, under: rules, peer: peer, account: context.account)
        guard let judged else { return try await handleWaiting(request, context, rules, peer, next) }
        var context = context
        if let refusal = refusal(of: judged, rules.route.name, &context) { return refusal }
        return try await next(request, context)
    }

    /// Does the same for a request whose verification has to wait.
    private func handleWaiting(
        _ request: Request, _ context: Context, _ rules: EvidenceGuard.Rules, _ peer: String?,
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var request = request
        var context = context
        let options = guarding.options
        let judgement = await guarding.judge(
            request.head, mayStream: options.body.isStreamed, under: rules, peer: peer, account: context.account)
        let route = rules.route.name
        let decision: RequestDecision
        switch judgement {
        case .decided(let known): decision = known
        case .undecided(let unread):
            let body = TimedBody.limiting(request.body, to: options.body.time)
            guard !unread.isStreamed else {
                let reader = StreamedBodyReader(body, of: unread, options)
                request.body = RequestBody(asyncSequence: StreamedBody(reader: reader))
                context.judged = JudgedRequest(streamed: reader.outcome)
                return try await callHandler(request, context, route, reader, next)
            }
            decision = try await decide(unread, body, &request)
        }
        if let refusal = refusal(of: decision, route, &context) { return refusal }
        return try await next(request, context)
    }

    /// Logs a decision, and adds it to the context of the handler. Returns the answer to a refused request.
    private func refusal(of decision: RequestDecision, _ route: String, _ context: inout Context) -> Response? {
        guarding.log(decision, route: route, account: context.account, to: &context.logger)
        if let refusal = guarding.refusal(of: decision) { return Response(refusal) }
        context.judged = JudgedRequest(decision)
        return nil
    }

    /// Reads the body of a request, which gets one with the same bytes.
    ///
    /// - Throws: errors of reading the body.
    private func decide(
        _ unread: UnreadRequest, _ body: RequestBody, _ request: inout Request
    ) async throws -> RequestDecision {
        let limit = guarding.options.body.collectedLimit
        switch try await CollectedBody.read(body, length: unread.length, upTo: limit, unread.digests) {
        case .tooLong(let rest):
            request.body = rest
            return unread.decision(.unjudged(.bodyTooLong))
        case .tooSlow:
            let decision = unread.decision(.unjudged(.bodyTooSlow))
            // Nothing is left for a handler to read.
            guard guarding.options.refuses(decision) else {
                throw HTTPError(.requestTimeout, message: "the body is too slow")
            }
            return decision
        case .whole(let whole, let digests):
            request.body = RequestBody(buffer: whole)
            return await unread.decide(.digests(digests))
        }
    }

    /// Calls the handler of a request whose body is streamed. Replaces the handler's answer if the request is refused.
    private func callHandler(
        _ request: Request, _ context: Context, _ route: String, _ reader: StreamedBodyReader,
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let result: Result<Response, any Error>
        do { result = .success(try await next(request, context)) } catch { result = .failure(error) }
        let isSuccess = (try? result.get()).map { $0.status.code < 400 } ?? false
        let mayRefuse = reader.outcome.decision.enforcement == .reject
        if isSuccess, mayRefuse { await reader.drain() }
        let decision = reader.outcome.decision
        var logger = context.logger
        guarding.log(decision, route: route, account: context.account, to: &logger)
        if let refusal = guarding.refusal(of: decision) { return Response(refusal) }
        if isSuccess, mayRefuse, case .pending = decision.outcome {
            // A task of the handler still reads the body.
            return Response(.misconfiguration(decision))
        }
        return try result.get()
    }
}

extension SocketAddress {
    /// ``ipAddress``, for IPv4 without the C library, whose `inet_ntop` takes ten times as long.
    package var addressText: String? {
        guard case .v4(let address) = self else { return ipAddress }
        // In a `sockaddr_in`, the address follows four bytes on all platforms.
        let word = withUnsafeBytes(of: address.address) {
            UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        }
        // 15 bytes are stored inline.
        return String(unsafeUninitializedCapacity: 15) { text in
            var length = 0
            func write(_ byte: UInt8) {
                text[length] = byte
                length += 1
            }
            for shift: UInt32 in [24, 16, 8, 0] {
                let number = UInt8(truncatingIfNeeded: word >> shift)
                if number >= 100 { write(0x30 + number / 100) }
                if number >= 10 { write(0x30 + number / 10 % 10) }
                write(0x30 + number % 10)
                if shift > 0 { write(UInt8(ascii: ".")) }
            }
            return length
        }
    }
}
