import AssayCore
import CoreMetrics
import HTTPTypes
import NIOCore

/// `GET /metrics`: all metrics for Prometheus. On loopback addresses and unix sockets it needs no token.
struct MetricsEndpoint: Sendable {
    let registry: MetricsRegistry
    let state: ServiceState
    let proof: ServiceReadiness

    var endpoint: Endpoint {
        Endpoint(
            .get, "/metrics", .right(.read), "metrics", "All metrics, for Prometheus.",
            content: ["text/plain": .string()]
        ) { (_) throws(Problem) in
            registry.makeMeter(label: MetricName.ready.rawValue, dimensions: []).set(
                state.isReady && proof.isProved ? Int64(1) : 0)
            registry.makeCounter(label: MetricName.lostLogLines.rawValue, dimensions: [])
                .increment(by: Int64(LogOutput.takeUncounted()))
            // Rendered at once: a client that does not read keeps these bytes in memory, but no request slot.
            return .bytes(ByteBuffer(bytes: MetricsText.write(registry)), .ok, [.contentType: MetricsText.mediaType])
        }
    }
}
