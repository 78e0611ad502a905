import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Endpoints of the service", .timeLimit(.minutes(30)))
struct EndpointTests {
    @Test("A verdict is byte for byte the one that assay verify --json prints, but for the time of judgement")
    func verdicts() throws {
        let service = try RunningService()
        let lines = try [
            Evidence.attestation("a"), Evidence.assertion("b", counter: 1), Evidence.assertion("c", counter: 1),
            Evidence.attestation("a again"),
        ]
        func timeless(_ text: String) -> String { text.replacing(#/[0-9-]{10}T[0-9:.]+Z/#, with: "TIME") }
        var answers = ""
        for line in lines {
            let answer = try service.send("POST", "/v1/verify", body: line)
            #expect(answer.status == 200 && answer.fields["content-type"] == "application/json", "\(answer)")
            #expect(answer.fields["cache-control"] == "no-store")
            answers += answer.body
        }
        try service.folder.write("records.ndjson", lines.joined(separator: "\n"))
        let printed = try service.assay(
            "verify", "--json", "--policy", service.folder.path("policy.yaml"), service.folder.path("records.ndjson"))
        #expect(printed.status == 1)
        #expect(timeless(answers) == timeless(printed.output))
        #expect(
            answers.split(separator: "\n").map { $0.contains(#""outcome":"accept""#) } == [true, true, false, false])
        try service.waitUntil("logged") { service.entries("request").count == 4 }
        let entry = try #require(service.entries("request").last)
        #expect(entry["assay.outcome"] as? String == "reject" && entry["assay.app"] as? String == "shop")
        #expect(entry["assay.failed"] as? [String] == ["app-attest.attestation.enrolment"])
        #expect(!service.logText.contains("attestation\":\""))
    }

    @Test("A stream is judged in order, line by line, and what cannot be read is a problem in its place")
    func stream() throws {
        let service = try RunningService()
        let lines = try [
            Evidence.attestation("a"), "{}", "", Evidence.assertion("b", counter: 5), "nonsense",
            #"{"id":"u","kind":"no.such","evidence":{}}"#, Evidence.assertion("c", counter: 6),
            #"{"id":"d","kind":"app-attest.assertion"}"#, #"{"id":7}"#,
        ]
        let answer = try service.send(
            "POST", "/v1/verify", type: "application/x-ndjson; charset=utf-8", body: lines.joined(separator: "\n"))
        #expect(answer.status == 200 && answer.fields["content-type"] == "application/x-ndjson")
        let objects = answer.body.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(objects.map { $0["id"] as? String } == ["a", nil, "b", nil, "u", "c", "d", nil], "\(answer.body)")
        #expect(objects.map { $0["outcome"] as? String } == ["accept", nil, "accept", nil, nil, "accept", nil, nil])
        let codes = objects.map { ($0["problem"] as? [String: Any])?["code"] as? String }
        let unreadable = "unreadable-record"
        #expect(codes == [nil, unreadable, nil, unreadable, "unknown-kind", nil, unreadable, unreadable])
    }

    @Test("A long stream whose answer is read slowly takes little memory")
    func longStream() throws {
        let service = try RunningService("logLevel=info")
        _ = try service.send("POST", "/v1/verify", body: Evidence.attestation("a"))
        let before = service.peakMemory
        let line = try Evidence.assertion("x", counter: 1) + "\n"
        let count = 30_000
        let connection = try service.connect()
        connection.write(
            "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\n"
                + "Content-Length: \(line.utf8.count * count)\r\n\r\n")
        let writer = Thread {
            let part = String(repeating: line, count: 100)
            for _ in 0..<count / 100 { connection.write(part) }
        }
        writer.start()
        var verdicts = 0
        while let bytes = connection.read() { verdicts += bytes.count { $0 == 0x0A } }
        // The chunks of the answer have line ends of their own.
        #expect(verdicts >= count)
        #expect(service.peakMemory - before < 48, "\(before) MiB, then \(service.peakMemory)")
    }

    @Test("Challenges for attestations beyond the limit of an app get 429 with a remedy and a time; others are issued")
    func challengeLimit() throws {
        let service = try RunningService("limits.challenges=1")
        func issue(_ kind: String) throws -> HTTPAnswer {
            try service.send("POST", "/v1/challenges", body: #"{"app":"bank","kind":"\#(kind)"}"#)
        }
        // One challenge a second: of so many in a row, one is refused on any machine.
        var refused: HTTPAnswer?
        for _ in 0..<1000 where refused == nil {
            let answer = try issue("app-attest.attestation")
            if answer.status == 201 { continue }
            refused = answer
        }
        let answer = try #require(refused)
        #expect(answer.status == 429 && answer.json["code"] as? String == "challenge-limit", "\(answer)")
        #expect(answer.json["remedy"] as? String == "retry")
        #expect(answer.fields["retry-after"].flatMap { Int($0) }.map { (1...300).contains($0) } == true)
        #expect(try issue("app-attest.assertion").status == 201)
    }

    @Test("A challenge is issued, used once, and refused for what the policy leaves to the caller")
    func challenges() throws {
        let service = try RunningService()
        func issue(_ app: String, _ kind: String = "app-attest.attestation") throws -> HTTPAnswer {
            try service.send("POST", "/v1/challenges", body: #"{"app":"\#(app)","kind":"\#(kind)"}"#)
        }
        let issued = try issue("bank")
        #expect(issued.status == 201, "\(issued)")
        let challenge = try #require(issued.json["challenge"] as? String)
        #expect(challenge.utf8.count == 44 && issued.json["expiresAt"] is String)
        let record = try Evidence.attestation("a", app: "bank", challenge: Array(challenge.utf8))
        #expect(try service.send("POST", "/v1/verify", body: record).json["outcome"] as? String == "accept")
        let again = try service.send("POST", "/v1/verify", body: record)
        #expect(
            (again.json["failed"] as? [String])?.first == "app-attest.attestation.challenge", "\(again)")
        for (app, kind, code) in [
            ("shop", "app-attest.attestation", "challenges-of-caller"),
            ("nobody", "app-attest.attestation", "unknown-app"),
            ("bank", "play-integrity.classic", "unknown-app"), ("bank", "approov.token", "unknown-kind"),
        ] {
            let refused = try issue(app, kind)
            #expect(refused.status == 422 && refused.json["code"] as? String == code, "\(refused)")
        }
    }

    @Test("Blobs are inspected, and checks and codes explained, as the command line does")
    func explained() throws {
        let service = try RunningService()
        let inspected = try service.send("POST", "/v1/inspect", type: nil, body: Evidence.attestation("a"))
        #expect(inspected.status == 200 && inspected.json["format"] as? String != nil, "\(inspected)")
        // A list of empty arrays takes the most memory of all.
        let wide = "[" + String(repeating: "[],", count: 100_000) + "1]"
        #expect(try service.send("POST", "/v1/inspect", type: nil, body: wide).status == 413)
        let printed = try service.assay("explain", "app-attest.attestation.nonce", "--json").output
        let check = try service.send("GET", "/v1/checks/app-attest.attestation.nonce", type: nil)
        #expect(check.status == 200 && check.body == "[\(printed.dropLast())]\n")
        #expect(try service.send("GET", "/v1/checks/challenge-expired", type: nil).status == 200)
        for code in ["answer-lost", "status-list-missing", "undetermined", "refused-request"] {
            let outage = try service.send("GET", "/v1/checks/\(code)", type: nil)
            let explained = try service.assay("explain", code, "--json")
            #expect(
                outage.status == 200 && explained.status == 0 && outage.body == "[\(explained.output.dropLast())]\n")
        }
        let problem = try service.assay("explain", "outage")
        #expect(problem.status == 0 && problem.output.contains("never count it as an acceptance"), "\(problem)")
        #expect(
            try service.assay("explain", "token-required", "--json").output.contains(#""problem":"token-required""#))
        let all = try service.send("GET", "/v1/checks", type: nil)
        #expect(all.body.contains(String(printed.dropLast())))
        let unknown = try service.send("GET", "/v1/checks/app-attest.attestation.nonse", type: nil)
        #expect(unknown.status == 404 && (unknown.json["detail"] as? String ?? "").contains("did you mean"))
    }

    /// A request, and the status and code of its problem.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var type: String? = "application/json"
        var body = ""
        let status: Int
        let code: String
        var words = ""
        var testDescription: String { "\(method) \(path) \(type ?? "-") \(body.prefix(40)): \(status)" }
    }

    static let mistakes = [
        Mistake(method: "GET", path: "/", status: 404, code: "not-found"),
        Mistake(method: "GET", path: "/v1/verify/", status: 404, code: "not-found"),
        Mistake(method: "GET", path: "//v1/checks", status: 404, code: "not-found"),
        Mistake(method: "GET", path: "/v1/%63hecks", status: 404, code: "not-found"),
        Mistake(method: "GET", path: "/v1/checks/a/b", status: 404, code: "not-found"),
        Mistake(method: "GET", path: "/livez", status: 404, code: "not-found"),
        Mistake(method: "GET", path: "/v1/verify", status: 405, code: "method-not-allowed", words: "POST"),
        Mistake(method: "DELETE", path: "/v1/checks", status: 405, code: "method-not-allowed", words: "GET"),
        Mistake(method: "POST", path: "/v1/verify", type: nil, body: "{}", status: 415, code: "media-type"),
        Mistake(method: "POST", path: "/v1/verify", type: "text/json", body: "{}", status: 415, code: "media-type"),
        Mistake(method: "POST", path: "/v1/challenges", type: "text/plain", status: 415, code: "media-type"),
        Mistake(method: "POST", path: "/v1/verify", status: 400, code: "unreadable-record"),
        Mistake(method: "POST", path: "/v1/verify", body: "{", status: 400, code: "unreadable-record"),
        Mistake(method: "POST", path: "/v1/verify", body: "[]", status: 400, code: "unreadable-record"),
        Mistake(method: "POST", path: "/v1/verify", body: "\u{FEFF}{}", status: 400, code: "unreadable-record"),
        Mistake(
            method: "POST", path: "/v1/verify", body: #"{"kind":"app-attest.attestation","evidence":{},"x":1}"#,
            status: 400,
            code: "unreadable-record"),
        Mistake(
            method: "POST", path: "/v1/verify", body: #"{"kind":"app-attest.attestation","kind":"","evidence":{}}"#,
            status: 400, code: "unreadable-record"),
        Mistake(
            method: "POST", path: "/v1/verify", body: #"{"kind":"app-attest.attestation","evidence":{}}"#, status: 400,
            code: "unreadable-record", words: "missing"),
        Mistake(
            method: "POST", path: "/v1/verify", body: #"{"kind":"no.such","evidence":{}}"#, status: 422,
            code: "unknown-kind"),
        Mistake(
            method: "POST", path: "/v1/verify",
            body: #"{"kind":"approov.token","app":"shop","evidence":{"token":"x"}}"#, status: 422, code: "unknown-app"),
        Mistake(
            method: "POST", path: "/v1/verify", body: String(repeating: "[", count: 100_000), status: 400,
            code: "unreadable-record"),
        Mistake(
            method: "POST", path: "/v1/challenges", body: #"{"app":"bank"}"#, status: 400, code: "unreadable-request"),
        Mistake(
            method: "POST", path: "/v1/challenges", body: #"{"app":"bank","kind":"x","y":1}"#, status: 400,
            code: "unreadable-request"),
        Mistake(
            method: "POST", path: "/v1/challenges", body: String(repeating: " ", count: 5000), status: 413,
            code: "body-too-long"),
    ]

    @Test("Wrong requests are answered with problems that say what is wrong and what is allowed")
    func mistake() throws {
        let service = try RunningService()
        for each in Self.mistakes {
            let answer = try service.send(each.method, each.path, type: each.type, body: each.body)
            #expect(answer.status == each.status, "\(each) \(answer)")
            #expect(answer.fields["content-type"] == "application/problem+json", "\(each)")
            #expect(answer.json["code"] as? String == each.code, "\(each) \(answer)")
            #expect(answer.json["status"] as? Int == each.status)
            #expect(answer.json["type"] as? String == "urn:assay:problem:\(each.code)")
            let detail = answer.json["detail"] as? String ?? ""
            #expect(!detail.isEmpty && (each.words.isEmpty || detail.contains(each.words)), "\(each) \(answer)")
            #expect(each.status != 405 || answer.fields["allow"] == each.words)
        }
    }

    @Test("The document lists every endpoint of the public listener and no other, and is valid OpenAPI 3.1")
    func openAPI() throws {
        let service = try RunningService("limits.body=77KiB")
        let answer = try service.send("GET", "/openapi.json", type: nil)
        #expect(answer.json["openapi"] as? String == "3.1.0")
        let paths = try #require(answer.json["paths"] as? [String: [String: Any]])
        #expect(
            paths.keys.sorted() == [
                "/.well-known/jwks.json", "/.well-known/openid-configuration", "/openapi.json", "/v1/challenges",
                "/v1/checks", "/v1/checks/{name}", "/v1/inspect", "/v1/measurements", "/v1/secrets", "/v1/tokens",
                "/v1/tokens/debug", "/v1/verify",
            ])
        for (path, methods) in paths {
            for method in methods.keys {
                let concrete = path.replacingOccurrences(of: "{name}", with: "no-such-check")
                let found = try service.send(method.uppercased(), concrete, body: "{}")
                #expect(
                    ![405].contains(found.status) && found.json["code"] as? String != "not-found", "\(method) \(path)")
                let responses = (methods[method] as? [String: Any])?["responses"] as? [String: Any]
                #expect(responses?["\(found.status)"] != nil, "\(method) \(path): \(found.status) is not declared")
            }
        }
        // The limits.
        for text in ["\(77 << 10) bytes", "10000 connections", "idle for at most 60.0 s", "Retry-After is 5 s"] {
            #expect(answer.body.contains(text), "\(text)")
        }
        guard let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"], !python.isEmpty else { return }
        try service.folder.write("openapi.json", answer.body)
        #expect(try service.folder.shell("'\(python)' -m openapi_spec_validator openapi.json") == 0)
    }
}
