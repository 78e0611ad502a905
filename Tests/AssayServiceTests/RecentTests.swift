import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay recent and its endpoint", .timeLimit(.minutes(30)))
struct RecentTests {
    /// The items of a page on the unix socket of operators.
    private static func items(_ service: RunningService, _ query: String = "") throws -> [[String: Any]] {
        let answer = try service.send(
            "GET", "/v1/admin/recent\(query)", type: nil, unix: service.folder.path("admin.sock"))
        #expect(answer.status == 200, "\(answer)")
        return try #require(answer.json["items"] as? [[String: Any]], "\(answer)")
    }

    private static func texts(_ items: [[String: Any]], _ name: String) -> [String?] {
        items.map { $0[name] as? String }
    }

    private static func encoded(_ text: String) -> String {
        text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    /// The evidence of a record in base64.
    private static func evidence(_ record: String) throws -> [String] {
        let object = try JSONSerialization.jsonObject(with: Data(record.utf8)) as? [String: Any]
        let evidence = try #require(object?["evidence"] as? [String: Any])
        return ["attestation", "assertion"].compactMap { evidence[$0] as? String }.map { String($0.prefix(80)) }
    }

    @Test("Records alone and in a stream are found by key, record, request, check and outcome, without their evidence")
    func records() throws {
        let service = try RunningService("recent.sampling=1")
        let (attested, replayed) = try (Evidence.attestation("a"), Evidence.assertion("c", counter: 1))
        _ = try service.send("POST", "/v1/verify", body: attested)
        _ = try service.send("POST", "/v1/verify", body: Evidence.assertion("b", counter: 1))
        let rejected = try service.send("POST", "/v1/verify", body: replayed)
        #expect(rejected.json["outcome"] as? String == "reject", "\(rejected)")
        let malformed = try service.send(
            "POST", "/v1/verify", body: #"{"id":"d","kind":"app-attest.assertion"}"#)
        #expect(malformed.status == 400)
        let streamed = try service.send(
            "POST", "/v1/verify", type: "application/x-ndjson", body: Evidence.attestation("e") + "\n")
        #expect(streamed.body.contains("app-attest.attestation.enrolment"), "\(streamed)")

        let all = try Self.items(service)
        #expect(Self.texts(all, "record") == ["e", "d", "c", "b", "a"])
        #expect(Self.texts(all, "outcome") == ["reject", "unreadable", "reject", "accept", "accept"])
        #expect(Self.texts(all, "way") == ["stream", "verify", "verify", "verify", "verify"])
        #expect(
            all[1]["field"] is String && all[1]["offset"] is Int && all[1]["code"] as? String == "unreadable-record")
        let verdict = try #require(all[2]["verdict"] as? [String: Any])
        let texts = try [verdict, rejected.json].map {
            try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)
        }
        #expect(texts[0] == texts[1], "\(rejected)")

        let key = Base64.encode(Evidence.key.keyID, .standard)
        #expect(
            Self.texts(try Self.items(service, "?key=\(Self.encoded(key))&outcome=reject"), "record") == ["e", "c"])
        let id = try #require(rejected["x-request-id"])
        #expect(Self.texts(try Self.items(service, "?request=\(id)"), "record") == ["c"])
        #expect(Self.texts(try Self.items(service, "?record=d"), "outcome") == ["unreadable"])
        #expect(Self.texts(try Self.items(service, "?check=app-attest.attestation&outcome=reject"), "record") == ["e"])
        #expect(Self.texts(try Self.items(service, "?app=shop&outcome=accept"), "record") == ["b", "a"])
        #expect(try Self.items(service, "?app=bank").isEmpty)
        #expect(try Self.items(service, "?since=2020-01-01T00:00:00Z").count == 5)
        #expect(try Self.items(service, "?since=2099-01-01T00:00:00Z").isEmpty)

        let whole = try service.send("GET", "/v1/admin/recent", type: nil, unix: service.folder.path("admin.sock"))
        for secret in try Self.evidence(attested) + Self.evidence(replayed) {
            #expect(secret.utf8.count > 40 && !whole.body.contains(secret))
        }
        #expect((whole.json["rejections"] as? [String: Any])?["count"] as? Int == 3, "\(whole)")
    }

    @Test("Pages hold each verdict once, the newest first; wrong parameters are problems")
    func pages() throws {
        let service = try RunningService()
        let socket = service.folder.path("admin.sock")
        for index in 0..<5 { _ = try service.send("POST", "/v1/verify", body: #"{"id":"\#(index)"}"#) }
        var found: [String?] = []
        var cursor = ""
        for _ in 0..<3 {
            let page = try service.send("GET", "/v1/admin/recent?limit=2\(cursor)", type: nil, unix: socket)
            found += Self.texts(try #require(page.json["items"] as? [[String: Any]], "\(page)"), "record")
            cursor = (page.json["next"] as? String).map { "&cursor=\($0)" } ?? "-"
        }
        #expect(found == ["4", "3", "2", "1", "0"] && cursor == "-")
        for (query, words) in [
            ("outcome=refused", "expected one of accept"), ("since=now", "RFC 3339"), ("cursor=x", "next"),
            ("limit=0", "1 to 1000"), ("colour=red", "unknown parameter"),
        ] {
            let answer = try service.send("GET", "/v1/admin/recent?\(query)", type: nil, unix: socket)
            #expect(answer.status == 400 && (answer.json["detail"] as? String ?? "").contains(words), "\(answer)")
        }
    }

    @Test("Requests for tokens are recorded, with their evidence rejected or not bound")
    func tokens() throws {
        let service = try TokenTests.start()
        let issued = try TokenTests.issue(service, "good")
        #expect(issued.status == 201, "\(issued)")
        let rejected = try TokenTests.issue(service, "forged", isForged: true)
        #expect(rejected.status == 403, "\(rejected)")
        _ = try service.send("POST", "/v1/tokens", body: #"{"record":{"id":7},"challenge":"x","audience":"y"}"#)
        let items = try Self.items(service)
        #expect(Self.texts(items, "way") == ["token", "token", "token"])
        #expect(Self.texts(items, "outcome") == ["unreadable", "reject", "accept"])
        #expect(Self.texts(items, "request")[1] == rejected["x-request-id"])
        let token = try #require(issued.json["token"] as? String)
        #expect(!"\(items)".contains(token))
    }

    @Test("A decision of forward auth is recorded with its route; a device is found by its ID, and no token is kept")
    func forwardAuth() throws {
        let service = try GuardedService.start("nginx")
        let token = try GuardedService.token(authorization: "Bearer session")
        func ask(_ authorization: String) throws -> HTTPAnswer {
            try service.send(
                "GET", "/v1/authorize/api", type: nil,
                fields: [
                    "X-Original-Method: GET", "X-Original-URI: /orders", "X-Original-Host: api.example.com",
                    "Approov-Token: \(token)", "Authorization: \(authorization)",
                ])
        }
        #expect(try ask("Bearer session").status == 200)
        let refused = try ask("Bearer q7Zx9")
        #expect(refused.status == 401)
        let found = try Self.items(service, "?device=\(Self.encoded("h4gubfCFzJu81j/U2BJsdg=="))&outcome=reject")
        let item = try #require(found.first)
        #expect(found.count == 1 && item["request"] as? String == refused["x-request-id"], "\(found)")
        #expect(item["way"] as? String == "authorize" && item["route"] as? String == "api")
        #expect(item["app"] as? String == "api" && item["enforcement"] as? String == "reject")
        let all = try Self.items(service)
        #expect(Self.texts(all, "outcome") == ["reject", "accept"])
        #expect(!"\(all)".contains(token) && !"\(all)".contains("q7Zx9"))
    }

    @Test("The command prints one line for each verdict, and every failed check of a request with its explanation")
    func command() throws {
        let service = try RunningService()
        let socket = "unix:" + service.folder.path("admin.sock")
        _ = try service.send("POST", "/v1/verify", body: Evidence.attestation("a"))
        let rejected = try service.send("POST", "/v1/verify", body: Evidence.attestation("again"))
        let id = try #require(rejected["x-request-id"])
        let key = Base64.encode(Evidence.key.keyID, .standard)
        let list = try service.assay("recent", "--address", socket, "--key", key, "--since", "1d")
        #expect(list.status == 0, "\(list)")
        let line = try #require(list.output.split(separator: "\n").first { $0.contains("  REJECTED  ") })
        #expect(line.contains("app-attest.attestation.enrolment: ") && line.contains("request \(id)"), "\(list)")
        let one = try service.assay("recent", "--address", socket, "--request", id)
        #expect(one.status == 0 && one.output.contains("app-attest.attestation.enrolment"), "\(one)")
        for part in ["means: ", "look at: ", "remedy: ", "record       again", key] {
            #expect(one.output.contains(part), "\(part): \(one)")
        }
        let json = try service.assay("recent", "--address", socket, "--outcome", "reject", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect((object?["items"] as? [Any])?.count == 1, "\(json)")
        let none = try service.assay("recent", "--address", socket, "--account", "mallory")
        #expect(none.status == 1 && none.output.isEmpty, "\(none)")
        #expect(none.errors.contains("nothing found; the service has the last 1 rejections"), "\(none)")
        #expect(none.errors.contains("it started at "))
    }

    @Test("A service that keeps none says so; without a token, a service or good arguments the command fails")
    func mistakes() throws {
        let off = try RunningService("recent.rejections=0")
        let socket = "unix:" + off.folder.path("admin.sock")
        _ = try off.send("POST", "/v1/verify", body: Evidence.attestation("a"))
        let answer = try off.send("GET", "/v1/admin/recent", type: nil, unix: off.folder.path("admin.sock"))
        #expect(answer.status == 404 && answer.json["code"] as? String == "recent-off", "\(answer)")
        let administered = try AdministrationTests.Administered()
        let address = "127.0.0.1:\(administered.port)"
        let token = administered.service.folder.path("token-caller")
        try #require(chmod(token, 0o600) == 0)
        for (arguments, status, words) in [
            (["--address", socket], Int32(2), "recent.rejections is 0"),
            (["--address", address], 2, "--token"),
            (["--address", address, "--token", "file:\(token)"], 2, "403"),
            (["--address", "unix:" + off.folder.path("none.sock")], 3, "cannot connect"),
            (["--address", socket, "--limit", "0"], 64, "1 to 1000"),
            (["--address", socket, "--outcome", "refused"], 64, "outcome"),
            (["--address", socket, "--since", "yesterday"], 64, "RFC 3339"),
            (["--address", socket, "--account", ""], 64, "--account"),
        ] {
            let run = try off.run(["recent"] + arguments)
            #expect(run.status == status && run.errors.contains(words), "\(arguments): \(run)")
        }
    }
}
