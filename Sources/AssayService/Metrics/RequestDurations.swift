import AssayCore
import CoreMetrics
import HTTPTypes
import Synchronization
import Tracing

/// Times of answers, by method, endpoint and status: the path of a request is no label.
final class RequestDurations: Sendable {
    private struct Labels: Hashable {
        /// The place in `known`; its count for another method.
        let method: Int
        let endpoint: Swift.ObjectIdentifier?
        let status: Int
    }

    private let registry: MetricsRegistry
    private let timers = Mutex<[Labels: CoreMetrics.Timer]>([:])

    init(_ registry: MetricsRegistry) { self.registry = registry }

    /// Records the time of an answer in seconds. The endpoint, if any, is one of the listener's, which last as long as this.
    func record(_ seconds: Double, _ method: HTTPRequest.Method, _ endpoint: Endpoint?, _ status: Int) {
        let number = Self.known.firstIndex(of: method) ?? Self.known.count
        let labels = Labels(method: number, endpoint: endpoint.map { Swift.ObjectIdentifier($0) }, status: status)
        let timer = timers.withLock { timers in
            if let known = timers[labels] { return known }
            let values = [Self.name(method), endpoint?.route ?? "", "\(status)"]
            let timer = Timer(
                label: MetricName.requests.rawValue, dimensions: Array(zip(MetricName.requests.labels, values)),
                factory: registry)
            timers[labels] = timer
            return timer
        }
        timer.recordNanoseconds(Int64(seconds * 1_000_000_000))
    }

    /// The method; `_OTHER` for one that HTTP does not define, as OpenTelemetry has it.
    fileprivate static func name(_ method: HTTPRequest.Method) -> String {
        known.contains(method) ? method.rawValue : "_OTHER"
    }

    private static let known: [HTTPRequest.Method] = [
        .get, .post, .head, .put, .patch, .delete, .options, .connect, .trace,
    ]
}

extension Span {
    /// Names the span `{method} {route}`, with the attributes of OpenTelemetry. An answer of 4xx is no error of the service.
    func note(_ method: HTTPRequest.Method, _ route: String, _ status: Int) {
        let method = RequestDurations.name(method)
        operationName = route.isEmpty ? method : "\(method) \(route)"
        attributes["http.request.method"] = method
        attributes["http.response.status_code"] = status
        if !route.isEmpty { attributes["http.route"] = route }
        guard status >= 500 else { return }
        attributes["error.type"] = "\(status)"
        setStatus(SpanStatus(code: .error))
    }
}
