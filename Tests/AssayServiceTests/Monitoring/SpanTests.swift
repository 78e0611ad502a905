import AssayCore
import AssayService
import AssayTestSupport
import Foundation
import InMemoryTracing
import Instrumentation
import Testing
import Tracing

/// Takes the trace of the field `traceparent`, as the tracer of an exporter does.
private struct TraceparentInstrument: Instrument {
    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parts = extractor.extract(key: "traceparent", from: carrier)?.split(separator: "-").map(String.init) ?? []
        guard parts.count == 4 else { return }
        context.inMemorySpanContext = InMemorySpanContext(traceID: parts[1], spanID: parts[2], parentSpanID: nil)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}
}

@Suite("Spans of the service")
struct SpanTests {
    @Test("Each request has a span named by method and route; its parent is that of a well-formed traceparent alone")
    func spans() async throws {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(MultiplexInstrument([tracer, TraceparentInstrument()]))
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let path = folder.path("public.sock")
        let configuration = try ServiceConfiguration(
            file: nil, environment: [:],
            settings: [
                ("policy", folder.path("policy.yaml")), ("listen", "unix:\(path)"),
                ("admin", "unix:\(folder.path("admin.sock"))"), ("logLevel", "critical"),
            ])
        let service = try HTTPService(
            configuration,
            dependencies: ServiceDependencies(
                ledger: MemoryLedger(), keyStores: [], services: [], metrics: MetricsRegistry()))
        let running = Task { try await service.run() }
        let trace = "0af7651916cd43dd8448eb211c80319c"
        func send(_ method: String, _ target: String, parent: String? = nil) async throws {
            let fields = parent.map { ["traceparent: \($0)"] } ?? []
            let text =
                (["\(method) \(target) HTTP/1.1", "Host: localhost", "Connection: close", "Content-Length: 0"] + fields)
                .joined(separator: "\r\n") + "\r\n\r\n"
            // On a thread of its own: the service in this process needs those of Swift's pool to answer.
            try await onOwnThread {
                let connection = try waitFor("the service listens") { Connection(ifListeningOn: path) }
                connection.write(text)
                _ = connection.readToEnd()
            }
        }
        try await send(
            "GET", "/v1/checks/app-attest.attestation.nonce?secret=1", parent: "00-\(trace)-b7ad6b7169203331-01")
        try await send("GET", "/v1/checks", parent: "00-\(trace)-0000000000000000-01")
        try await send("PROPFIND", "/tea")
        running.cancel()
        _ = await running.result
        // Services of other tests in this process have spans as well, with the same names.
        let spans = tracer.finishedSpans.filter { $0.kind == .server }
        func code(_ span: FinishedInMemorySpan) -> Int {
            if case .int32(let code) = span.attributes.get("http.response.status_code") { return Int(code) }
            if case .int64(let code) = span.attributes.get("http.response.status_code") { return Int(code) }
            return 0
        }
        let traced = spans.filter { $0.traceID == trace }
        #expect(traced.map(\.operationName) == ["GET /v1/checks/{name}"])
        #expect(traced.map(\.parentSpanID) == ["b7ad6b7169203331"])
        #expect(traced.map(code) == [200])
        #expect(spans.allSatisfy { $0.traceID == trace || $0.parentSpanID == nil })
        for (name, status) in [("GET /v1/checks", 200), ("_OTHER", 404)] {
            let found = spans.filter { $0.operationName == name && code($0) == status }
            #expect(!found.isEmpty && found.allSatisfy { $0.kind == .server && $0.status == nil }, "\(name)")
        }
        #expect(!tracer.finishedSpans.contains { "\($0.operationName) \($0.attributes)".contains("secret=1") })
    }
}
