import Assay
import AssayCore
import AssayService
import AssayTestSupport
import AssayTesting
import CoreMetrics
import Foundation
import Testing

/// A service in this process, over a ledger that fails on request.
@Suite("Outages in the metrics", .timeLimit(.minutes(20)))
struct OutageCountTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The operation of the ledger that fails, and its number.
        let operation: LedgerOperation
        var number = 1
        /// The request; nil for a stream whose caller is looked up again.
        let request: (@Sendable () throws -> (method: String, path: String, body: String))?
        /// Whether it goes to the operators' listener.
        var isAdmin = false
        /// Whether the policy file changes before the request, which is answered 200 all the same.
        var changesPolicy = false
    }

    static let cases = [
        Case(testDescription: "the look-up of the caller's token", operation: .liveOperator) {
            ("POST", "/v1/verify", try Evidence.attestation("a"))
        },
        Case(testDescription: "the same again, during a stream", operation: .liveOperator, number: 2, request: nil),
        Case(testDescription: "a commit", operation: .commit) {
            ("POST", "/v1/verify", try Evidence.attestation("a"))
        },
        Case(testDescription: "a look-up of the verifier", operation: .standings) {
            ("POST", "/v1/verify", try Evidence.attestation("a"))
        },
        Case(testDescription: "a challenge", operation: .issue) {
            ("POST", "/v1/challenges", #"{"app":"bank","kind":"app-attest.attestation"}"#)
        },
        Case(
            testDescription: "a list of operators", operation: .operators,
            request: { ("GET", "/v1/admin/operators", "") }, isAdmin: true),
        Case(
            testDescription: "a list of blocks", operation: .allStandings,
            request: { ("GET", "/v1/admin/subjects?list=blocks", "") }, isAdmin: true),
        Case(
            testDescription: "the audit trail", operation: .audit, request: { ("GET", "/v1/admin/audit", "") },
            isAdmin: true),
        Case(
            testDescription: "an entry of the audit trail about a new policy", operation: .record,
            request: { ("POST", "/v1/admin/policy/reload", "") }, isAdmin: true, changesPolicy: true),
    ]

    /// Sends bytes on a thread of its own: the service in this process needs those of Swift's pool to answer.
    private static func exchange(_ body: @escaping @Sendable () -> String?) async throws -> String {
        try await onOwnThread { try waitFor("the service listens") { body() } }
    }

    private static func text(_ method: String, _ path: String, _ body: String, token: String) -> String {
        [
            "\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close", "Content-Type: application/json",
            "Authorization: Bearer \(token)", "Content-Length: \(body.utf8.count)",
        ].joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    @Test("Every outage is counted once, where it is thrown", arguments: cases)
    func counted(_ example: Case) async throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let admin = folder.path("admin.sock")
        let port = try Loopback.freePort()
        let ledger = FaultyLedger()
        let token = OperatorToken.random()
        let now = Date()
        let caller = LedgerOperator(
            name: "caller", role: .caller, addedAt: now, addedBy: nil, until: now.addingTimeInterval(3600))
        #expect(try await ledger.addOperator(caller, tokenHash: token.hash) == nil)
        let registry = MetricsRegistry()
        let configuration = try ServiceConfiguration(
            file: nil, environment: [:],
            settings: [
                ("policy", folder.path("policy.yaml")), ("listen", "127.0.0.1:\(port)"), ("admin", "unix:\(admin)"),
                ("logLevel", "critical"),
            ])
        let service = try withMetricsFactory(registry) {
            try HTTPService(
                configuration,
                dependencies: ServiceDependencies(ledger: ledger, keyStores: [], services: [], metrics: registry))
        }
        let running = Task { try await service.run() }
        func ask(_ text: String, onAdmin: Bool) async throws -> String {
            try await Self.exchange {
                guard let connection = onAdmin ? Connection(ifListeningOn: admin) : Connection(ifListening: port) else {
                    return nil
                }
                connection.write(text)
                return String(decoding: connection.readToEnd(), as: UTF8.self)
            }
        }
        /// The counts of outages, by part and code.
        func counts() async throws -> [String] {
            try await ask(Self.text("GET", "/metrics", "", token: token.text), onAdmin: true).split(separator: "\n")
                .map(String.init).filter { $0.hasPrefix("assay_outages_total{") && !$0.hasSuffix(" 0") }
        }
        _ = try await ask(Self.text("GET", "/v1/checks", "", token: token.text), onAdmin: false)
        #expect(try await counts() == [])
        let (operation, number) = (example.operation, example.number)
        ledger.follow { $0 == operation && $1 == number ? .outage() : nil }
        if example.changesPolicy { try folder.shell("echo >>policy.yaml") }
        if let request = try example.request?() {
            let text = Self.text(request.method, request.path, request.body, token: token.text)
            let answer = try await ask(text, onAdmin: example.isAdmin)
            #expect(answer.hasPrefix("HTTP/1.1 \(example.changesPolicy ? 200 : 503) "), "\(answer)")
        } else {
            let head =
                Self.text("POST", "/v1/verify", "", token: token.text)
                .replacingOccurrences(of: "application/json", with: "application/x-ndjson")
                .replacingOccurrences(of: "Content-Length: 0", with: "Transfer-Encoding: chunked")
            let answer = try await Self.exchange {
                guard let connection = Connection(ifListening: port) else { return nil }
                connection.write(head + "3\r\n{}\n\r\n")
                // A stream looks its caller up again at a record that comes a second later.
                for _ in 0..<200 where ledger.history.count(where: { $0.operation == operation }) < number {
                    usleep(300_000)
                    connection.write("3\r\n{}\n\r\n")
                }
                connection.write("0\r\n\r\n")
                return String(decoding: connection.readToEnd(), as: UTF8.self)
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(#""code":"outage""#), "\(answer)")
        }
        // The service may have read a changed policy by itself just before, and count a moment later.
        if example.changesPolicy { try await waitUntil("a count") { try await !counts().isEmpty } }
        let planned = LedgerOutage.planned.code.name
        #expect(try await counts() == [#"assay_outages_total{part="ledger",code="\#(planned)"} 1"#])
        let recent = try await ask(Self.text("GET", "/v1/admin/recent", "", token: token.text), onAdmin: true)
        let isKept = recent.contains(#""outcome":"outage","code":"\#(planned)""#)
        #expect(isKept == [.commit, .standings].contains(example.operation), "\(recent)")
        running.cancel()
        _ = await running.result
    }
}
