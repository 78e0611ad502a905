import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The gateways of `Examples/gateways`, as real programs in front of a real upstream: each request ends in "the upstream saw nothing"
/// or "the upstream saw exactly what was verified". The attacks are those of published faults of gateways, named at each.
@Suite("Gateways", .serialized)
struct GatewayTests {
    /// A gateway with a service and an upstream.
    final class Setting {
        let gateway: Gateway
        let service: RunningService
        let upstream: RecordingUpstream
        let running: RunningGateway
        private var counter: UInt32 = 0

        /// - Parameter backend: the port of a backend in place of the upstream.
        init(
            _ gateway: Gateway, body: String = "verified", settings: [String] = [], route: String = "any",
            backend: Int? = nil
        ) throws {
            self.gateway = gateway
            service = try GuardedService.start(gateway.rawValue, gateway.settings + settings, body: body)
            try GuardedService.enrol(service)
            upstream = try RecordingUpstream()
            running = try RunningGateway.start(
                gateway, route: route, service: service.port, upstream: backend ?? upstream.port)
            _ = upstream.take()
        }

        /// The fields of a token that is bound to the session.
        func token() throws -> [String] {
            [
                "Approov-Token: \(try GuardedService.token(authorization: "Bearer session"))",
                "Authorization: Bearer session",
            ]
        }

        /// The fields of a signed request, none of which was sent before.
        func signed(_ method: String, _ target: String, body: String = "", digest: Bool = true) throws -> [String] {
            counter += 1
            return try GuardedService.signed(method, target, counter: counter, body: body, digest: digest)
        }

        /// Sends a request over HTTP/1.1.
        func send(
            _ method: String, _ target: String, _ fields: [String], body: String? = nil,
            host: String = "api.example.com",
            connection: String = "close"
        ) throws -> HTTPAnswer {
            var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Connection: \(connection)"] + fields
            if let body { lines.append("Content-Length: \(body.utf8.count)") }
            return try sendRaw(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
        }

        func sendRaw(_ text: String) throws -> HTTPAnswer {
            // Latin-1: a test may send any byte. Long texts are ASCII, and need no conversion.
            let isASCII = text.unicodeScalars.count == text.utf8.count
            let bytes = isASCII ? Array(text.utf8) : text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            return try #require(running.send(bytes), "\(running.log)")
        }

        /// What the upstream saw, which is nothing or one request.
        func seen() throws -> RecordingUpstream.Received? {
            let all = upstream.take()
            try #require(all.count <= 1, "\(all)")
            return all.first
        }

        /// The identity of what the upstream saw.
        func identity(_ received: RecordingUpstream.Received) throws -> [String: String] {
            var values: [String: String] = [:]
            for name in ForwardAuthTests.identity {
                let found = received.values(like: name)
                // An empty field may be left out.
                try #require(found.count <= 1, "\(name) in \(received)")
                values[String(name.dropFirst(6))] = found.first ?? ""
            }
            return values
        }

        /// Sends a request that must be refused.
        func refuse(
            _ why: Comment, _ method: String, _ target: String, _ fields: [String], body: String? = nil,
            host: String = "api.example.com", connection: String = "close",
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let answer = try send(method, target, fields, body: body, host: host, connection: connection)
            try expectNothing(why, answer, sourceLocation)
        }

        func expectNothing(_ why: Comment, _ answer: HTTPAnswer, _ sourceLocation: SourceLocation) throws {
            #expect(answer.status >= 400 || answer.status == 0, why, sourceLocation: sourceLocation)
            let all = upstream.take()
            #expect(all.isEmpty, "\(why.rawValue): \(all)", sourceLocation: sourceLocation)
        }

        /// Sends a request that must pass, and returns the identity that the upstream saw.
        @discardableResult
        func pass(
            _ why: Comment, _ method: String, _ target: String, _ fields: [String], body: String? = nil,
            host: String = "api.example.com", connection: String = "close", seenBody: String? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> [String: String] {
            let answer = try send(method, target, fields, body: body, host: host, connection: connection)
            #expect(answer.status == 200, "\(why.rawValue): \(answer) \(running.log)", sourceLocation: sourceLocation)
            guard let received = try seen() else {
                Issue.record("\(why.rawValue): the upstream saw nothing", sourceLocation: sourceLocation)
                return [:]
            }
            #expect(
                received.method == method && received.target == target, "\(why.rawValue): \(received)",
                sourceLocation: sourceLocation)
            #expect(
                String(decoding: received.body, as: UTF8.self) == seenBody ?? body ?? "",
                "\(why.rawValue): \(received)",
                sourceLocation: sourceLocation)
            return try identity(received)
        }
    }

    private static let forged = [
        "Assay-Outcome: accept", "Assay-Subject: mallory", "assay-account: mallory", "ASSAY-VERDICT: forged",
        "Assay-Content-Digest: forged", "Assay-App: forged", "Assay-Kind: forged", "Assay-Annotated: forged",
    ]

    @Test("What is accepted passes with its identity, and what is rejected does not pass", arguments: Gateway.installed)
    func basics(_ gateway: Gateway) throws {
        let setting = try Setting(gateway, settings: ["authorize.verdict=true"])
        let identity = try setting.pass("a bound token", "GET", "/stock?a=1", setting.token())
        #expect(identity["outcome"] == "accept" && identity["app"] == "api", "\(identity)")
        #expect(identity["subject"] == "h4gubfCFzJu81j/U2BJsdg==" && identity["account"] == "")
        #expect(identity["verdict"]?.hasPrefix("eyJ") ?? false, "\(identity)")
        #expect(try setting.pass("a token with a body", "POST", "/orders", setting.token(), body: "{}")["app"] == "api")
        let phone = try setting.pass("an assertion", "GET", "/stock?b=%2F", setting.signed("GET", "/stock?b=%2F"))
        #expect(
            phone["subject"] == Base64.encode(Evidence.key.keyID, .standard) && phone["account"] == "alice", "\(phone)")

        try setting.refuse("no evidence", "GET", "/stock", [])
        try setting.refuse("half of a token", "GET", "/stock", ["Approov-Token: x", "Authorization: Bearer session"])
        let token = try setting.token()
        try setting.refuse("another session", "GET", "/stock", [token[0], "Authorization: Bearer another"])
        let forged = try GuardedService.token(authorization: "Bearer session", secret: [UInt8](repeating: 1, count: 64))
        let answer = try setting.send("GET", "/stock", ["Approov-Token: \(forged)", token[1]])
        try setting.expectNothing("a forged token", answer, #_sourceLocation)
        #expect(answer.status == 401, "\(answer)")
        // Also through gateways that pass on no body of the service.
        #expect(answer["assay-remedy"] == "contact-support", "\(answer)")
        try setting.refuse("another path", "GET", "/admin", setting.signed("GET", "/stock"))
        try setting.refuse("another query", "GET", "/stock?a=2", setting.signed("GET", "/stock?a=1"))
        try setting.refuse("another method", "DELETE", "/stock", setting.signed("GET", "/stock"))
        let once = try setting.signed("GET", "/stock")
        try setting.pass("once", "GET", "/stock", once)
        try setting.refuse("twice", "GET", "/stock", once)
    }

    // Caddy 2026-30851, APISIX 2026-31908 and 2026-39998: a client's identity field survives; oauth2-proxy 2025-64484, Traefik
    // 2026-39858 and 2026-88011, Caddy 2026-52845: an alias of it; Traefik 2024-45410, Fabio 2025-48865: Connection strips it.
    @Test("Identity comes from the service alone, whatever a client writes", arguments: Gateway.installed)
    func identity(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        func expectOwn(_ identity: [String: String], _ sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(
                identity["outcome"] == "accept" && identity["app"] == "api" && identity["kind"] == "approov.token"
                    && identity["subject"] == "h4gubfCFzJu81j/U2BJsdg==" && identity["account"] == ""
                    && identity["annotated"] == "" && identity["content-digest"] == ""
                    && identity["verdict"] == "",
                "\(identity)", sourceLocation: sourceLocation)
        }
        expectOwn(try setting.pass("own copies", "GET", "/stock", Self.forged + setting.token()))
        expectOwn(try setting.pass("copies twice", "GET", "/stock", Self.forged + Self.forged + setting.token()))
        for alias in ["Assay_Subject", "Assay.Subject", "ASSAY_ACCOUNT", "assay.account"] {
            let answer = try setting.send("GET", "/stock", ["\(alias): mallory"] + setting.token())
            guard let received = try setting.seen() else {
                #expect(answer.status >= 400, "\(alias)")
                continue
            }
            expectOwn(try setting.identity(received))
            #expect(!"\(received)".contains("mallory"), "\(alias): \(received)")
        }
        for name in ["Assay-Subject", "Assay-Outcome, Assay-Account", "Approov-Token, Authorization"] {
            let answer = try setting.send("GET", "/stock", setting.token(), connection: "close, \(name)")
            guard let received = try setting.seen() else {
                #expect(answer.status >= 400, "\(name)")
                continue
            }
            expectOwn(try setting.identity(received))
            let connection = received.values(like: "Connection").joined(separator: ",").lowercased()
            #expect(!connection.contains("assay"), "\(received)")
        }
        try setting.refuse("copies without evidence", "GET", "/stock", Self.forged)
    }

    @Test(
        "The statement of a device without evidence reaches the service, and its request is marked",
        arguments: Gateway.installed)
    func withoutEvidence(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        let statement = "none;reason=unsupported;system-version=\"13.7\""
        let identity = try setting.pass(
            "a statement", "GET", "/stock", Self.forged + ["Assay-Evidence: \(statement)"])
        #expect(
            identity["outcome"] == "accept" && identity["app"] == "old" && identity["kind"] == "none"
                && identity["annotated"] == "none.evidence" && identity["subject"] == "", "\(identity)")
        for fields in [
            ["Assay_Evidence: \(statement)"], ["Assay.Evidence: \(statement)"], ["Assay-Evidence: none;reason=failed"],
            ["Assay-Evidence: \(statement)", "Assay-Evidence: \(statement)"],
            [
                "Assay-Evidence: \(statement)",
                "Approov-Token: \(try GuardedService.token(secret: [UInt8](repeating: 1, count: 64)))",
            ],
        ] { try setting.refuse("\(fields)", "GET", "/stock", fields) }
    }

    @Test("HTTP/2 requests get the same decisions, also with a body without a length", arguments: Gateway.installed)
    func http2(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        func send(_ method: String, _ target: String, _ fields: [String], body: String? = nil) throws -> Int {
            try setting.running.sendHTTP2(method, target, fields, body: body)
        }
        let status = try send("GET", "/stock", Self.forged + setting.token())
        let first = try setting.seen()
        guard gateway.speaksHTTP2 else {
            #expect(status == 0 && first == nil, "\(status)")
            return
        }
        let received = try #require(first, "\(status) \(setting.running.log)")
        let identity = try setting.identity(received)
        #expect(identity["outcome"] == "accept" && identity["app"] == "api" && identity["account"] == "", "\(received)")
        #expect(!"\(received)".contains("mallory") && !"\(received)".contains("forged"), "\(received)")

        #expect(try send("GET", "/stock", []) == 401)
        #expect(try send("GET", "/admin", setting.signed("GET", "/stock")) >= 400)
        #expect(try setting.seen() == nil)
        // The signature covers no body.
        for method in ["GET", "POST"] {
            let status = try send(method, "/stock", setting.signed(method, "/stock"), body: "stolen")
            if let received = try setting.seen() {
                #expect(received.body.isEmpty, "\(received)")
            } else {
                #expect(status == 0 || status >= 400, "\(method) \(status)")
            }
        }
        let fields = try setting.signed("POST", "/orders", body: "{}")
        let passed = try send("POST", "/orders", fields, body: "{}")
        if let received = try setting.seen() {
            #expect(passed == 200 && received.body == Array("{}".utf8), "\(received)")
        } else {
            #expect(passed == 0 || passed >= 400, "\(passed)")
        }
    }

    // oauth2-proxy 2026-40575 and 2026-76835, Traefik 2026-35051: a client's X-Forwarded fields are trusted.
    @Test("Forwarding fields from the client are ignored", arguments: Gateway.installed)
    func forwardedFields(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        let stated = [
            "X-Original-Method: GET", "X-Original-URI: /stock", "X-Original-Host: api.example.com",
            "X-Original-Body: none",
            "X-Forwarded-Method: GET", "X-Forwarded-Uri: /stock", "X-Forwarded-Host: api.example.com",
            "X-Forwarded-Prefix: /stock", "X-Envoy-Original-Path: /stock", "X-Rewrite-URL: /stock",
            "X-HTTP-Method-Override: GET",
        ]
        try setting.refuse("another path", "GET", "/admin", stated + setting.signed("GET", "/stock"))
        try setting.refuse("another method", "POST", "/stock", stated + setting.signed("GET", "/stock"))
        try setting.refuse("a body", "POST", "/stock", stated + setting.signed("POST", "/stock"), body: "{}")
        try setting.pass("the signed request", "GET", "/stock", stated + setting.signed("GET", "/stock"))
    }

    // Envoy 2019-9901, 2021-29492, 2021-32779, 2026-73511; OPA 2026-26205; Traefik 2025-32431, 2026-40912, 2026-48020: paths are
    // read differently; Authelia 2021-32637: a malformed URI fails open; 2026-48794: a host in capitals.
    @Test("The upstream gets the path that was verified, byte for byte, or nothing", arguments: Gateway.installed)
    func paths(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        for target in [
            "/a//b", "/a/../b", "/a/./b", "/a/%2e%2e/b", "/a%2Fb", "/a;x=1/b", "/a%3Bb", "/a%00b", "/a%23b",
            "/a/..%2fb",
            "//evil.example.com/a", "/a?b=/../c", "/a?x=%2F&y=a%20b", "/%61", "/a\\b", "/a/..;/b", "/a%25b", "/a%5Cb",
            "/a?",
        ] {
            let answer = try setting.send("GET", target, setting.signed("GET", target))
            guard let received = try setting.seen() else {
                #expect(answer.status >= 400, "\(target)")
                continue
            }
            #expect(received.target == target && answer.status == 200, "\(target): \(received)")
        }
        // Traefik decodes letters, so that the signature over such a path is refused.
        for target in ["/a//b", "/a?x=%2F&y=a%20b", "/a;x=1/b"] + (gateway == .traefik ? [] : ["/%61"]) {
            try setting.pass("\(target)", "GET", target, setting.signed("GET", target))
        }
        for target in ["/stock#x", "/stock%", "stock", "?x", "http://", "/a b", "/\u{E9}", "*"] {
            let answer = try setting.send("GET", target, setting.signed("GET", "/stock"))
            try setting.expectNothing("\(target.debugDescription)", answer, #_sourceLocation)
        }
        // In absolute form the upstream may get the path alone, which is what was verified.
        let absolute = try setting.send("GET", "http://api.example.com/stock", setting.signed("GET", "/stock"))
        if let received = try setting.seen() {
            #expect(received.target == "/stock" && received.values(like: "Host") == ["api.example.com"], "\(received)")
        } else {
            #expect(absolute.status >= 400)
        }
        try setting.refuse(
            "absolute form of another path", "GET", "http://api.example.com/admin", setting.signed("GET", "/stock"))
        try setting.pass(
            "a host in capitals", "GET", "/stock", setting.signed("GET", "/stock"), host: "API.Example.COM")
    }

    // Envoy 2021-32777: of several lines of a field the last alone is judged; 2023-27488: other bytes than UTF-8 pass.
    @Test("Repeated fields, several hosts and odd bytes do not pass as something else", arguments: Gateway.installed)
    func oddFields(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        let token = try setting.token()
        try setting.refuse("a token twice", "GET", "/stock", [token[0]] + token)
        try setting.refuse("a false token first", "GET", "/stock", ["Approov-Token: x"] + token)
        try setting.refuse("a false token last", "GET", "/stock", token + ["Approov-Token: x"])
        try setting.refuse("another session first", "GET", "/stock", ["Authorization: Bearer other"] + token)
        try setting.refuse("another session last", "GET", "/stock", token + ["Authorization: Bearer other"])
        let signed = try setting.signed("GET", "/stock")
        try setting.refuse("a signature twice", "GET", "/stock", signed + [signed[signed.count - 1]])
        try setting.refuse("two hosts", "GET", "/stock", ["Host: evil.example.com"] + setting.signed("GET", "/stock"))
        try setting.refuse("a host with a path", "GET", "/stock", setting.signed("GET", "/stock"), host: "a/b")
        try setting.refuse("odd bytes in the token", "GET", "/stock", [token[0] + "\u{FF}\u{C3}"] + token.dropFirst())
        try setting.refuse("odd bytes in the session", "GET", "/stock", [token[0], token[1] + "\u{FF}"])
        // RFC 9112 section 5.2: a fold may be replaced by a space.
        let folded = try setting.send("GET", "/stock", [token[0], "Authorization: Bearer\r\n session"])
        if let received = try setting.seen() {
            #expect(received.values(like: "Authorization") == ["Bearer session"], "\(received)")
        } else {
            #expect(folded.status >= 400)
        }
    }

    @Test("Bodies of signed requests are verified, or none passes", arguments: Gateway.installed)
    func bodies(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        let fields = try setting.signed("POST", "/orders", body: #"{"amount":1}"#)
        try setting.refuse("another body", "POST", "/orders", fields, body: #"{"amount":9}"#)
        try setting.refuse("no body", "POST", "/orders", fields)
        try setting.refuse(
            "a body that is not signed", "POST", "/orders", setting.signed("POST", "/orders"), body: "{}")
        if gateway.forwardsBodies {
            let identity = try setting.pass("the signed body", "POST", "/orders", fields, body: #"{"amount":1}"#)
            #expect(identity["content-digest"]?.hasPrefix("sha-256=:") ?? false)
        } else {
            try setting.refuse("the gateway withholds the body", "POST", "/orders", fields, body: #"{"amount":1}"#)
        }
        // No body may come with a GET whose signature covers none: it is refused, or taken away.
        for body in [("Content-Length: 2", "{}"), ("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n")] {
            let lines = ["GET /stock HTTP/1.1", "Host: api.example.com", "Connection: close"]
            let request = lines + (try setting.signed("GET", "/stock")) + [body.0]
            _ = try setting.sendRaw(request.joined(separator: "\r\n") + "\r\n\r\n" + body.1)
            if let received = try setting.seen() { #expect(received.body.isEmpty, "\(body.0): \(received)") }
        }
    }

    @Test(
        "Under body: upstream the upstream gets the digest that was signed, and none that was not",
        arguments: Gateway.installed.filter { !$0.forwardsBodies })
    func bodiesOfTheUpstream(_ gateway: Gateway) throws {
        let setting = try Setting(gateway, body: "upstream")
        let digest = "sha-256=:\(Base64.encode(Digest.sha256(Array("{}".utf8)), .standard)):"
        let identity = try setting.pass(
            "a body", "POST", "/orders", setting.signed("POST", "/orders", body: "{}") + Self.forged, body: "{}")
        #expect(identity["content-digest"] == digest)
        let none = try setting.pass("no body", "GET", "/stock", setting.signed("GET", "/stock") + Self.forged)
        #expect(none["content-digest"] == "" && none["outcome"] == "accept")
        try setting.refuse(
            "a digest that is not signed", "POST", "/orders",
            setting.signed("POST", "/orders") + ["Content-Digest: \(digest)"], body: "{}")
    }

    @Test("In an outage, and without the service, the upstream sees nothing", arguments: Gateway.installed)
    func outages(_ gateway: Gateway) throws {
        let setting = try Setting(gateway, settings: ["retryAfter=7"], route: "shop")
        let lock = try LockedLedger(setting.service)
        try setting.refuse("an outage of the ledger", "GET", "/stock", setting.signed("GET", "/stock"))
        lock.end()
        try setting.pass("after the outage", "GET", "/stock", setting.signed("GET", "/stock"))
        setting.service.signal(SIGKILL)
        _ = setting.service.wait()
        try setting.refuse("no service", "GET", "/stock", setting.signed("GET", "/stock"))
        try setting.refuse("no service, and an identity of the client's", "GET", "/stock", Self.forged)
    }
}
