import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// What gateways are answered. The tests of the gateways show that no request passes that is refused here.
@Suite("Forward auth")
struct ForwardAuthTests {
    private static func nginx(_ method: String = "GET", _ target: String = "/orders") -> [String] {
        ["X-Original-Method: \(method)", "X-Original-URI: \(target)", "X-Original-Host: api.example.com"]
    }

    static let identity = [
        "assay-outcome", "assay-app", "assay-kind", "assay-subject", "assay-account", "assay-annotated",
        "assay-verdict",
        "assay-content-digest",
    ]

    /// The values of the identity fields, each of which stands exactly once.
    private static func identity(_ answer: HTTPAnswer) throws -> [String: String] {
        var values: [String: String] = [:]
        for name in identity {
            try #require(answer.names.count { $0 == name } == 1, "\(name) in \(answer)")
            values[String(name.dropFirst(6))] = answer[name]
        }
        return values
    }

    @Test("A token that is bound to the client's Authorization passes without a token of an operator, or is refused")
    func tokens() throws {
        let service = try GuardedService.start("nginx")
        let bound = try GuardedService.token(authorization: "Bearer session")
        func ask(_ fields: String..., app: String = "api") throws -> HTTPAnswer {
            try service.send("GET", "/v1/authorize/\(app)", type: nil, fields: Self.nginx() + fields)
        }
        let passed = try ask("Approov-Token: \(bound)", "Authorization: Bearer session")
        #expect(passed.status == 200, "\(passed)")
        let values = try Self.identity(passed)
        #expect(values["outcome"] == "accept" && values["app"] == "api" && values["kind"] == "approov.token")
        #expect(
            values["subject"] == "h4gubfCFzJu81j/U2BJsdg==" && values["account"] == "" && values["content-digest"] == ""
        )
        #expect(values["verdict"] == "", "not configured")

        let other = try ask("Approov-Token: \(bound)", "Authorization: Bearer another")
        #expect(
            other.status == 401 && other["x-approov-error-arc"] == "ABCDEF" && other["www-authenticate"] == "Approov")
        for name in Self.identity { #expect(other[name] == nil) }
        #expect(try ask("Authorization: Bearer session").status == 401)
        #expect(
            try ask("Approov-Token: \(bound)", "Approov-Token: \(bound)", "Authorization: Bearer session").status == 401
        )
        let forged = try GuardedService.token(authorization: "Bearer session", secret: [UInt8](repeating: 1, count: 64))
        #expect(try ask("Approov-Token: \(forged)", "Authorization: Bearer session").status == 401)
        #expect(try ask("Approov-Token: \(bound)", "Authorization: Bearer session", app: "nosuch").status == 500)
        let log = try #require(service.entries("request").last { $0["assay.outcome"] as? String == "reject" })
        #expect(log["assay.route"] as? String == "api" && log["assay.arc"] as? String == "ABCDEF", "\(log)")
        #expect(!service.logText.contains(bound))
    }

    @Test("An answer has the verdict if authorize.verdict is true")
    func verdict() throws {
        let service = try GuardedService.start("nginx", ["authorize.verdict=true"])
        let token = try GuardedService.token(authorization: "Bearer session")
        let passed = try service.send(
            "GET", "/v1/authorize/api", type: nil,
            fields: Self.nginx() + ["Approov-Token: \(token)", "Authorization: Bearer session"])
        #expect(passed.status == 200, "\(passed)")
        let text = try #require(try Self.identity(passed)["verdict"])
        let verdict = try JSONSerialization.jsonObject(with: Data(Base64.decode(text, .url))) as? [String: Any]
        #expect(verdict?["outcome"] as? String == "accept")
    }

    @Test(
        "A signed request is about the original method and target; the body must be known to be none, or left to the upstream"
    )
    func signedRequests() throws {
        let service = try GuardedService.start("nginx")
        try GuardedService.enrol(service)
        var counter: UInt32 = 0
        func ask(
            _ target: String, stated: String? = nil, method: String = "GET", body: String = "", more: [String] = []
        ) throws -> HTTPAnswer {
            counter += 1
            let fields = try GuardedService.signed("GET", target, counter: counter, body: body)
            return try service.send(
                "GET", "/v1/authorize/shop", type: nil,
                fields: Self.nginx(method, stated ?? target) + fields + more)
        }
        let none = ["X-Original-Body: none"]
        let passed = try ask("/orders?a=%2F..//;b", more: none)
        #expect(passed.status == 200, "\(passed)")
        let values = try Self.identity(passed)
        #expect(values["subject"] == Base64.encode(Evidence.key.keyID, .standard) && values["account"] == "alice")
        #expect(try ask("/orders", more: []).status == 403, "a body may follow that nobody compares")
        let unseen = try ask("/orders", body: "{}")
        #expect(
            unseen.status == 403 && unseen.json["remedy"] as? String == "contact-support",
            "the gateway sends no body, and the client cannot change that: \(unseen)")
        #expect(try ask("/orders", body: "{}", more: none).status == 401, "the signed body is missing")
        #expect(try ask("/orders", stated: "/admin", more: none).status == 401)
        #expect(try ask("/orders", method: "DELETE", more: none).status == 401)
        #expect(try ask("/a//b", stated: "/a/b", more: none).status == 401)
        #expect(try ask("/orders", more: none + none).status == 400)
        #expect(try ask("/orders", more: ["X-Original-Body: empty"]).status == 400)
        let contradicting = try service.send(
            "POST", "/v1/authorize/shop", type: nil, body: "{}",
            fields: Self.nginx() + none + GuardedService.signed("GET", "/orders", counter: 100))
        #expect(contradicting.status == 400 && contradicting.body.contains("bad-forwarding"), "\(contradicting)")
    }

    @Test(
        "A request that opens a tunnel to the backend is refused, whatever evidence it has, and the log says so",
        arguments: ["nginx", "haproxy", "caddy", "traefik", "envoy"])
    func tunnels(_ dialect: String) throws {
        let service = try GuardedService.start(dialect)
        let token = ["Approov-Token: \(try GuardedService.token(authorization: "x"))", "Authorization: x"]
        let path = "/v1/authorize/api" + (dialect == "envoy" ? "/orders" : "")
        func ask(_ more: [String], method: String = "GET") throws -> HTTPAnswer {
            let forwarded = [
                "X-Forwarded-Method: \(method)", "X-Forwarded-Uri: /orders", "X-Forwarded-Host: api.example.com",
            ]
            return try service.send(
                "GET", path, type: nil, fields: Self.nginx(method) + forwarded + token + more, host: "api.example.com")
        }
        #expect(try ask([]).status == 200)
        #expect(try ask(["Te: trailers"]).status == 200)
        var refused = [try ask(["Upgrade: h2c"]), try ask(["Upgrade: websocket", "Sec-WebSocket-Version: 13"])]
        if dialect != "envoy" { refused.append(try ask([], method: "CONNECT")) }
        for answer in refused {
            #expect(answer.status == 403 && answer.json["code"] as? String == "tunnel-requested", "\(answer)")
            #expect(answer.json["remedy"] == nil)
        }
        let entries = service.entries("request").filter { $0["assay.code"] as? String == "tunnel-requested" }
        #expect(
            entries.count == refused.count
                && entries.allSatisfy { $0["level"] as? String == "warning" && $0["assay.problem"] != nil },
            "\(service.logText)")
    }

    // Envoy and Traefik pass a client's field on, and the body to the upstream.
    @Test(
        "A client cannot state that its request has no body", arguments: ["traefik", "envoy"],
        ["withheld", "forwarded"])
    func clientsBodyStatement(_ dialect: String, _ bodies: String) throws {
        let service = try GuardedService.start(dialect, ["authorize.bodies=\(bodies)"])
        try GuardedService.enrol(service)
        let path = "/v1/authorize/shop" + (dialect == "envoy" ? "/orders" : "")
        let stated = [
            "X-Forwarded-Method: POST", "X-Forwarded-Uri: /orders", "X-Forwarded-Host: api.example.com",
        ]
        var counter: UInt32 = 0
        func ask(_ more: [String], body: String = "") throws -> Int {
            counter += 1
            let fields = try stated + more + GuardedService.signed("POST", "/orders", counter: counter)
            return try service.send("POST", path, type: nil, body: body, fields: fields, host: "api.example.com").status
        }
        for claim in [
            ["X-Original-Body: none"], ["x-original-body:none"], ["X-Original-Body: none", "X-Original-Body: none"],
            ["X_Original_Body: none", "X-Original-Body: none"],
        ] {
            // A gateway that sends bodies sends this one, which nothing signs.
            #expect(try ask(claim, body: bodies == "forwarded" ? "{}" : "") == 403, "\(claim)")
        }
        if bodies == "forwarded" {
            #expect(try ask(["X-Envoy-Auth-Partial-Body: false"]) == 200)
            for partial in [["true"], ["TRUE"], ["false", "true"], ["true", "false"], [""]] {
                #expect(try ask(partial.map { "X-Envoy-Auth-Partial-Body: \($0)" }) == 413, "\(partial)")
            }
        }
    }

    @Test("Under body: upstream the upstream learns the signed digests")
    func upstream() throws {
        let service = try GuardedService.start("caddy", body: "upstream")
        try GuardedService.enrol(service)
        let stated = [
            "X-Forwarded-Method: POST", "X-Forwarded-Uri: /orders", "X-Forwarded-For: 203.0.113.9",
            "X-Forwarded-Host: api.example.com",
        ]
        func ask(_ fields: [String]) throws -> HTTPAnswer {
            try service.send("GET", "/v1/authorize/shop", type: nil, fields: stated + fields)
        }
        let answer = try ask(GuardedService.signed("POST", "/orders", counter: 1, body: "{}"))
        #expect(answer.status == 200, "\(answer)")
        let digest = Base64.encode(Digest.sha256(Array("{}".utf8)), .standard)
        #expect(try Self.identity(answer)["content-digest"] == "sha-256=:\(digest):")
        let bodyless = try ask(GuardedService.signed("POST", "/orders", counter: 2))
        #expect(try bodyless.status == 200 && Self.identity(bodyless)["content-digest"] == "")
        let forged = try GuardedService.signed("POST", "/orders", counter: 3) + ["Content-Digest: sha-256=:\(digest):"]
        #expect(try ask(forged).status == 403, "a digest that is not signed")
    }

    @Test("A forwarded body is verified, in the dialect of Envoy with the path behind the prefix")
    func forwarded() throws {
        let service = try GuardedService.start("envoy", ["authorize.bodies=forwarded"])
        try GuardedService.enrol(service)
        func ask(_ target: String, _ body: String, _ fields: [String]) throws -> HTTPAnswer {
            try service.send(
                "POST", "/v1/authorize/shop\(target)", type: nil, body: body, fields: fields, host: "api.example.com")
        }
        let fields = try GuardedService.signed("POST", "/a/..//b?x=%2F", counter: 1, body: "{}")
        #expect(try ask("/a/..//b?x=%2F", "{]", fields).status == 401)
        #expect(try ask("/a/..//b?x=%2E", "{}", fields).status == 401)
        #expect(try ask("/a/..//b?x=%2F", "{}", fields + ["X-Envoy-Auth-Partial-Body: true"]).status == 413)
        #expect(try ask("/a/..//b?x=%2F", "{}", fields).status == 200)
        #expect(try ask("/a/..//b?x=%2F", "{}", fields).status == 401)
        #expect(try ask("", "{}", fields).status == 403)
    }

    @Test("Routes demand one or all of several kinds")
    func routes() throws {
        let service = try GuardedService.start("caddy")
        try GuardedService.enrol(service)
        let token = ["Approov-Token: \(try GuardedService.token(authorization: "x"))", "Authorization: x"]
        func ask(_ route: String, _ fields: [String]) throws -> HTTPAnswer {
            let stated = [
                "X-Forwarded-Method: GET", "X-Forwarded-Uri: /orders", "X-Forwarded-Host: api.example.com",
                "X-Original-Body: none",
            ]
            return try service.send("GET", "/v1/authorize/\(route)", type: nil, fields: stated + fields)
        }
        #expect(try Self.identity(ask("any", token))["app"] == "api")
        let phone = try GuardedService.signed("GET", "/orders", counter: 1)
        #expect(try ask("all", phone).status == 401)
        #expect(try ask("all", token).status == 401)
        let both = try ask("all", phone + token)
        #expect(try Self.identity(both)["app"] == "shop, api" && Self.identity(both)["account"] == "alice, -")
        #expect(try Self.identity(ask("any", GuardedService.signed("GET", "/orders", counter: 2)))["app"] == "shop")
    }

    @Test("An app that is off has - in its place of the identity fields")
    func places() throws {
        let service = try GuardedService.start("nginx", ofRequests: "off")
        let token = ["Approov-Token: \(try GuardedService.token(authorization: "x"))", "Authorization: x"]
        let answer = try service.send("GET", "/v1/authorize/all", type: nil, fields: Self.nginx() + token)
        let values = try Self.identity(answer)
        #expect(answer.status == 200 && values["app"] == "-, api" && values["kind"] == "-, approov.token", "\(answer)")
        #expect(values["subject"] == "-, h4gubfCFzJu81j/U2BJsdg==" && values["account"] == "")
    }

    @Test("Under annotate a rejected request passes without an identity")
    func annotate() throws {
        let service = try GuardedService.start("haproxy", enforcement: "annotate")
        let answer = try service.send("HEAD", "/v1/authorize/api", type: nil, fields: Self.nginx())
        let values = try Self.identity(answer)
        #expect(answer.status == 200 && values["outcome"] == "reject" && values["subject"] == "", "\(answer)")
    }

    @Test("Only the configured peers may ask, in the dialect of the listener, and fields of the dialect stand once")
    func peers() throws {
        let service = try GuardedService.start("nginx")
        let stranger = try GuardedService.start("nginx", peers: "10.0.0.0/8,2001:db8::/32")
        let token = ["Approov-Token: \(try GuardedService.token(authorization: "x"))", "Authorization: x"]
        #expect(try stranger.send("GET", "/v1/authorize/api", type: nil, fields: Self.nginx() + token).status == 403)
        func status(_ fields: [String], _ path: String = "/v1/authorize/api") throws -> Int {
            try service.send("GET", path, type: nil, fields: fields + token).status
        }
        #expect(try status(Self.nginx()) == 200)
        #expect(try status(Self.nginx() + ["X-Real-IP: 203.0.113.7"]) == 200)
        #expect(try status(Self.nginx() + ["X-Real-IP: unknown"]) == 400)
        #expect(try status(Self.nginx() + Self.nginx()) == 400)
        #expect(try status([]) == 400)
        #expect(try status(["X-Forwarded-Method: GET", "X-Forwarded-Uri: /orders"]) == 400)
        #expect(try status(Self.nginx("G T")) == 400)
        #expect(try status(Self.nginx(), "/v1/authorize/api/orders") == 404)
        #expect(try status(Self.nginx(), "/v1/authorize/api?x=1") == 200)
        #expect(try status(Self.nginx(), "/v1/authorize/") == 500)
        // Another host than the only origin, although a token covers none.
        let elsewhere = [
            "X-Original-Method: GET", "X-Original-URI: /stock?a=1", "X-Original-Host: evil.example.com",
        ]
        let other = try service.send("GET", "/v1/authorize/api", type: nil, fields: elsewhere + token)
        #expect(other.status == 403 && other.json["code"] as? String == "unknown-host", "\(other)")
        let entry = try #require(service.entries("request").last { $0["assay.code"] as? String == "unknown-host" })
        #expect(
            entry["level"] as? String == "warning" && entry["assay.client.host"] as? String == "evil.example.com"
                && entry["assay.client.path"] as? String == "/stock" && entry["assay.problem"] != nil, "\(entry)")
        // A backend may read another host in what is none.
        for host in [
            "x@evil.example.com", "evil.example.com,api.example.com", "api.example.com?", "api.example.com%20",
        ] {
            let fields = ["X-Original-Method: GET", "X-Original-URI: /stock", "X-Original-Host: \(host)"]
            let answer = try service.send("GET", "/v1/authorize/api", type: nil, fields: fields + token)
            #expect(answer.status == 403 && answer.json["code"] as? String == "unknown-host", "\(host): \(answer)")
        }
        // A request of HTTP/1.0 need not name a host, and gateways pass it on.
        let hostless = ["X-Original-Method: GET", "X-Original-URI: /stock"]
        for fields in [hostless, hostless + ["X-Original-Host: "]] {
            let answer = try service.send("GET", "/v1/authorize/api", type: nil, fields: fields + token)
            #expect(answer.status == 400 && answer.json["code"] as? String == "bad-forwarding", "\(answer)")
        }
        let off = try RunningService().send("GET", "/v1/authorize/api", type: nil)
        #expect(off.status == 404 && off.body.contains("set authorize.dialect"), "\(off)")
        #expect(try service.send("POST", "/v1/verify", body: "{}").status == 401)
    }

    @Test("An outage is answered with the configured status, and lets nothing pass")
    func outage() throws {
        for (setting, status) in [("503", 503), ("403", 403), ("401", 401)] {
            let service = try GuardedService.start("nginx", ["authorize.outageStatus=\(setting)"])
            try GuardedService.enrol(service)
            let lock = try LockedLedger(service)
            defer { lock.end() }
            let fields =
                try Self.nginx() + GuardedService.signed("GET", "/orders", counter: 1) + ["X-Original-Body: none"]
            let answer = try service.send("GET", "/v1/authorize/shop", type: nil, fields: fields)
            #expect(answer.status == status, "\(answer)")
            #expect(status != 503 || answer["retry-after"] == "5")
        }
    }

    @Test("The document of the listener describes forward auth where it is on")
    func document() throws {
        let service = try GuardedService.start("nginx")
        let answer = try service.send("GET", "/openapi.json", type: nil)
        let paths = try #require(answer.json["paths"] as? [String: [String: Any]])
        let operations = try #require(paths["/v1/authorize/{app}"])
        #expect(operations["get"] != nil && operations["delete"] != nil)
        guard let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"], !python.isEmpty else { return }
        try service.folder.write("openapi.json", answer.body)
        #expect(try service.folder.shell("'\(python)' -m openapi_spec_validator openapi.json") == 0)
    }
}
