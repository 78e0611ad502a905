import Assay
import AssayCore
import Dispatch
import HTTPTypes
import Logging
import NIOCore
import Tracing

/// Answers the requests of a listener: finds the endpoint, limits requests at the same time, asks who calls, and logs.
final class ServiceResponder: Sendable {
    private let endpoints: [Endpoint]
    /// The first endpoint, if it has answers that need not wait.
    private let first: Endpoint?
    /// Whether a tracer is set up.
    private let isTraced = !(InstrumentationSystem.instrument is NoOpInstrument)
    private let callers: CallerCheck
    private let sites: SiteRules
    private let limit: Int
    private let retryAfter: Int
    private let logger: Logger
    private let state: ServiceState
    private let deadlines: BodyDeadlines
    private let slots = RequestSlot.Counter()
    private let ids = RequestID.Source()
    private let durations: RequestDurations
    private let metrics: MetricsRegistry

    init(
        _ endpoints: [Endpoint], callers: CallerCheck, sites: SiteRules, requests limit: Int, retryAfter: Int,
        deadlines: BodyDeadlines, logger: Logger, state: ServiceState, metrics: MetricsRegistry
    ) {
        durations = RequestDurations(metrics)
        self.metrics = metrics
        self.endpoints = endpoints
        first = endpoints.first.flatMap { $0.answerAtOnce == nil ? nil : $0 }
        (self.callers, self.sites, self.limit, self.retryAfter) = (callers, sites, limit, retryAfter)
        (self.deadlines, self.logger, self.state) = (deadlines, logger, state)
    }

    /// Answers a request, in a span whose parent is that of the field `traceparent`.
    func respond(to request: Request, on channel: any Channel) async -> Response {
        let parent = request.head.hasField(.traceParent) ? TraceParent(request.headers) : nil
        // Without a tracer, a span would only cost time: about as much as verifying a token.
        guard isTraced else { return await respond(to: request, on: channel, in: nil, parent) }
        return await withSpan(request.method.rawValue.excerpt, context: parent?.context ?? .topLevel, ofKind: .server) {
            await respond(to: request, on: channel, in: $0, parent)
        }
    }

    private func respond(
        to request: Request, on channel: any Channel, in span: (any Span)?, _ parent: TraceParent?
    ) async -> Response {
        let start = DispatchTime.now()
        var served = served(request, channel)
        let result: Result<Response, Problem>
        do throws(Problem) {
            try requireRoom(for: served)
            result = .success(try await answer(&served, channel))
        } catch { result = .failure(error) }
        return end(&served, result, since: start, parent, span)
    }

    /// Answers a request whose answer need not wait, without a task; nil if it may have to.
    func respondAtOnce(to request: Request, on channel: any Channel) -> Response? {
        guard !isTraced, let first, let segment = first.match(request.head.path),
            first.method.map({ $0 == request.method }) ?? true, case .all = first.access
        else { return nil }
        let start = DispatchTime.now()
        var served = served(request, channel)
        let result: Result<Response, Problem>
        do throws(Problem) {
            try requireRoom(for: served)
            (served.segment, served.endpoint) = (segment, first)
            try sites.require(request, first)
            guard let response = try first.answerAtOnce?(&served) else { return nil }
            result = .success(response)
        } catch { result = .failure(error) }
        let parent = request.head.hasField(.traceParent) ? TraceParent(request.headers) : nil
        return end(&served, result, since: start, parent, nil)
    }

    private func served(_ request: Request, _ channel: any Channel) -> ServiceRequest {
        ServiceRequest(
            request: request, id: ids.next(), channel: channel, deadlines: deadlines, slot: RequestSlot(slots))
    }

    private func requireRoom(for served: ServiceRequest) throws(Problem) {
        guard served.slot.number > limit else { return }
        var problem = Problem(
            .serviceUnavailable, .tooManyRequests, "\(limit) requests are handled already; send it again later")
        problem.headers[.retryAfter] = "\(retryAfter)"
        throw problem
    }

    /// Completes an answer, and counts and logs it.
    private func end(
        _ served: inout ServiceRequest, _ result: Result<Response, Problem>, since start: DispatchTime,
        _ parent: TraceParent?, _ span: (any Span)?
    ) -> Response {
        var response: Response
        switch result {
        case .success(let answer): response = answer
        case .failure(let error):
            if let outage = error.uncounted { metrics.count(outage) }
            served.note.take(error)
            response = error.response
        }
        response.id = served.id
        let request = served.request
        // The rest of a body that was refused unread would be read before the next request.
        if response.status.code >= 400, Self.unread.contains(response.status), Self.hasBody(request) {
            response.isLast = true
        }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000_000
        durations.record(seconds, request.method, served.endpoint, response.status.code)
        span?.note(request.method, served.endpoint?.route ?? "", response.status.code)
        log(served, response, seconds, parent)
        return response
    }

    private func answer(_ served: inout ServiceRequest, _ channel: any Channel) async throws(Problem) -> Response {
        let path = served.request.head.path
        var allowed: [String] = []
        for endpoint in endpoints {
            guard let segment = endpoint.match(path) else { continue }
            if let method = endpoint.method, method != served.request.method {
                allowed.append(method.rawValue)
                continue
            }
            served.segment = segment
            served.endpoint = endpoint
            try sites.require(served.request, endpoint)
            if case .all = endpoint.access { return try await answer(&served, by: endpoint) }
            let (callers, head, retryAfter) = (callers, served.request.head, retryAfter)
            served.caller = { () async throws(Problem) in
                try await callers.require(endpoint.access, head, channel, retryAfter: retryAfter)
            }
            served.calledBy = try await served.caller()
            served.note.caller = served.calledBy?.name
            return try await answer(&served, by: endpoint)
        }
        guard !allowed.isEmpty else {
            if path.hasPrefix(AuthorizeEndpoint.prefix) {
                throw Problem(
                    .notFound, .notFound,
                    "forward auth is off: set authorize.dialect and authorize.peers of the public listener")
            }
            throw Problem(
                .notFound, .notFound, "there is no such path; GET /openapi.json lists all of this listener")
        }
        var problem = Problem(
            .methodNotAllowed, .methodNotAllowed, "the path takes \(allowed.joined(separator: ", "))")
        problem.headers[.allow] = allowed.joined(separator: ", ")
        throw problem
    }

    private func answer(_ served: inout ServiceRequest, by endpoint: Endpoint) async throws(Problem) -> Response {
        // A body that has not arrived in one piece may be a large one.
        guard endpoint.isLong || !served.request.body.isWhole else { return try await endpoint.answer(&served) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Problem) in
            try await endpoint.answer(&served)
        }
    }

    /// The statuses of requests whose body may not have been read to its end.
    private static let unread: Set<HTTPResponse.Status> = [
        .unauthorized, .forbidden, .notFound, .methodNotAllowed, .requestTimeout, .contentTooLarge,
        .unsupportedMediaType, .serviceUnavailable,
    ]

    private static func hasBody(_ request: Request) -> Bool {
        request.head.hasField(.transferEncoding) || request.head.value(.contentLength).map { $0 != "0" } ?? false
    }

    private func log(_ served: ServiceRequest, _ response: Response, _ seconds: Double, _ parent: TraceParent?) {
        let level = served.note.level(response.status.code)
        guard level >= logger.logLevel else { return }
        var metadata: Logger.Metadata = [
            "assay.requestId": "\(served.id)", "http.request.method": "\(served.request.method.rawValue.excerpt)",
            "url.path": "\(served.request.head.path.excerpt)",
            "http.response.status_code": .stringConvertible(response.status.code),
            "http.server.request.duration": .stringConvertible(seconds),
        ]
        if let parent { metadata["trace_id"] = "\(parent.traceID)" }
        served.note.write(to: &metadata, state.verifier.policy.logAccounts)
        logger.log(level: level, "request", metadata: metadata)
    }
}
