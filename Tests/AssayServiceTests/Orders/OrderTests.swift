import AssayHTTPTestSupport
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Synchronization
import Testing

/// The example backends with `POST /orders`, in Python and Node.
@Suite("Example backends with orders", .timeLimit(.minutes(30)))
struct OrderTests {
    private static let tea = #"{"id":"1","item":"tea","count":2}"#

    /// A service with an operator's token, a shop that asks it, and a test phone.
    private struct Scene {
        let service: RunningService
        let shop: Shop

        init(_ backend: Shop.Backend) throws {
            service = try RunningService("masterKey=file:master.key", isOpen: false) { folder in
                let program = try BuiltProducts.url("assay").path
                try folder.write(
                    "policy.yaml",
                    """
                    version: 1
                    apps:
                      - name: shop-ios
                        appAttest:
                          appIDs: [\(Evidence.appID)]
                          environments: [production]
                          challenge: ledger
                          clientData: raw
                          testRoots: ["file:device-root.pem"]
                          requests: {}
                        tokens: { issuer: \(TokenTests.issuer), audiences: [\(Shop.origin)], testAuthorities: allow }
                      - name: shop-android
                        androidKey:
                          packages: [com.example.shop]
                          certificateDigests: ["\(String(repeating: "5a", count: 32))"]
                          statusList: none
                          testRoots: ["file:phone-roots.pem"]
                          requests: {}

                    """)
                try folder.write("master.key", String(repeating: "5a", count: 32))
                let status = try folder.shell(
                    """
                    chmod 600 master.key
                    '\(program)' mint app-attest device device.json --root device-root.pem 2>notes
                    '\(program)' mint android-key device phone.json --root phone-roots.pem 2>notes
                    umask 077
                    '\(program)' operators add shop --role caller --for 1d --operator setup \
                        --ledger sqlite:ledger.sqlite >token 2>notes
                    """)
                try #require(status == 0, "\(folder.read("notes"))")
            }
            let running = service
            try running.waitUntil("keys made") { running.entries("token key made").count == 2 }
            shop = try Shop(
                backend, asking: "http://127.0.0.1:\(service.port)",
                token: service.folder.read("token").trimmingCharacters(in: .newlines))
        }

        /// What `assay mint` prints for the phone.
        func mint(_ arguments: String...) throws -> String {
            let run = try service.run(["mint"] + arguments)
            try #require(run.status == 0, "\(run.errors)")
            return run.output
        }

        /// A record of the phone as the app sends it: kind and evidence, and an account that it states itself.
        func sent(_ record: String) throws -> String {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(record.utf8)) as? [String: Any])
            let kept = object.filter { ["kind", "evidence"].contains($0.key) }.merging(["account": "mallory"]) { $1 }
            return String(decoding: try JSONSerialization.data(withJSONObject: kept), as: UTF8.self)
        }

        func challenge(_ kind: String) throws -> String {
            let answer = try shop.post("/challenges", #"{"app":"shop-ios","kind":"\#(kind)"}"#)
            #expect(answer.status == 201 && answer.json["expiresAt"] is String, "\(answer)")
            return try #require(answer.json["challenge"] as? String)
        }

        /// The fields of an order that the iPhone signs.
        func signed(
            _ body: String, counter: Int, uri: String = Shop.origin + "/orders"
        ) throws -> [String] {
            try mint(
                "app-attest", "request", "--device", service.folder.path("device.json"), "--app-id", Evidence.appID,
                "--counter", "\(counter)", "--method", "POST", "--target-uri", uri, "--body", body, "--headers"
            ).split(separator: "\n").map(String.init)
        }

        func attestation(_ challenge: String) throws -> String {
            try sent(
                mint(
                    "app-attest", "attestation", "--device", service.folder.path("device.json"), "--app-id",
                    Evidence.appID, "--challenge", challenge))
        }
    }

    /// A refusal tells the app what it can do, and not which check failed.
    private static func expectRefusal(
        _ answer: HTTPAnswer, _ status: Int, _ remedy: String, location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            answer.status == status && answer.json["outcome"] as? String == "reject"
                && answer.json["remedy"] as? String == remedy
                && Set(answer.json.keys) == ["outcome", "remedy", "id"],
            "\(answer)", sourceLocation: location)
        #expect(answer.names.count { $0 == "date" } == 1, "\(answer)", sourceLocation: location)
    }

    @Test(
        "An order of an enrolled key is accepted once, and refused when it is replayed, altered or sent by another account",
        arguments: Shop.backends)
    func orders(_ backend: Shop.Backend) throws {
        let scene = try Scene(backend)
        let (service, shop) = (scene.service, scene.shop)
        let record = try scene.attestation(scene.challenge("app-attest.attestation"))
        let enrolled = try shop.post("/enrolments", record)
        #expect(enrolled.status == 200 && enrolled.json["outcome"] as? String == "accept", "\(enrolled)")
        #expect(Set(enrolled.json.keys) == ["outcome", "id"], "\(enrolled)")
        Self.expectRefusal(try shop.post("/enrolments", record), 200, "new-challenge")

        let first = try scene.signed(Self.tea, counter: 1)
        // The target is what the server's configuration says, whatever the client's Host.
        let accepted = try shop.post("/orders", Self.tea, fields: first, host: "evil.example.com")
        #expect(accepted.status == 201, "\(accepted) \(shop.log)")
        Self.expectRefusal(try shop.post("/orders", Self.tea, fields: first), 401, "retry")
        let altered = Self.tea.replacing("2}", with: "9}")
        Self.expectRefusal(
            try shop.post("/orders", altered, fields: scene.signed(Self.tea, counter: 2)), 401, "retry")
        for uri in ["https://evil.example.com/orders", Shop.origin + "/orders?free=1"] {
            Self.expectRefusal(
                try shop.post("/orders", Self.tea, fields: scene.signed(Self.tea, counter: 3, uri: uri)), 401, "retry")
        }
        Self.expectRefusal(try shop.post("/orders", Self.tea), 403, "none")
        Self.expectRefusal(
            try shop.post("/orders", Self.tea, session: "bobs-session", fields: scene.signed(Self.tea, counter: 4)),
            401, "new-attestation")
        let alone = try shop.post("/orders", Self.tea, session: nil, fields: scene.signed(Self.tea, counter: 5))
        #expect(alone.status == 401 && alone.json["remedy"] == nil, "\(alone)")

        // The same order, signed anew after a lost answer, is no second order; another one under its ID is none.
        let again = try shop.post("/orders", Self.tea, fields: scene.signed(Self.tea, counter: 6))
        #expect(again.status == 201 && again.body == accepted.body, "\(again)")
        #expect(try shop.post("/orders", altered, fields: scene.signed(altered, counter: 7)).status == 409)
        #expect(try shop.post("/orders", "{}", fields: scene.signed("{}", counter: 8)).status == 422)
        let query = try scene.signed(Self.tea, counter: 9, uri: Shop.origin + "/orders?from=%5Bapp%5D&a=b")
        #expect(try shop.post("/orders?from=%5Bapp%5D&a=b", Self.tea, fields: query).status == 201)
        #expect(!shop.log.contains("alices-session") && !service.logText.contains("alices-session"))

        service.signal(SIGTERM)
        #expect(service.wait() == 0)
        for (path, body) in [("/orders", Self.tea), ("/enrolments", record)] {
            let outage = try shop.post(path, body, fields: scene.signed(Self.tea, counter: 10))
            #expect(outage.status == 503 && outage["retry-after"] == "5", "\(outage)")
        }
    }

    @Test("An Android key is enrolled and signs an order", arguments: Shop.backends)
    func android(_ backend: Shop.Backend) throws {
        let scene = try Scene(backend)
        let phone = scene.service.folder.path("phone.json")
        let record = try scene.mint(
            "android-key", "attestation", "--device", phone, "--package", "com.example.shop", "--certificate-digest",
            String(repeating: "5a", count: 32), "--challenge", scene.challenge("android-key.attestation"))
        let enrolled = try scene.shop.post("/enrolments", scene.sent(record))
        #expect(enrolled.json["outcome"] as? String == "accept", "\(enrolled) \(scene.shop.log)")
        let fields = try scene.mint(
            "android-key", "request", "--device", phone, "--method", "POST", "--target-uri", Shop.origin + "/orders",
            "--body", Self.tea, "--headers"
        ).split(separator: "\n").map(String.init)
        #expect(try scene.shop.post("/orders", Self.tea, fields: fields).status == 201, "\(scene.shop.log)")
        Self.expectRefusal(try scene.shop.post("/orders", Self.tea, fields: fields), 401, "retry")
    }

    @Test(
        "Evidence is exchanged for a token once, and evidence that does not cover it is refused",
        arguments: Shop.backends)
    func tokens(_ backend: Shop.Backend) throws {
        let scene = try Scene(backend)
        let thumbprint = JWKThumbprint.p256(TokenTests.client.publicPoint)
        let challenge = try scene.challenge("app-attest.attestation")
        let derived = Digest.sha256(Array("assay-token\n\(challenge)\n\(Shop.origin)\n\(thumbprint)\n".utf8))
        func exchange(_ record: String) throws -> HTTPAnswer {
            try scene.shop.post(
                "/tokens",
                #"{"record":\#(record),"challenge":"\#(challenge)","audience":"\#(Shop.origin)","jkt":"\#(thumbprint)"}"#
            )
        }
        let uncovered = try exchange(scene.attestation(challenge))
        #expect(uncovered.status == 422 && uncovered.json["code"] as? String == "evidence-not-bound", "\(uncovered)")
        let record = try scene.attestation(Base64.encode(derived, .url))
        let issued = try exchange(record)
        #expect(
            issued.status == 201 && issued.json["tokenType"] as? String == "DPoP"
                && Set(issued.json.keys) == ["token", "tokenType", "expiresIn"], "\(issued) \(scene.shop.log)")
        Self.expectRefusal(try exchange(record), 403, "new-challenge")
    }

    /// Answers in the place of Assay's, and the status that the app gets.
    private static let answers: [(status: Int, body: String, fields: [String: String], given: Int)] = [
        (200, "<html>maintenance</html>", ["Content-Type": "text/html"], 503), (502, "<html></html>", [:], 503),
        (200, #"{"outcome":"maybe"}"#, [:], 503), (200, "{}", [:], 503), (200, "[]", [:], 503), (200, "null", [:], 503),
        (401, #"{"code":"token-required","detail":"x"}"#, [:], 503), (500, #"{"code":"no-key"}"#, [:], 503),
        (403, #"{"code":"role-not-allowed","detail":"x"}"#, [:], 503), (500, #"{"outcome":"accept"}"#, [:], 503),
        (302, #"{"outcome":"accept"}"#, ["Location": "/v1/verify"], 503),
        (400, #"{"code":"unreadable-record","detail":"x"}"#, [:], 400),
        (429, #"{"code":"challenge-limit","detail":"x"}"#, ["Retry-After": "7"], 429),
        (503, #"{"code":"outage","detail":"x"}"#, ["Retry-After": "7"], 503),
        (200, #"{"outcome":"accept"}"#, ["Date": "Fri, 27 Nov 2026 00:00:00 GMT"], 201),
    ]

    @Test(
        "Without an answer of Assay's there is no order, and the app learns when to try again", arguments: Shop.backends
    )
    func foreignAnswers(_ backend: Shop.Backend) async throws {
        let server = try await ScriptedServer()
        let received = Mutex<[ScriptedServer.Request]>([])
        let shop = try Shop(backend, asking: server.url, token: "assay-token")
        for (index, each) in Self.answers.enumerated() {
            server.respond { request in
                received.withLock { $0.append(request) }
                return .answer(each.status, each.body, fields: each.fields)
            }
            let answer = try shop.post("/orders", #"{"id":"\#(index)","item":"tea","count":1}"#)
            #expect(answer.status == each.given, "\(each): \(answer) \(shop.log)")
            #expect((answer["retry-after"] != nil) == [429, 503].contains(each.given), "\(each): \(answer)")
            for name in ["Retry-After", "Date"] {
                #expect(
                    each.fields[name] == nil || answer[name.lowercased()] == each.fields[name], "\(each): \(answer)")
            }
            #expect(answer.json["detail"] == nil && answer.json["order"] == nil || each.given == 201, "\(answer)")
        }
        // The session's secret stays in the shop, and the shop's token is in its field alone.
        for request in received.withLock({ $0 }) {
            #expect(request.fields["authorization"] == "Bearer assay-token" && !request.text.contains("alices-session"))
            #expect(request.text.contains("alice") && !request.text.contains("assay-token"))
        }
        #expect(!shop.log.contains("assay-token"))
        try await server.close()
    }

    @Test("Bodies that are no record are refused without a question to Assay", arguments: Shop.backends)
    func unreadable(_ backend: Shop.Backend) throws {
        // Nothing listens on port 1.
        let shop = try Shop(backend, asking: "http://127.0.0.1:1")
        for path in ["/challenges", "/enrolments", "/tokens"] {
            for body in ["", "{", "null", "[]", "{}", #"{"kind":[]}"#, #"{"kind":"approov.token","evidence":{}}"#] {
                let answer = try shop.post(path, body)
                #expect([400, 422].contains(answer.status), "\(path) \(body): \(answer)")
            }
        }
        #expect(try shop.post("/nothing", "{}").status == 404)
    }

    @Test("Each backend has fewer than 120 lines", arguments: ["orders.py", "orders.mjs"])
    func length(_ file: String) throws {
        let text = try String(contentsOf: Shop.examples.appendingPathComponent(file), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count < 120)
    }
}
