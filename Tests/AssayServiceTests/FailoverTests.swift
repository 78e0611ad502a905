import AssayHTTPTestSupport
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// A failover instance: tokens without evidence while the first instance cannot be reached, and at no other time.
@Suite("Failover of tokens", .timeLimit(.minutes(30)))
struct FailoverTests {
    private static let record =
        #"{"kind":"app-attest.assertion","app":"bank","evidence":{"keyId":"AA==","assertion":"AA=="}}"#
    private static let body =
        #"{"record":\#(record),"challenge":"\#(String(repeating: "A", count: 43))","audience":"https://api.example.com"}"#

    /// Starts a failover instance that probes an address once a second, and gives it the account's secret.
    private static func start(
        _ primary: String, _ more: String..., rule: String = "failover: issue"
    ) throws -> RunningService {
        let settings =
            [
                "masterKey=file:master.key", "failover.primary=\(primary)", "failover.interval=1s",
                "failover.failures=2",
            ] + more
        let service = try RunningService(settings) { folder in
            try folder.write("master.key", String(repeating: "5a", count: 32))
            try #require(chmod(folder.path("master.key"), 0o600) == 0)
            try folder.write("secret.b64", Base64.encode((0..<64).map { UInt8($0) }, .standard))
            try #require(chmod(folder.path("secret.b64"), 0o600) == 0)
            let text = try String(contentsOfFile: folder.path("policy.yaml"), encoding: .utf8)
            try folder.write(
                "policy.yaml",
                text
                    + "    tokens: { issuer: \(TokenTests.issuer), audiences: [\(TokenTests.audience)], format: approov, \(rule) }\n"
            )
        }
        let added = try service.assay(
            "keys", "add", "account", "--use", "approov-issuer", "--secret",
            "file:\(service.folder.path("secret.b64"))",
            "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))", "--master-key",
            "file:\(service.folder.path("master.key"))")
        try #require(added.status == 0, "\(added)")
        return service
    }

    /// Waits for four more probes, after which a failover would have begun: the first may be under way already, two must fail, and the
    /// log shows the change after the probe.
    private static func waitForProbes(_ service: RunningService) throws {
        func count() -> Int { service.entries("first instance probed").count }
        let before = count()
        try service.waitUntil("probes") { count() >= before + 4 }
    }

    private static func ask(_ service: RunningService) throws -> HTTPAnswer {
        try service.send("POST", "/v1/tokens", body: body)
    }

    @Test("Tokens begin when the first instance is killed, and end when it is back")
    func killed() throws {
        let port = try Loopback.freePort()
        let primary = try Self.startPrimary("listen=127.0.0.1:\(port)")
        let service = try Self.start("http://127.0.0.1:\(port)")
        let early = try Self.ask(service)
        #expect(early.status == 503 && early.json["code"] as? String == "primary-reachable", "\(early)")

        primary.signal(SIGKILL)
        try service.waitUntil("failover") { !service.entries("failover begins").isEmpty }
        let issued = try Self.ask(service)
        #expect(issued.status == 201 && issued["cache-control"] == "no-store", "\(issued)")
        #expect(issued.json["tokenType"] as? String == "Approov-Token" && issued.json["expiresIn"] as? Int == 300)
        let token = try #require(issued.json["token"] as? String)
        let payload = try Base64.decode(String(token.split(separator: ".")[1]), .url)
        let claims = try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Int])
        #expect(
            claims.keys.sorted() == ["exp"] && abs(Double(claims["exp"] ?? 0) - Date().timeIntervalSince1970) < 3000)
        let unreadable = try service.send("POST", "/v1/tokens", body: "{}")
        #expect(unreadable.status == 400, "\(unreadable)")
        let metrics = try service.send("GET", "/metrics", type: nil, unix: service.folder.path("admin.sock")).body
        #expect(metrics.contains("\nassay_failover 1.0\n"))
        #expect(metrics.contains("\nassay_failover_tokens_total{app=\"bank\"} 1\n"))

        let second = try Self.startPrimary("listen=127.0.0.1:\(port)")
        try service.waitUntil("the end of failover") { !service.entries("failover ends").isEmpty }
        #expect(try Self.ask(service).status == 503)
        let notes = service.entries("request").filter { $0["assay.failover"] as? String == "true" }
        #expect(
            notes.count == 1 && notes[0]["level"] as? String == "notice" && notes[0]["assay.app"] as? String == "bank")
        #expect(!service.logText.contains(token))
        withExtendedLifetime(second) {}
    }

    /// A first instance: a service with tokens.
    private static func startPrimary(_ settings: String...) throws -> RunningService {
        try RunningService(settings) { folder in
            try folder.write(
                "policy.yaml",
                folder.read("policy.yaml")
                    + "    tokens: { issuer: \(TokenTests.issuer), audiences: [\(TokenTests.audience)] }\n")
        }
    }

    @Test(
        "Clients that hold all connections of the first instance start no failover: idle, in a head, and with requests")
    func heldConnections() throws {
        let primary = try Self.startPrimary("limits.connections=8", "limits.idleTime=1h", "limits.bodyTime=1h")
        let service = try Self.start("http://127.0.0.1:\(primary.port)")
        var held: [Connection] = []
        func hold(_ bytes: String) throws {
            for _ in 0..<100 {
                held.append(try primary.connect())
                held.last?.write(bytes)
            }
            try Self.waitForProbes(service)
            #expect(service.entries("failover begins").isEmpty, "\(service.logText)")
            #expect(try Self.ask(service).json["code"] as? String == "primary-reachable")
        }
        try hold("")
        try hold("GET /livez HTTP/1.1\r\nHost: a\r\nX-A: ")
        try hold("POST /v1/inspect HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
        withExtendedLifetime(held) {}
    }

    @Test("A failover issues no tokens to blocked accounts and keys, and ends by itself after its limit")
    func limits() throws {
        let port = try Loopback.freePort()
        let first = try Self.startPrimary("listen=127.0.0.1:\(port)")
        let service = try Self.start("http://127.0.0.1:\(port)")
        let brief = try Self.start("http://127.0.0.1:\(port)", "failover.limit=1s")
        let stolen = Base64.encode([UInt8](repeating: 0, count: 32), .standard)
        for subject in ["--account=harm", "--key-id=\(stolen)"] {
            let blocked = try service.assay(
                "ledger", "block", subject, "--reason", "harm", "--yes", "--ledger",
                "sqlite:\(service.folder.path("ledger.sqlite"))")
            #expect(blocked.status == 0, "\(blocked)")
        }
        func ask(account: String, key: String) throws -> HTTPAnswer {
            let record = Self.record.replacing(#""app":"#, with: #""account":"\#(account)","app":"#)
                .replacing(#""keyId":"AA==""#, with: #""keyId":"\#(key)""#)
            return try service.send("POST", "/v1/tokens", body: Self.body.replacing(Self.record, with: record))
        }
        first.signal(SIGKILL)
        try service.waitUntil("a token") { (try? ask(account: "user", key: "AQ==").status) == 201 }
        for (account, key) in [("harm", "AQ=="), ("user", stolen)] {
            let refused = try ask(account: account, key: key)
            #expect(refused.status == 403 && refused.json["code"] as? String == "failover-blocked", "\(refused)")
        }
        try brief.waitUntil("the limit") { !brief.entries("failover is over its limit").isEmpty }
        let over = try Self.ask(brief)
        #expect(over.status == 503 && over.json["code"] as? String == "failover-limit", "\(over)")
        let metrics = try brief.send("GET", "/metrics", type: nil, unix: brief.folder.path("admin.sock")).body
        #expect(metrics.contains("\nassay_failover 0.0\n"))
        let primary = try Self.startPrimary("listen=127.0.0.1:\(port)")
        try brief.waitUntil("the end of failover") { !brief.entries("failover ends").isEmpty }
        primary.signal(SIGKILL)
        try brief.waitUntil("another failover") { brief.entries("failover begins").count == 2 }
    }

    @Test(
        "A gateway that does not reach the first instance starts failover; a problem of the first instance itself does not"
    )
    func gateway() async throws {
        let server = try await ScriptedServer()
        func answer(_ status: Int, _ type: String) {
            server.respond { _ in .answer(status, "{}", fields: ["Content-Type": type]) }
        }
        answer(503, "application/problem+json")
        let service = try Self.start(server.url)
        let refusing = try Self.start(server.url, rule: "failover: refuse")
        try Self.waitForProbes(service)
        #expect(service.entries("failover begins").isEmpty)
        answer(503, "text/html")
        for instance in [service, refusing] {
            try instance.waitUntil("failover") { !instance.entries("failover begins").isEmpty }
        }
        #expect(try Self.ask(service).status == 201)
        let refused = try Self.ask(refusing)
        #expect(refused.status == 422 && refused.json["code"] as? String == "unknown-app", "\(refused)")
        answer(404, "application/json")
        try service.waitUntil("the end of failover") { !service.entries("failover ends").isEmpty }
        #expect(try Self.ask(service).status == 503)
        try await server.close()
    }

    @Test("Faults of the failover instance's own machine, and answers below 500 that are too long, start no failover")
    func ownFaults() async throws {
        let server = try await ScriptedServer()
        server.respond { _ in
            .answer(403, String(repeating: "<p>", count: 40_000), fields: ["Content-Type": "text/html"])
        }
        let untrusted = try TLSTests.service()
        let instances = try [
            server.url, "https://127.0.0.1:\(untrusted.port)", "https://no-such-host.invalid",
        ].map { try Self.start($0) }
        for instance in instances {
            try Self.waitForProbes(instance)
            #expect(instance.entries("failover begins").isEmpty, "\(instance.logText)")
        }
        withExtendedLifetime(untrusted) {}
        try await server.close()
    }

    @Test("A load balancer that closes the handshake of TLS, because no first instance is behind it, starts failover")
    func closed() throws {
        let balancer = try LineProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "python3", "-c",
                """
                import socket
                listener = socket.create_server(("127.0.0.1", 0))
                print(listener.getsockname()[1], flush=True)
                while True:
                    connection = listener.accept()[0]
                    connection.recv(4096)
                    connection.close()
                """,
            ])
        let port = try #require(Int(try balancer.readLine()))
        let service = try Self.start("https://127.0.0.1:\(port)")
        try service.waitUntil("failover") { !service.entries("failover begins").isEmpty }
        // The service notices a key that was added after its start within a second or two.
        try service.waitUntil("a token") { (try? Self.ask(service).status) == 201 }
    }

    @Test(
        "A first instance that is not named by an https URL is refused",
        arguments: [
            "http://attest.example.com", "https://attest.example.com/", "attest.example.com",
            "https://user@attest.example.com",
        ])
    func address(primary: String) throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let run = try ProgramRun(
            BuiltProducts.url("assay").path,
            [
                "serve", "--create-ledger", "--policy", folder.path("policy.yaml"), "--ledger",
                "sqlite:\(folder.path("ledger.sqlite"))", "--open", "--set", "listen=127.0.0.1:0", "--set",
                "admin=none", "--set", "failover.primary=\(primary)",
            ], environment: ["HOME": folder.url.path])
        #expect(run.status == 2 && run.errors.contains("failover.primary"), "\(run)")
    }
}
