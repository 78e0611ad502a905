import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Tokens over HTTP: from the challenge to a backend that checks the token by itself.
@Suite("Tokens", .timeLimit(.minutes(30)))
struct TokenTests {
    static let issuer = "https://attest.example.com"
    static let audience = "https://api.example.com"
    static let client = TestKey(.p256, seed: "assay service", label: "dpop")
    static let pay = "https://pay.example.com"
    private static let thumbprint = JWKThumbprint.p256(client.publicPoint)

    /// Starts a service whose app `bank` has tokens, and waits until their keys are made.
    static func start(_ tokens: String = "testAuthorities: allow") throws -> RunningService {
        let settings = [
            "masterKey=file:master.key", "authorize.dialect=nginx", "authorize.peers=127.0.0.1",
            "authorize.origins=https://api.example.com",
        ]
        let service = try RunningService(settings) { folder in
            try folder.write("master.key", String(repeating: "5a", count: 32))
            try #require(chmod(folder.path("master.key"), 0o600) == 0)
            let text = try String(contentsOfFile: folder.path("policy.yaml"), encoding: .utf8)
            try folder.write(
                "policy.yaml",
                text + "    tokens: { issuer: \(issuer), audiences: [\(audience), \(pay)], \(tokens) }\n")
        }
        try service.waitUntil("keys made") { service.entries("token key made").count == 2 }
        return service
    }

    /// Asks for a challenge, attests, and asks for a token.
    static func issue(
        _ service: RunningService, _ label: String, jkt: String? = thumbprint, isForged: Bool = false,
        covering audiences: String = audience, for asked: String = #""audience":"\#(audience)""#, _ more: String = ""
    ) throws -> HTTPAnswer {
        let issued = try service.send(
            "POST", "/v1/challenges", body: #"{"app":"bank","kind":"app-attest.attestation"}"#)
        let challenge = try #require(issued.json["challenge"] as? String, "\(issued)")
        let derived = Digest.sha256(Array("assay-token\n\(challenge)\n\(audiences)\n\(jkt ?? "")\n".utf8))
        let key = AttestedKey(seed: "assay service", label: label)
        var record = try Evidence.attestation(label, app: "bank", challenge: derived, key: key)
        if isForged { record = record.replacingOccurrences(of: #""attestation":"o2N"#, with: #""attestation":"o2O"#) }
        let binding = jkt.map { #","jkt":"\#($0)""# } ?? ""
        return try service.send(
            "POST", "/v1/tokens",
            body: #"{"record":\#(record),"challenge":"\#(challenge)",\#(asked)\#(binding)\#(more)}"#)
    }

    /// A proof of `GET` on a path of the API.
    static func proof(
        _ token: String, id: String, target: String = "/orders", nonce: String? = nil, key: TestKey = client
    ) throws -> String {
        var claims: JSONItem = [
            "jti": .text(id), "htm": "GET", "htu": .text("https://api.example.com\(target)"),
            "iat": .integer(Int64(Date().timeIntervalSince1970)),
            "ath": .text(Base64.encode(Digest.sha256(Array(token.utf8)), .url)),
        ]
        claims["nonce"] = nonce.map { .text($0) }
        var proof = JWSBlueprint(payload: claims.encoded, signer: .es256(key))
        proof.header["typ"] = "dpop+jwt"
        proof.header["jwk"] = AssayTokenBlueprint.jwk(key)
        return try proof.mint()
    }

    private static func authorize(_ service: RunningService, _ fields: String...) throws -> HTTPAnswer {
        try service.send(
            "GET", "/v1/authorize/bank", type: nil,
            fields: [
                "X-Original-Method: GET", "X-Original-URI: /orders?page=2", "X-Original-Host: api.example.com",
            ] + fields)
    }

    @Test("evidence is exchanged for a token, which forward auth accepts once for each proof")
    func exchange() throws {
        let service = try Self.start()
        let answer = try Self.issue(service, "phone")
        #expect(answer.status == 201 && answer["cache-control"] == "no-store", "\(answer)")
        #expect(answer.json["tokenType"] as? String == "DPoP" && answer.json["expiresIn"] as? Int == 300)
        let token = try #require(answer.json["token"] as? String)

        let proof = try Self.proof(token, id: "1")
        let passed = try Self.authorize(service, "Authorization: DPoP \(token)", "DPoP: \(proof)")
        #expect(passed.status == 200 && passed["assay-kind"] == "assay.token", "\(passed)")
        #expect(passed["assay-subject"]?.isEmpty == false)
        for (fields, challenge) in [
            ([], #"DPoP algs="ES256""#),
            (["Authorization: DPoP \(token)", "DPoP: \(proof)"], #"DPoP algs="ES256", error="invalid_dpop_proof""#),
            (["Authorization: Bearer \(token)"], #"DPoP algs="ES256", error="invalid_dpop_proof""#),
            (
                ["Authorization: DPoP \(token)", "DPoP: \(try Self.proof(token, id: "2", target: "/admin"))"],
                #"DPoP algs="ES256", error="invalid_dpop_proof""#
            ),
            (
                ["Authorization: DPoP \(token.withOtherLetter)", "DPoP: \(proof)"],
                #"DPoP algs="ES256", error="invalid_token""#
            ),
        ] as [([String], String)] {
            let refused = try service.send(
                "GET", "/v1/authorize/bank", type: nil,
                fields: [
                    "X-Original-Method: GET", "X-Original-URI: /orders?page=2", "X-Original-Host: api.example.com",
                ] + fields)
            #expect(refused.status == 401 && refused["www-authenticate"] == challenge, "\(fields) \(refused)")
        }
        #expect(!service.logText.contains(token) && !service.logText.contains(proof))
    }

    @Test("a debug token gives a token and a line in the log, and none once it is taken from the policy")
    func debugToken() throws {
        let secret = "assay_debug_" + Base64.encode([UInt8](repeating: 7, count: 32), .url)
        let (from, until) = (Date().addingTimeInterval(-60), Date().addingTimeInterval(86_400))
        let entry = """
            { name: ci, sha256: "\(Digest.sha256(Array(secret.utf8)).hexadecimal)", from: \(RFC3339.format(from)), \
            until: \(RFC3339.format(until)) }
            """
        let service = try Self.start("testAuthorities: allow, debugTokens: [\(entry)]")
        func issue(_ secret: String = secret, _ more: String = "") throws -> HTTPAnswer {
            try service.send(
                "POST", "/v1/tokens/debug",
                body: """
                    {"app":"bank","debugToken":"\(secret)","audience":"\(Self.audience)","jkt":"\(Self.thumbprint)"\(more)}
                    """)
        }
        let answer = try issue()
        #expect(answer.status == 201 && answer["cache-control"] == "no-store", "\(answer)")
        let token = try #require(answer.json["token"] as? String)
        let proof = try Self.proof(token, id: "debug")
        let passed = try Self.authorize(service, "Authorization: DPoP \(token)", "DPoP: \(proof)")
        #expect(passed.status == 200 && passed["assay-subject"] == "debug-token:ci", "\(passed)")
        let uses = service.entries("request").filter { $0["url.path"] as? String == "/v1/tokens/debug" }
        let trail = try service.assay("audit", "list", "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))")
        #expect(trail.status == 0 && trail.output.contains("debug-token ci"), "\(trail)")
        let metrics = try service.send("GET", "/metrics", type: nil, unix: service.folder.path("admin.sock")).body
        #expect(metrics.contains("\nassay_debug_tokens_total{app=\"bank\",name=\"ci\"} 1\n"))
        #expect(
            uses.count == 1 && uses[0]["assay.debugToken"] as? String == "ci" && uses[0]["level"] as? String == "notice"
        )

        let unknown = try issue(secret.withOtherLetter)
        #expect(unknown.status == 422 && unknown.json["code"] as? String == "not-exchangeable", "\(unknown)")
        for more in [
            #","record":{}"#, #","limitedUse":"yes""#, #","app":"bank""#,
            #","x":"\#(String(repeating: "x", count: 5000))""#,
        ] {
            #expect([400, 413].contains(try issue(secret, more).status), "\(more.prefix(40))")
        }
        let policy = try String(contentsOfFile: service.folder.path("policy.yaml"), encoding: .utf8)
        try service.folder.write("policy.yaml", policy.replacingOccurrences(of: ", debugTokens: [\(entry)]", with: ""))
        try service.waitUntil("policy reloaded") { !service.entries("reloaded").isEmpty }
        #expect(try issue().status == 422)
        #expect(!service.logText.contains(secret) && !service.logText.contains(token))
    }

    @Test("a proof without the nonce of the server is refused with a nonce, and with it the request passes")
    func nonce() throws {
        let service = try Self.start("testAuthorities: allow, nonce: required")
        let token = try #require(try Self.issue(service, "phone").json["token"] as? String)
        let refused = try Self.authorize(
            service, "Authorization: DPoP \(token)", "DPoP: \(try Self.proof(token, id: "1"))")
        #expect(refused.status == 401, "\(refused)")
        #expect(refused["www-authenticate"] == #"DPoP algs="ES256", error="use_dpop_nonce""#)
        let nonce = try #require(refused["dpop-nonce"])
        let proof = try Self.proof(token, id: "2", nonce: nonce)
        let passed = try Self.authorize(service, "Authorization: DPoP \(token)", "DPoP: \(proof)")
        #expect(passed.status == 200, "\(passed)")
    }

    @Test("no token is issued for unbound or rejected evidence, or for unreadable requests")
    func refused() throws {
        let service = try Self.start()
        let rejected = try Self.issue(service, "forged", isForged: true)
        #expect(rejected.status == 403 && rejected.json["outcome"] as? String == "reject", "\(rejected)")
        #expect(rejected.json["remedy"] is String && rejected.json["token"] == nil)
        let bearer = try Self.issue(service, "bearer", jkt: nil)
        #expect(bearer.status == 422 && bearer.json["code"] as? String == "binding-required", "\(bearer)")
        for body in ["{}", "[]", #"{"record":{},"challenge":"","audience":""}"#, #"{"limitedUse":"yes"}"#] {
            let answer = try service.send("POST", "/v1/tokens", body: body)
            #expect(answer.status == 400 && answer.json["code"] as? String == "unreadable-request", "\(answer)")
        }
        let plain = try RunningService()
        #expect(try plain.send("GET", "/.well-known/jwks.json", type: nil).status == 404)
    }

    @Test("under refused: token, a wrong request has one answer with genuine and with rejected evidence")
    func decoys() throws {
        let service = try Self.start("testAuthorities: allow, key: optional, format: approov, refused: token")
        let file = try service.folder.write("account.b64", Base64.encode([UInt8](repeating: 3, count: 64), .standard))
        try #require(chmod(file, 0o600) == 0)
        let added = try service.run([
            "keys", "add", "account", "--use", "approov-issuer", "--secret", "file:\(file)", "--ledger",
            "sqlite:\(service.folder.path("ledger.sqlite"))", "--master-key",
            "file:\(service.folder.path("master.key"))",
        ])
        try #require(added.status == 0, "\(added)")
        // A server reads the store again within a second.
        var number = 0
        try service.waitUntil("the account's secret is read") {
            number += 1
            return (try? Self.issue(service, "wait \(number)", jkt: nil).status) == 201
        }
        let other = "https://other.example.com"
        for (name, status, audience, more) in [
            ("nothing", 201, Self.audience, ""), ("another audience", 422, other, ""),
            ("pay", 422, Self.audience, #","pay":"x""#),
            (
                "pay that is not covered", 201, Self.audience,
                #","pay":"\#(Base64.encode(Digest.sha256([]), .standard))""#
            ),
            ("an attestation result", 422, Self.audience, #","ear":true"#),
        ] {
            let answers = try [false, true].map {
                try Self.issue(
                    service, "\(name) \($0)", jkt: nil, isForged: $0, for: #""audience":"\#(audience)""#, more)
            }
            #expect(answers.map(\.status) == [status, status], "\(name): \(answers)")
            #expect(answers[0].json["code"] as? String == answers[1].json["code"] as? String, "\(name)")
            #expect(Set(answers[0].json.keys) == Set(answers[1].json.keys), "\(name)")
        }
        // The log has what the answer does not say.
        let unbound = service.entries("request").filter { $0["assay.code"] as? String == "evidence-not-bound" }
        #expect(unbound.count == 1 && unbound[0]["assay.outcome"] as? String == "reject", "\(unbound)")
        // Support reads the code that a user reports, with the key store of the ledger alone.
        let code = try #require(try Self.issue(service, "code", jkt: nil, isForged: true).json["arc"] as? String)
        try service.waitUntil("logged") { service.entries("request").contains { $0["assay.arc"] as? String == code } }
        let ledger = ["--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))"]
        let explained = try service.run(
            ["explain", code, "--master-key", "file:\(service.folder.path("master.key"))"] + ledger)
        #expect(explained.status == 0 && explained.output.contains("failed  app-attest.attestation."), "\(explained)")
        #expect(try service.run(["explain", code] + ledger).status == 64, "without the master key")
        let unknown = try service.run(
            ["explain", "AAAAAAAA", "--master-key", "file:\(service.folder.path("master.key"))"] + ledger)
        #expect(unknown.status == 1, "\(unknown)")
    }

    @Test("one piece of evidence gives a token for each of several audiences; what cannot be meant is named")
    func audiences() throws {
        let service = try Self.start("testAuthorities: allow, hourlyTokens: 1")
        let list = #""audiences":["\#(Self.audience)","\#(Self.pay)"]"#
        let both = "\(Self.audience) \(Self.pay)"
        func hour() -> Int { Int(Date().timeIntervalSince1970) / 3600 }
        let start = hour()
        let answer = try Self.issue(service, "both", covering: both, for: list)
        let limited = try Self.issue(service, "both", covering: both, for: list)
        // At the turn of an hour the key is refused as one that is enrolled.
        if hour() == start {
            #expect(limited.status == 429 && limited.json["code"] as? String == "token-limit", "\(limited)")
            #expect((1...3600).contains(Int(limited["retry-after"] ?? "") ?? 0), "\(limited)")
        }
        // A policy that is read again gives the device no further tokens.
        service.signal(SIGHUP)
        try service.waitUntil("reloaded") { !service.entries("reloaded").isEmpty }
        let reloaded = try Self.issue(service, "both", covering: both, for: list)
        if hour() == start { #expect(reloaded.status == 429, "\(reloaded)") }
        let tokens = try #require(answer.json["tokens"] as? [[String: Any]], "\(answer)")
        #expect(answer.status == 201 && answer.json["token"] == nil)
        #expect(tokens.map { $0["audience"] as? String } == [Self.audience, Self.pay])
        for token in tokens {
            let text = try #require(token["token"] as? String)
            #expect(token["tokenType"] as? String == "DPoP" && token["expiresIn"] as? Int == 300)
            let proof = try Self.proof(text, id: "\(text.suffix(8))")
            #expect(try Self.authorize(service, "Authorization: DPoP \(text)", "DPoP: \(proof)").status == 200)
        }
        for (asked, status, code) in [
            (#"\#(list),"audience":"\#(Self.audience)""#, 400, "unreadable-request"),
            (#""audiences":[]"#, 400, "unreadable-request"),
            (#""audiences":"\#(Self.pay)""#, 400, "unreadable-request"),
            (#""audiences":["\#(Self.pay)","\#(Self.pay)"]"#, 422, "unknown-audience"),
            (#"\#(list),"address":"localhost""#, 400, "unreadable-request"),
            (#""audiences":["\#(Self.pay)","\#(Self.audience)"]"#, 422, "evidence-not-bound"),
        ] {
            let refused = try Self.issue(service, "refused \(code) \(asked.count)", covering: both, for: asked)
            #expect(refused.status == status && refused.json["code"] as? String == code, "\(asked) \(refused)")
        }
    }

    /// Starts a service for an app of Android without a service account.
    private static func startAndroid(_ answers: String, _ tokens: String?) throws -> RunningService {
        let section = tokens.map {
            "    tokens: { issuer: \(issuer), audiences: [\(audience)], key: optional, \($0) }"
        }
        let service = try RunningService(["masterKey=file:master.key"]) { folder in
            try folder.write("master.key", String(repeating: "5a", count: 32))
            try #require(chmod(folder.path("master.key"), 0o600) == 0)
            try folder.write(
                "policy.yaml",
                """
                version: 1
                apps:
                  - name: shop
                    playIntegrity:
                      packageName: com.example.shop
                      certificateDigests: [\(String(repeating: "6a", count: 32))]
                      \(answers)
                \(section ?? "")
                """)
        }
        if tokens != nil {
            try service.waitUntil("keys made") { service.entries("token key made").count == 2 }
        }
        return service
    }

    @Test("a made-up answer of Google gives no token, or a marked one, and the start says whose word counts")
    func madeUpAnswer() throws {
        let cases: [(answers: String, tokens: String?, status: Int, code: String?, isWarned: Bool)] = [
            ("", "life: 5m", 403, nil, false), ("answers: google", "life: 5m", 403, nil, false),
            ("answers: caller", "life: 5m", 422, "not-exchangeable", true),
            ("answers: caller", "callerEvidence: allow", 201, nil, true), ("", nil, 404, "unknown-app", true),
        ]
        for (answers, tokens, status, code, isWarned) in cases {
            let service = try Self.startAndroid(answers, tokens)
            let challenge = Base64.encode([UInt8](repeating: 4, count: 32), .url)
            let hash = Base64.encode(
                Digest.sha256(Array("assay-token\n\(challenge)\n\(Self.audience)\n\n".utf8)), .url)
            let record = try StandardAnswerBlueprint(
                packageName: "com.example.shop", requestHash: hash,
                certificateDigests: [[UInt8](repeating: 0x6A, count: 32)], issuedAt: Date()
            ).mint().record(id: "made-up", app: "shop")
            let answer = try service.send(
                "POST", "/v1/tokens",
                body: #"{"record":\#(record.jsonLine),"challenge":"\#(challenge)","audience":"\#(Self.audience)"}"#)
            #expect(answer.status == status && answer.json["code"] as? String == code, "\(answers) \(answer)")
            if status == 201, let token = answer.json["token"] as? String {
                let payload = try CompactJWS(Array(token.utf8), limit: 4096).payload
                #expect(String(decoding: payload, as: UTF8.self).contains(#""env":"caller""#))
            }
            let warnings = service.entries("weak setting in force").compactMap { $0["assay.problem"] as? String }
            #expect(warnings.contains { $0.contains("answers") } == isWarned, "\(answers) \(warnings)")
        }
    }

    @Test("the key set and the metadata are cached by their digest")
    func discovery() throws {
        let service = try Self.start()
        let set = try service.send("GET", "/.well-known/jwks.json", type: nil)
        #expect(set.status == 200 && set["content-type"] == "application/jwk-set+json", "\(set)")
        #expect(set["cache-control"] == "public, max-age=600")
        let tag = try #require(set["etag"])
        let same = try service.send("GET", "/.well-known/jwks.json", type: nil, fields: ["If-None-Match: \(tag)"])
        #expect(same.status == 304 && same.body.isEmpty && same["etag"] == tag, "\(same)")
        let metadata = try service.send("GET", "/.well-known/openid-configuration", type: nil)
        #expect(metadata.json["issuer"] as? String == Self.issuer, "\(metadata)")
        #expect(metadata.json["jwks_uri"] as? String == "\(Self.issuer)/.well-known/jwks.json")
    }

    @Test("the commands make keys at once and print them")
    func commands() throws {
        let service = try Self.start()
        func assay(_ arguments: String...) throws -> String {
            let all =
                ["tokens"] + arguments
                + [
                    "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))", "--master-key",
                    "file:\(service.folder.path("master.key"))",
                ]
            let result = try service.run(all)
            #expect(result.status == 0)
            return result.output
        }
        #expect(try assay("rotate") == "")
        #expect(try assay("rotate", "--at-once") == "tokens-2\n")
        let table = try assay("jwks", "--table")
        #expect(table.contains("tokens-2  signing") && table.contains("tokens-1  verifying"), "\(table)")
        let printed = try assay("jwks")
        // A server reads the store again within a second.
        try service.waitUntil("published") {
            (try? service.send("GET", "/.well-known/jwks.json", type: nil).body) ?? "" == printed.dropLast()
        }
    }
}
