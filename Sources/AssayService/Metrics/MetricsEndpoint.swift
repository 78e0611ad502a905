import AssayCore
import CoreMetrics
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /metrics`: all metrics for Prometheus. On loopback addresses and unix sockets it needs no token.
struct MetricsEndpoint: Sendable {
    let registry: MetricsRegistry
    let live: LiveService

    var endpoint: Endpoint {
        Endpoint(.get, "/metrics", .right(.read)) { (_) throws(Problem) in
            registry.makeMeter(label: MetricName.ready.rawValue, dimensions: []).set(live.isReady ? Int64(1) : 0)
            // Written at once: a client that does not read it keeps nothing but these bytes, and no slot of a request.
            return Response(
                status: .ok, headers: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: MetricsText.write(registry))))
        }
    }
}
