import AssayCore
import AssayService
import AssayTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite("Metrics of the service")
struct MetricsTests {
    private static func scrape(_ service: RunningService) throws -> HTTPAnswer {
        let answer = try service.send("GET", "/metrics", type: nil, unix: service.folder.path("admin.sock"))
        try #require(answer.status == 200, "\(answer)")
        return answer
    }

    @Test("A scrape has what was answered, in a form in which promtool finds no fault; unknown apps make no label")
    func scrape() throws {
        let service = try RunningService()
        for record in try [
            Evidence.attestation("a"), Evidence.assertion("b", counter: 1), Evidence.assertion("c", counter: 1),
        ] {
            #expect(try service.send("POST", "/v1/verify", body: record).status == 200)
        }
        for index in 0..<200 {
            let body = try Evidence.attestation("x").replacingOccurrences(
                of: "{", with: #"{"app":"made-up-\#(index)","#, range: nil)
            #expect(try service.send("POST", "/v1/verify", body: body).status >= 400)
            #expect(try service.send("GET", "/made-up-\(index)").status == 404)
        }
        let challenge = try service.send(
            "POST", "/v1/challenges", body: #"{"app":"bank","kind":"app-attest.attestation"}"#)
        #expect(challenge.status == 201)

        let answer = try Self.scrape(service)
        #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = Set(answer.body.split(separator: "\n").map(String.init))
        for line in [
            #"assay_verdicts_total{app="shop",kind="app-attest.attestation",outcome="accept"} 1"#,
            #"assay_verdicts_total{app="shop",kind="app-attest.assertion",outcome="accept"} 1"#,
            #"assay_verdicts_total{app="shop",kind="app-attest.assertion",outcome="reject"} 1"#,
            #"assay_checks_total{app="shop",check="app-attest.assertion.counter",status="failed",code="counter-not-increasing"} 1"#,
            #"assay_verification_seconds_count{kind="app-attest.assertion"} 2"#,
            #"assay_challenges_total{app="bank",kind="app-attest.attestation",event="issued"} 1"#,
            #"assay_outages_total{part="ledger",code="full"} 0"#, "assay_ready 1.0",
            "# TYPE assay_verification_seconds histogram", "# TYPE assay_verdicts_total counter",
            #"http_server_request_duration_seconds_count{http_request_method="GET",http_route="",http_response_status_code="404"} 200"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!answer.body.contains("made-up"))
        #expect(lines.contains { $0.hasPrefix("assay_ledger_commit_seconds_count ") })

        try service.folder.write("metrics.txt", answer.body)
        let promtool = try Monitoring.program("promtool")
        #expect(
            try service.folder.shell("'\(promtool)' check metrics <metrics.txt >lint.txt 2>&1") == 0,
            "\(service.folder.read("lint.txt"))")
    }

    @Test("Each metric has a sentence, its type, and its labels alone")
    func labels() throws {
        let service = try RunningService()
        _ = try service.send("POST", "/v1/verify", body: Evidence.attestation("a"))
        let body = try Self.scrape(service).body
        for line in body.split(separator: "\n") where !line.hasPrefix("#") {
            let name = String(line.prefix { $0 != "{" && $0 != " " })
            let metric = try Monitoring.metric(name)
            #expect(body.contains("# HELP \(metric.rawValue) \(metric.help)\n"))
            let labels = line.matches(of: /[{,]([a-z_]+)="/).map { String($0.1) }.filter { $0 != "le" }
            #expect(labels == metric.labels, "\(line)")
        }
    }

    @Test("Scrapers that never read an answer keep no slot of a request")
    func stalled() throws {
        let service = try RunningService("limits.requests=2")
        let path = service.folder.path("admin.sock")
        let stalled = try (0..<50).map { _ in try service.connect(unix: path) }
        for connection in stalled {
            for _ in 0..<20 { connection.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        }
        for _ in 0..<5 { #expect(try Self.scrape(service).body.contains("assay_ready 1.0")) }
        #expect(try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).status == 200)
        withExtendedLifetime(stalled) {}
    }

    @Test("A scrape of a hundred apps and all checks has less than a megabyte")
    func size() throws {
        let service = try RunningService(prepare: { folder in
            var policy = "version: 1\napps:\n"
            for number in 0..<100 {
                policy += """
                      - name: the-name-of-an-app-\(number)
                        appAttest:
                          appIDs: [1234567890.com.example.app\(number)]
                          environments: [production]
                          challenge: ledger
                          clientData: raw
                          testRoots: ["file:root.pem"]

                    """
            }
            try folder.write("policy.yaml", policy)
        })
        let body = try Self.scrape(service).body
        #expect(body.utf8.count < 1_000_000, "\(body.utf8.count) bytes")
        #expect(body.split(separator: "\n").count { $0.hasPrefix("assay_verdicts_total{app=\"the-name") } >= 400)
    }

    @Test("A trace is continued if its field is well-formed, and never otherwise")
    func traceParent() throws {
        let trace = "0af7651916cd43dd8448eb211c80319c"
        let good = "00-\(trace)-b7ad6b7169203331-01"
        func parse(_ values: String...) throws -> TraceParent? {
            let name = try #require(HTTPField.Name("traceparent"))
            return TraceParent(HTTPFields(values.map { HTTPField(name: name, value: $0) }))
        }
        #expect(try parse(good)?.traceID == trace)
        #expect(try parse("01-\(trace)-b7ad6b7169203331-01-later")?.traceID == trace)
        for bad in [
            "", "00", "ff-\(trace)-b7ad6b7169203331-01", good + "-", good.uppercased(),
            "00-\(trace)-b7ad6b7169203331-1",
            "00-\(String(repeating: "0", count: 32))-b7ad6b7169203331-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace)-b7ad6b716920333-01", "00-\(trace.dropLast())g-b7ad6b7169203331-01",
            "01-\(trace)-b7ad6b7169203331-01-" + String(repeating: "x", count: 600),
        ] {
            #expect(try parse(bad) == nil, "\(bad)")
        }
        #expect(try parse(good, good) == nil && parse() == nil)

        let service = try RunningService()
        for field in [good, "00-evil\",\"assay.outcome\":\"accept-b7ad6b7169203331-01"] {
            _ = try service.send("GET", "/v1/checks", fields: ["traceparent: \(field)"])
        }
        try service.waitUntil("logged") { service.entries("request").count == 2 }
        let entries = service.entries("request")
        #expect(entries.map { $0["trace_id"] as? String } == [trace, nil])
        let entry = try #require(entries.first)
        #expect(entry["http.response.status_code"] as? Int == 200)
        #expect((entry["http.server.request.duration"] as? Double ?? 0) > 0)
        #expect(entry["http.request.method"] as? String == "GET" && entry["url.path"] as? String == "/v1/checks")
    }
}
