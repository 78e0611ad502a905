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
            // Rendered at once: a client that does not read keeps these bytes in memory, but no request slot.
            return Response(
                status: .ok, headers: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: MetricsText.write(registry))))
        }
    }
}
