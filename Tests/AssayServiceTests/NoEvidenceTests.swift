import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Devices without evidence over HTTP: verdicts, forward auth and tokens say that nothing was proved.
@Suite("Devices without evidence, over HTTP", .timeLimit(.minutes(20)))
struct NoEvidenceTests {
    private static let statement = #"none;reason=unsupported;code="dc:1";app-version="5.1.0";system-version="13.7""#
    private static let evidence =
        #"{"reason":"unsupported","code":"dc:1","appVersion":"5.1.0","systemVersion":"13.7"}"#
    private static let section =
        #"noEvidence: { reasons: [unsupported], maximumSystemVersion: "15.99", plausibleShare: 2% }"#

    /// Starts a service whose app `bank` accepts devices without evidence, on the route `lax`.
    private static func start(_ tokens: String = "noEvidence: allow, key: optional") throws -> RunningService {
        let settings = [
            "masterKey=file:master.key", "authorize.dialect=nginx", "authorize.peers=127.0.0.1",
            "authorize.origins=https://api.example.com",
        ]
        let service = try RunningService(settings) { folder in
            try folder.write("master.key", String(repeating: "5a", count: 32))
            try #require(chmod(folder.path("master.key"), 0o600) == 0)
            try folder.write(
                "policy.yaml",
                folder.read("policy.yaml") + """
                        \(section)
                        tokens: { issuer: \(TokenTests.issuer), audiences: [\(TokenTests.audience)], \(tokens) }
                    routes:
                      - { name: lax, require: any, evidence: [{ app: bank, kind: assay.token }, { app: bank, kind: none }] }

                    """)
        }
        try service.waitUntil("keys made") { service.entries("token key made").count == 2 }
        return service
    }

    private static func record(_ evidence: String = evidence, more: String = "") -> String {
        #"{"kind":"none","app":"bank"\#(more),"evidence":\#(evidence)}"#
    }

    private static func authorize(
        _ service: RunningService, _ route: String = "lax", _ fields: String...
    ) throws -> HTTPAnswer {
        try service.send(
            "GET", "/v1/authorize/\(route)", type: nil,
            fields: [
                "X-Original-Method: GET", "X-Original-URI: /orders", "X-Original-Host: api.example.com",
            ] + fields)
    }

    @Test("A record is judged by the policy, and counted by app, kind, check and code")
    func verdicts() throws {
        let service = try Self.start()
        let accepted = try service.send("POST", "/v1/verify", body: Self.record(more: #","account":"alice""#))
        #expect(accepted.status == 200 && accepted.json["outcome"] as? String == "accept", "\(accepted)")
        #expect(accepted.json["annotated"] as? [String] == ["none.evidence"])
        let current = try service.send(
            "POST", "/v1/verify", body: Self.record(#"{"reason":"unsupported","systemVersion":"26.0"}"#))
        #expect(current.json["failed"] as? [String] == ["none.system-version"], "\(current)")
        #expect(current.json["remedy"] as? String == "new-attestation")
        let hostile = try service.send(
            "POST", "/v1/verify",
            body: Self.record(#"{"reason":"unsupported\r\nX: y","code":"\u001b[2J","appVersion":"1\n{\"a\":1}"}"#))
        #expect(hostile.json["failed"] as? [String] == ["none.decode"], "\(hostile)")
        let unknown = try service.send(
            "POST", "/v1/verify", body: #"{"kind":"none","app":"shop","evidence":{"reason":"failed"}}"#)
        #expect(unknown.json["code"] as? String == "unknown-app", "\(unknown)")
        let challenge = try service.send("POST", "/v1/challenges", body: #"{"app":"bank","kind":"none"}"#)
        #expect(challenge.status >= 400 && challenge.status < 500, "\(challenge)")
        let metrics = try service.send("GET", "/metrics", type: nil, unix: service.folder.path("admin.sock")).body
        for line in [
            #"assay_verdicts_total{app="bank",kind="none",outcome="accept"} 1"#,
            #"assay_verdicts_total{app="bank",kind="none",outcome="reject"} 2"#,
            #"assay_checks_total{app="bank",check="none.evidence",status="annotated",code="no-evidence"} 2"#,
            #"assay_checks_total{app="bank",check="none.system-version",status="failed",code="system-version-too-high"} 1"#,
            #"assay_no_evidence_plausible_share{app="bank"} 0.02"#,
            #"assay_no_evidence_plausible_share{app="shop"} 0.0"#,
        ] { #expect(metrics.contains(line + "\n"), "\(line)") }
        for line in service.logText.split(separator: "\n") {
            #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)")
        }
        #expect(!service.logText.contains("\u{1B}"))
    }

    @Test("Forward auth passes a statement on a route that names it, marked, and on no other")
    func forwardAuth() throws {
        let service = try Self.start()
        let passed = try Self.authorize(service, "lax", "Assay-Evidence: \(Self.statement)")
        #expect(passed.status == 200, "\(passed)")
        #expect(
            passed["assay-outcome"] == "accept" && passed["assay-kind"] == "none"
                && passed["assay-annotated"] == "none.evidence" && passed["assay-subject"] == ""
                && passed["assay-account"] == "", "\(passed)")
        for name in ForwardAuthTests.identity { #expect(passed.names.count { $0 == name } == 1, "\(name)") }
        let refused: [[String]] = [
            [], ["Assay-Evidence: none"], ["Assay-Evidence: none;reason=failed"],
            ["Assay-Evidence: \(Self.statement)", "Assay-Evidence: \(Self.statement)"],
            ["Assay-Evidence: \(Self.statement)", "Signature: assay=:AA==:"],
            ["Assay-Evidence: \(Self.statement)", "Authorization: DPoP x"],
        ]
        for fields in refused {
            let answer = try service.send(
                "GET", "/v1/authorize/lax", type: nil,
                fields: [
                    "X-Original-Method: GET", "X-Original-URI: /orders", "X-Original-Host: api.example.com",
                ] + fields)
            #expect([401, 403].contains(answer.status), "\(fields): \(answer)")
        }
        // An app's name stands for its evidence.
        #expect(try Self.authorize(service, "bank", "Assay-Evidence: \(Self.statement)").status == 401)
        #expect(try Self.authorize(service, "shop", "Assay-Evidence: \(Self.statement)").status != 200)
    }

    @Test("A token says `env: none`, forward auth notes it, and a policy that does not allow it gives and takes none")
    func tokens() throws {
        func ask(_ service: RunningService) throws -> HTTPAnswer {
            try service.send(
                "POST", "/v1/tokens",
                body: #"{"record":\#(Self.record()),"challenge":"","audience":"\#(TokenTests.audience)"}"#)
        }
        let service = try Self.start()
        let issued = try ask(service)
        let token = try #require(issued.json["token"] as? String, "\(issued)")
        let payload = try Base64.decode(Array(token.split(separator: ".")[1].utf8)[...], .url)
        let claims = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        #expect(claims["env"] as? String == "none" && claims["sub"] == nil && claims["ref"] == nil)
        #expect((claims["att"] as? [String: Any])?["annotated"] as? [String] == ["none.evidence"])
        let passed = try Self.authorize(service, "lax", "Authorization: Bearer \(token)")
        #expect(
            passed.status == 200 && passed["assay-kind"] == "assay.token"
                && passed["assay-annotated"] == "assay.token.claims", "\(passed)")
        // The note of a statement does not rescue a token that is refused.
        let changed = try Self.authorize(
            service, "lax", "Authorization: Bearer \(token.withOtherLetter)", "Assay-Evidence: \(Self.statement)")
        #expect(changed.status == 401, "\(changed)")

        let strict = try Self.start("key: optional")
        let refused = try ask(strict)
        #expect(refused.status == 422 && refused.json["code"] as? String == "not-exchangeable", "\(refused)")
    }
}
