import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// A service, a Prometheus that scrapes it, and a load of mixed evidence: what goes wrong fires an alert, which ends when it is mended.
@Suite("Monitoring in a run", .timeLimit(.minutes(30)))
struct MonitoringRunTests {
    /// Sends evidence.
    private final class Load {
        let service: RunningService
        private var counter: UInt32 = 0

        init(_ service: RunningService) { self.service = service }

        private func verify(_ record: String) throws {
            _ = try service.send("POST", "/v1/verify", body: record)
        }

        /// Sends evidence that is accepted, while another program holds the ledger for more than a second.
        func sendSlowly() throws {
            counter += 1
            let record = try Evidence.assertion("slow", counter: counter)
            let lock = try LockedLedger(service)
            let connection = try service.connect()
            connection.write(
                "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(record.utf8.count)\r\n\r\n\(record)")
            usleep(1_500_000)
            lock.end()
            _ = connection.readToEnd()
        }

        /// Sends a token that the service sends on to Google.
        func sendToGoogle() throws {
            try verify(
                #"{"kind":"play-integrity.standard","app":"android","evidence":{"packageName":"com.example.android","#
                    + #""requestHash":"aGFzaA","token":"\#(String(repeating: "a", count: 64))"}}"#)
        }

        /// States that a device has no evidence.
        func sendWithoutEvidence() throws {
            try verify(#"{"kind":"none","app":"android","evidence":{"reason":"no-play-services"}}"#)
        }

        private func token(_ token: String) -> String {
            #"{"kind":"approov.token","app":"api","evidence":{"token":"\#(token)","binding":["Bearer me"]}}"#
        }

        /// Evidence that is accepted.
        func sendGood() throws {
            if counter == 0 { try verify(Evidence.attestation("enrol")) }
            counter += 1
            try verify(Evidence.assertion("good", counter: counter))
            try verify(token(GuardedService.token(authorization: "Bearer me")))
        }

        /// Evidence that is rejected: a replay, a forged token, a status word in place of one.
        func sendBad() throws {
            try verify(Evidence.assertion("replayed", counter: counter))
            let forged = try GuardedService.token(
                authorization: "Bearer me", secret: [UInt8](repeating: 1, count: 64))
            try verify(token(forged))
            try verify(token("MITM_DETECTED"))
        }
    }

    private static func writePolicy(_ folder: TestFolder, keyEndsIn seconds: TimeInterval) throws {
        try Evidence.writePolicy(to: folder)
        try GuardedService.writePolicy(to: folder)
        let end = RFC3339.format(Date(timeIntervalSinceNow: seconds))
        let android = """
              - name: android
                playIntegrity:
                  packageName: com.example.android
                  certificateDigests: ["\(String(repeating: "6a", count: 32))"]
                  challenge: caller
                noEvidence: { reasons: [no-play-services], plausibleShare: 2% }

            """
        let text = folder.read("policy.yaml")
        try folder.write(
            "policy.yaml",
            text.replacingOccurrences(
                of: #"secret: "file:approov.b64" }"#, with: #"secret: "file:approov.b64", notAfter: \#(end) }"#
            ).replacingOccurrences(of: "routes:\n", with: android + "metrics: { by: [environment, form] }\nroutes:\n"))
    }

    private static func writeCertificate(_ folder: TestFolder, days: Int) throws {
        let status = try folder.shell(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days \(days) -subj /CN=localhost "
                + "-keyout new.key -out new.pem 2>/dev/null && mv new.key one.key && mv new.pem one.pem")
        try #require(status == 0)
    }

    /// Starts a failover instance whose policy has a debug token.
    private static func startFailover(of port: Int) throws -> (service: RunningService, debugRequest: String) {
        let secret = "assay_debug_" + Base64.encode([UInt8](repeating: 7, count: 32), .url)
        let (from, until) = (Date(timeIntervalSinceNow: -60), Date(timeIntervalSinceNow: 86_400))
        let settings = [
            "admin=127.0.0.1:0", "masterKey=file:master.key", "failover.primary=http://127.0.0.1:\(port)",
            "failover.interval=1s",
        ]
        let service = try RunningService(settings) { folder in
            try folder.write("master.key", String(repeating: "5a", count: 32))
            try #require(chmod(folder.path("master.key"), 0o600) == 0)
            try folder.write(
                "policy.yaml",
                folder.read("policy.yaml") + """
                        tokens:
                          issuer: \(TokenTests.issuer)
                          audiences: [\(TokenTests.audience)]
                          key: optional
                          format: approov
                          failover: issue
                          testAuthorities: allow
                          debugTokens:
                            - name: ci
                              sha256: "\(Digest.sha256(Array(secret.utf8)).hexadecimal)"
                              from: \(RFC3339.format(from))
                              until: \(RFC3339.format(until))

                    """)
        }
        try service.waitUntil("keys made") { service.entries("token key made").count == 2 }
        return (service, #"{"app":"bank","debugToken":"\#(secret)","audience":"\#(TokenTests.audience)"}"#)
    }

    /// A program in place of Google that gives tokens of access, and refuses all requests because a quota is used up.
    private final class Google {
        private let process = Process()
        let port: Int

        init(_ folder: TestFolder) throws {
            port = try Loopback.freePort()
            let program = """
                import http.server, json, sys
                class Google(http.server.BaseHTTPRequestHandler):
                    def do_POST(self):
                        self.rfile.read(int(self.headers.get("Content-Length", 0)))
                        is_token = self.path == "/token"
                        body = json.dumps({"access_token": "a", "token_type": "Bearer", "expires_in": 3600} if is_token else
                                          {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota"}}).encode()
                        self.send_response(200 if is_token else 429)
                        self.send_header("Content-Type", "application/json")
                        self.send_header("Content-Length", str(len(body)))
                        self.end_headers()
                        self.wfile.write(body)
                    def log_message(self, *words): pass
                http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Google).serve_forever()
                """
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", try folder.write("google.py", program), "\(port)"]
            try process.run()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        /// Writes the key file of a service account.
        func writeAccount(to folder: TestFolder) throws {
            let status = try folder.shell("umask 077; openssl genpkey -algorithm RSA -out google.key 2>/dev/null")
            try #require(status == 0)
            let account = [
                "type": "service_account", "client_email": "assay@example.iam.gserviceaccount.com",
                "private_key_id": "1", "private_key": folder.read("google.key"),
                "token_uri": "http://127.0.0.1:\(port)/token",
            ]
            try folder.write("google.json", JSONSerialization.data(withJSONObject: account))
            try #require(chmod(folder.path("google.json"), 0o600) == 0)
        }
    }

    /// Metrics of parts that this run does not have: a ledger in PostgreSQL and the status list, which have a run of their own,
    /// runtime secrets, which RuntimeSecretTests deliver and count, Apple's services, whose hosts are fixed, and sums over a day: the
    /// alerts on them are tested by promtool alone.
    private static var elsewhere: Regex<Substring> {
        /assay_(?:ledger_(?!commit|batch|failed_syncs_total\[1h)|status_list|secrets|apple|app_attest)|\[1d\]\)/
    }

    @Test(
        "A service that rejects everything from its start fires within its first minutes, without a past to compare with"
    )
    func rejectedFromTheStart() async throws {
        let service = try RunningService(["admin=127.0.0.1:0"]) { folder in
            try Evidence.writePolicy(to: folder, shop: "1234567890.com.example.mistyped")
        }
        let prometheus = try RunningPrometheus(scraping: [service.admin], in: service.folder)
        let end = Date(timeIntervalSinceNow: 600)
        while try !prometheus.fired().contains("AssayAllRejected") {
            let firing = try prometheus.firing()
            try #require(Date() < end, "\(firing)")
            let record = try Evidence.attestation("first").replacingOccurrences(
                of: #"{"evidence""#, with: #"{"app":"shop","evidence""#)
            let answer = try service.send("POST", "/v1/verify", body: record)
            try #require(answer.json["outcome"] as? String == "reject", "\(answer)")
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(try !prometheus.fired().contains("AssayRejectionsJump"))
    }

    @Test("Each alert fires and ends, and every query of the dashboard gives data")
    func run() async throws {
        let day: TimeInterval = 86_400
        let others = try TestFolder()
        let google = try Google(others)
        let service = try RunningService([
            "admin=127.0.0.1:0", "serviceAccount=file:google.json", "googleURL=http://127.0.0.1:\(google.port)",
        ]) { folder in
            try Self.writePolicy(folder, keyEndsIn: 10 * day)
            try google.writeAccount(to: folder)
        }
        // With a certificate, and to be stopped and started.
        let settings = ["tls.certificate=one.pem", "tls.privateKey=one.key", "shutdown.delay=1h"]
        let second = try RunningService(settings + ["admin=127.0.0.1:0"], in: others) {
            try Self.writeCertificate($0, days: 2)
        }
        let admin = second.admin
        let port = try Loopback.freePort()
        let fallback = try Self.startFailover(of: port)
        let prometheus = try RunningPrometheus(
            scraping: [service.admin, admin, fallback.service.admin], in: service.folder)
        let load = Load(service)
        /// Polls for a condition under a load.
        func wait(
            _ what: String, under load: () throws -> Void, until holds: (Set<String>) throws -> Bool
        ) async throws {
            let end = Date(timeIntervalSinceNow: 600)
            while true {
                let firing = try prometheus.firing()
                if try holds(firing) { return }
                try #require(Date() < end, "not \(what): \(firing)")
                try load()
                // A test that blocks a thread of the pool would hold up the others.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        func mixed() throws {
            try load.sendGood()
            try load.sendBad()
        }
        let attacks: Set<String> = ["AssayBadSignatures", "AssayEmptyTokens", "AssayRejectionsJump"]
        let past =
            "avg_over_time(assay:rejected:ratio10m{kind=\"app-attest.assertion\"}[8s] offset \(RunningPrometheus.past)s)"
        try await wait(
            "attacked",
            under: {
                try load.sendGood()
                // A jump is one above the past: after a time without rejections. A slow machine may need several.
                if try prometheus.series("\(past) == 0") ?? 0 > 0 { try load.sendBad() }
            }
        ) { _ in
            try attacks.union(["AssayKeyEnds", "AssayCertificateEnds"]).isSubset(of: prometheus.fired())
        }
        try await wait("a quota that is used up", under: load.sendToGoogle) { _ in
            try prometheus.fired().contains("AssayGoogleQuota")
        }

        try await wait("devices without evidence", under: load.sendWithoutEvidence) { _ in
            try prometheus.fired().contains("AssayNoEvidenceShare")
        }

        func useDebugToken() throws {
            let answer = try fallback.service.send("POST", "/v1/tokens/debug", body: fallback.debugRequest)
            try #require(answer.status == 201, "\(answer)")
        }
        try await wait("a debug token", under: useDebugToken) { _ in
            try Set(["AssayDebugToken", "AssayFailover"]).isSubset(of: prometheus.fired())
        }

        let queries = try Monitoring.queries().filter { !$0.1.contains(Self.elsewhere) }
        #expect(queries.count > 20)
        for (panel, query) in queries {
            try await wait(
                "data in \(panel): \(query)",
                under: {
                    try mixed()
                    if query.contains("google") { try load.sendToGoogle() }
                    if query.contains("debug") { try useDebugToken() }
                }
            ) { _ in try prometheus.series(query) ?? 0 > 0 }
        }

        try Self.writePolicy(service.folder, keyEndsIn: 300 * day)
        try Self.writeCertificate(others, days: 300)
        let primary = try RunningService("listen=127.0.0.1:\(port)")
        try await wait("at peace", under: load.sendGood) { $0.isEmpty }

        try await wait("slow", under: load.sendSlowly) { _ in try prometheus.fired().contains("AssaySlow") }
        try await wait("fast", under: load.sendGood) { $0.isEmpty }

        // No evidence is accepted any more, although some has been before.
        try await wait("all rejected", under: load.sendBad) { $0.contains("AssayAllRejected") }
        try await wait("some accepted", under: load.sendGood) { $0.isEmpty }

        let lock = try LockedLedger(service)
        // Each request waits for the lock, so that an alert may end between two looks.
        try await wait("an outage", under: load.sendGood) { _ in
            try prometheus.fired().isSuperset(of: ["AssayOutage", "AssayErrors"])
        }
        lock.end()
        try await wait("the ledger is back", under: load.sendGood) { $0.isEmpty }

        try Self.writePolicy(service.folder, keyEndsIn: -day)
        try await wait("expired", under: load.sendGood) { $0.isSuperset(of: ["AssayNoLiveKey", "AssayKeyEnded"]) }
        try Self.writePolicy(service.folder, keyEndsIn: 300 * day)
        try await wait("a live key", under: load.sendGood) { $0.isEmpty }

        // Again and again: a Prometheus that gets no time misses a single one.
        var written = Date.distantPast
        func breakPolicy() throws {
            try load.sendGood()
            guard Date().timeIntervalSince(written) > 10 else { return }
            written = Date()
            try service.folder.write("policy.yaml", "version: 1\napps: []\n# \(written)\n")
        }
        try await wait("a policy that cannot be used", under: breakPolicy) { $0.contains("AssayReloadFailed") }
        try Self.writePolicy(service.folder, keyEndsIn: 300 * day)
        try await wait("a policy again", under: load.sendGood) { $0.isEmpty }

        second.signal(SIGTERM)
        try await wait("stopping", under: {}) { $0.contains("AssayNotReady") }
        second.signal(SIGTERM)
        #expect(second.wait() == 130, "\(second.logText)")
        try Loopback.reserve(#require(Int(admin.drop { $0 != ":" }.dropFirst())))
        try await wait("down", under: {}) { $0 == ["AssayDown"] }
        let third = try RunningService(settings + ["admin=\(admin)"], in: others)
        try await wait("up again", under: {}) { $0.isEmpty }

        let alerts = try Monitoring.text("alerts.yaml").matches(of: /- alert: (\w+)\n\s+expr: ([^\n]+)/)
            .filter { !$0.2.contains(Self.elsewhere) }.map { String($0.1) }
        #expect(alerts.count > 10)
        let fired = try prometheus.fired()
        #expect(fired == Set(alerts))
        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        withExtendedLifetime((third, primary)) {}
    }
}
