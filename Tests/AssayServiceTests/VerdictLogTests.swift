import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The log lines of verdicts have the same fields, whoever asked for the verdict.
@Suite("Log lines of verdicts", .timeLimit(.minutes(20)))
struct VerdictLogTests {
    private static let keyID = Base64.encode(Evidence.key.keyID, .standard)

    /// The record with an account.
    private static func record(_ record: String, of account: String) -> String {
        #"{"account":"\#(account)",\#(record.dropFirst())"#
    }

    private static func check(
        _ entry: [String: Any], _ level: String, app: String = "shop", kind: String, outcome: String,
        failed: [String]? = nil, codes: [String]? = nil, keyID: String? = keyID, id: String? = nil
    ) {
        #expect(entry["level"] as? String == level, "\(entry)")
        #expect(entry["assay.app"] as? String == app && entry["assay.kind"] as? String == kind, "\(entry)")
        #expect(entry["assay.outcome"] as? String == outcome, "\(entry)")
        #expect(entry["assay.failed"] as? [String] == failed && entry["assay.codes"] as? [String] == codes, "\(entry)")
        #expect(entry["assay.keyId"] as? String == keyID && entry["assay.recordId"] as? String == id, "\(entry)")
        #expect((entry["assay.problem"] != nil) == (failed != nil), "\(entry)")
    }

    @Test(
        "A record and a record of a stream: outcome, codes, key, name, and the account as the policy says",
        arguments: ["keep", "hash", "drop"])
    func records(_ rule: String) throws {
        let service = try RunningService(prepare: { folder in
            try folder.write("policy.yaml", "log: { account: \(rule) }\n" + folder.read("policy.yaml"))
        })
        for id in ["a", "again"] {
            let record = Self.record(try Evidence.attestation(id), of: "alice")
            #expect(try service.send("POST", "/v1/verify", body: record).status == 200)
        }
        let lines = try [
            Evidence.assertion("b", counter: 1), Evidence.assertion("c", counter: 1),
            #"{"id":"u","kind":7,"evidence":{}}"#, #"{"id":"x","kind":"no.such","evidence":{}}"#,
        ]
        let answer = try service.send(
            "POST", "/v1/verify", type: "application/x-ndjson", body: lines.joined(separator: "\n"))
        #expect(answer.status == 200)
        try service.waitUntil("logged") {
            service.entries("request").count == 3 && service.entries("record").count == 4
        }
        let (requests, records) = (service.entries("request"), service.entries("record"))
        let attestation = "app-attest.attestation"
        Self.check(requests[0], "debug", kind: attestation, outcome: "accept", id: "a")
        Self.check(
            requests[1], "info", kind: attestation, outcome: "reject", failed: ["app-attest.attestation.enrolment"],
            codes: ["key-enrolled"], id: "again")
        Self.check(records[0], "debug", kind: "app-attest.assertion", outcome: "accept", id: "b")
        Self.check(
            records[1], "info", kind: "app-attest.assertion", outcome: "reject",
            failed: ["app-attest.assertion.counter"], codes: ["counter-not-increasing"], id: "c")
        #expect(records.allSatisfy { $0["assay.requestId"] as? String == requests[2]["assay.requestId"] as? String })

        let unreadable = records[2]
        #expect(unreadable["assay.code"] as? String == "unreadable-record", "\(unreadable)")
        #expect(unreadable["assay.field"] as? String == "kind" && unreadable["assay.recordId"] as? String == "u")
        #expect(unreadable["assay.offset"] as? Int == 17 && unreadable["level"] as? String == "info", "\(unreadable)")
        #expect(records[3]["assay.code"] as? String == "unknown-kind", "\(records[3])")
        #expect(records[3]["assay.recordId"] as? String == "x" && records[3]["assay.field"] == nil)

        let accounts = (requests.prefix(2) + records.prefix(2)).map { $0["assay.account"] as? String }
        switch rule {
        case "keep": #expect(accounts == ["alice", "alice", "alice", "alice"])
        case "drop": #expect(accounts == [nil, nil, nil, nil])
        default: #expect(Set(accounts).count == 1 && accounts[0]?.hasPrefix("hmac-sha256:") == true, "\(accounts)")
        }
        #expect(service.logText.contains("alice") == (rule == "keep"))
    }

    @Test("Acceptances are not logged above debug level; rejections are")
    func levels() throws {
        let service = try RunningService("logLevel=info")
        let lines = try [Evidence.attestation("a"), Evidence.attestation("again")]
        for line in lines { #expect(try service.send("POST", "/v1/verify", body: line).status == 200) }
        let stream = lines.map { $0.replacingOccurrences(of: #""id":"a""#, with: #""id":"third""#) } + ["{"]
        _ = try service.send(
            "POST", "/v1/verify", type: "application/x-ndjson", body: stream.joined(separator: "\n"))
        try service.waitUntil("logged") {
            service.entries("request").count == 1 && service.entries("record").count == 3
        }
        #expect(service.entries("request").map { $0["assay.recordId"] as? String } == ["again"])
        #expect(service.entries("record").map { $0["assay.recordId"] as? String } == ["third", "again", nil])
        #expect(service.entries("record")[2]["assay.offset"] is Int)
    }

    @Test("A request that cannot be read: the field, the byte, and the name of the record, as the answer has them")
    func unreadable() throws {
        let service = try RunningService()
        let bodies = [(#"{"id":"v","kind":7}"#, "kind"), (#"{"id":"v","kind":"none"}"#, "evidence"), ("[", nil)]
        for (number, (body, field)) in bodies.enumerated() {
            let answer = try service.send("POST", "/v1/verify", body: body)
            #expect(answer.status == 400 && answer.json["field"] as? String == field, "\(answer)")
            try service.waitUntil("logged") { service.entries("request").count == number + 1 }
            let entry = try #require(service.entries("request").last)
            #expect(entry["assay.field"] as? String == field, "\(entry)")
            #expect(entry["assay.offset"] as? Int == answer.json["offset"] as? Int && entry["assay.offset"] is Int)
            #expect(entry["assay.recordId"] as? String == (field == nil ? nil : "v"), "\(entry)")
        }
    }

    @Test("Evidence for a token: accepted, and rejected")
    func tokens() throws {
        let service = try TokenTests.start()
        #expect(try TokenTests.issue(service, "phone").status == 201)
        #expect(try TokenTests.issue(service, "forged", isForged: true).status == 403)
        try service.waitUntil("logged") {
            service.entries("request").count { $0["url.path"] as? String == "/v1/tokens" } == 2
        }
        let entries = service.entries("request").filter { $0["url.path"] as? String == "/v1/tokens" }
        let keyID = Base64.encode(AttestedKey(seed: "assay service", label: "phone").keyID, .standard)
        let kind = "app-attest.attestation"
        Self.check(entries[0], "debug", app: "bank", kind: kind, outcome: "accept", keyID: keyID, id: "phone")
        let rejected = entries[1]
        #expect(rejected["level"] as? String == "info" && rejected["assay.kind"] as? String == kind, "\(rejected)")
        #expect(rejected["assay.outcome"] as? String == "reject" && rejected["assay.recordId"] as? String == "forged")
        let (failed, codes) = (rejected["assay.failed"] as? [String] ?? [], rejected["assay.codes"] as? [String] ?? [])
        #expect(!failed.isEmpty && failed.count == codes.count && !codes.contains(""), "\(rejected)")
    }

    @Test("A request of forward auth: accepted, and rejected; the account of its key is a pseudonym")
    func forwardAuth() throws {
        let service = try GuardedService.start("nginx")
        try GuardedService.enrol(service)
        let fields =
            try [
                "X-Original-Method: GET", "X-Original-URI: /orders", "X-Original-Host: api.example.com",
                "X-Original-Body: none",
            ] + GuardedService.signed("GET", "/orders", counter: 1)
        for status in [200, 401] {
            let answer = try service.send("GET", "/v1/authorize/shop", type: nil, fields: fields)
            #expect(answer.status == status, "\(answer)")
        }
        try service.waitUntil("logged") { service.entries("request").count == 2 }
        let entries = service.entries("request")
        Self.check(entries[0], "debug", kind: "app-attest.request", outcome: "accept")
        Self.check(
            entries[1], "info", kind: "app-attest.request", outcome: "reject",
            failed: ["app-attest.assertion.counter"], codes: ["counter-not-increasing"])
        let accounts = entries.map { $0["assay.account"] as? String }
        #expect(accounts[0]?.hasPrefix("hmac-sha256:") == true && accounts[0] == accounts[1], "\(accounts)")
        #expect(!service.logText.contains("alice"))
    }

    @Test("Line ends, quotes and escapes of a client break no line of the log and none of the metrics")
    func hostile() throws {
        let service = try RunningService(prepare: { folder in
            let more = "  - name: old\n    noEvidence: { reasons: [unsupported] }\nmetrics: { by: [code] }\n"
            try folder.write("policy.yaml", "log: { account: keep }\n" + folder.read("policy.yaml") + more)
        })
        let escaped = #"\n\u001b[2J\"x\\"#
        let evidence = #"{"reason":"unsupported","code":"\"} 1 \\n"}"#
        let records = [
            #"{"id":"\#(escaped)","account":"\#(escaped)","kind":"none","app":"old","property":"beta","evidence":\#(evidence)}"#,
            #"{"id":"\#(escaped)","kind":"none","app":"\#(escaped)","evidence":{}}"#,
            #"{"id":"\#(escaped)","kind":"\#(escaped)","evidence":{}}"#, #"{"\#(escaped)":1,"kind":"none"}"#,
        ]
        for record in records { _ = try service.send("POST", "/v1/verify", body: record) }
        _ = try service.send(
            "POST", "/v1/verify", type: "application/x-ndjson", body: records.joined(separator: "\n"))
        try service.waitUntil("logged") {
            service.entries("request").count == 5 && service.entries("record").count == 4
        }
        for line in service.logText.split(separator: "\n") {
            #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)")
        }
        let values = (service.entries("request") + service.entries("record")).flatMap(\.values)
        for text in values.compactMap({ $0 as? String }) {
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(text)")
        }
        #expect(service.entries("request").first?["assay.account"] as? String == #"\n\u{1B}[2J"x\"#)
        #expect(service.entries("request").first?["assay.property"] as? String == "beta")
        let metrics = try service.send("GET", "/metrics", type: nil, unix: service.folder.path("admin.sock")).body
        // The engine refuses such a code, so that it is no fact.
        #expect(metrics.contains(#"assay_verdicts_total{app="old",kind="none",outcome="reject"} 2"#))
        #expect(!metrics.contains("assay_verdict_facts_total{"))
    }
}
