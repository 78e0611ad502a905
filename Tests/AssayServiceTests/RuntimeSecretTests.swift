import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Runtime secrets over HTTP: added on the command line, delivered sealed, counted and logged by name.
@Suite("Runtime secrets over HTTP", .timeLimit(.minutes(20)))
struct RuntimeSecretTests {
    private static let value = "canary-7Hq2\nsecond line"
    private static let client = TestKey(.p256, seed: "assay service", label: "dpop")
    private static let jwk = String(decoding: AssayTokenBlueprint.jwk(client).encoded, as: UTF8.self)

    /// With tokens the service has the secret for response codes.
    private static let tokens =
        "    tokens: { issuer: \(TokenTests.issuer), audiences: [\(TokenTests.audience)], testAuthorities: allow }\n"

    private static func start(_ rules: String = "testAuthorities: allow") throws -> RunningService {
        let service = try RunningService(["masterKey=file:master.key"]) { folder in
            try folder.write("master.key", String(repeating: "5a", count: 32))
            try #require(chmod(folder.path("master.key"), 0o600) == 0)
            try folder.write("maps.key", value + "\n")
            try #require(chmod(folder.path("maps.key"), 0o600) == 0)
            try folder.write(
                "policy.yaml",
                folder.read("policy.yaml") + tokens + "    secrets: { names: [maps, sealing, absent], \(rules) }\n")
        }
        for more in [["maps", "--value", "file:\(service.folder.path("maps.key"))"], ["sealing", "--derive"]] {
            let added = try service.run(
                ["secrets", "add"] + more + [
                    "--for", "bank", "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))", "--master-key",
                    "file:\(service.folder.path("master.key"))",
                ])
            try #require(added.status == 0, "\(added)")
        }
        try service.waitUntil("keys made") { service.entries("token key made").count == 2 }
        // A server reads the store again within a second.
        var number = 0
        try service.waitUntil("the secrets are read") {
            number += 1
            return (try? ask(service, "wait \(number)", ["maps", "sealing"]).status) ?? 404 != 404
        }
        return service
    }

    private static func ask(
        _ service: RunningService, _ label: String, _ names: [String], isForged: Bool = false
    ) throws -> HTTPAnswer {
        let issued = try service.send(
            "POST", "/v1/challenges", body: #"{"app":"bank","kind":"app-attest.attestation"}"#)
        let challenge = try #require(issued.json["challenge"] as? String, "\(issued)")
        let derived = Digest.sha256(
            Array(
                "assay-secrets\n\(challenge)\n\(names.joined(separator: ","))\n\(JWKThumbprint.p256(client.publicPoint))\n"
                    .utf8))
        var record = try Evidence.attestation(
            label, app: "bank", challenge: derived, key: AttestedKey(seed: "assay service", label: label))
        if isForged { record = record.replacingOccurrences(of: #""attestation":"o2N"#, with: #""attestation":"o2O"#) }
        let list = String(decoding: try JSONSerialization.data(withJSONObject: names), as: UTF8.self)
        return try service.send(
            "POST", "/v1/secrets",
            body: #"{"record":\#(record),"challenge":"\#(challenge)","names":\#(list),"jwk":\#(jwk)}"#)
    }

    @Test("Accepted evidence gives the values to the client alone; no log, metric, list or answer has them in clear")
    func delivery() throws {
        let service = try Self.start()
        let answer = try Self.ask(service, "phone", ["maps", "sealing"])
        #expect(answer.status == 200 && answer["cache-control"] == "no-store", "\(answer)")
        #expect(answer.json["expiresIn"] as? Int == 3600)
        let sealed = try #require(answer.json["secrets"] as? String)
        let body = Self.client.pem.split(separator: "\n").dropFirst().dropLast().joined()
        let key = try AgreementPrivateKey(privateKeyInfo: SecretBytes(Base64.decode(body, .standard)))
        let content = try JWEKey.ecdhES(key).decrypt(CompactJWE(Array(sealed.utf8), limit: 1 << 20))
        let object = try JSONSerialization.jsonObject(with: Data(content)) as? [String: Any]
        let values = try #require(object?["secrets"] as? [String: String])
        #expect(values["maps"] == Self.value && values["sealing"]?.utf8.count == 43)

        func isLogged(_ entry: [String: Any]) -> Bool {
            entry["url.path"] as? String == "/v1/secrets" && entry["http.response.status_code"] as? Int == 200
        }
        try service.waitUntil("both logged") { service.entries("request").filter(isLogged).count == 2 }
        let entry = try #require(service.entries("request").last(where: isLogged))
        #expect(entry["assay.secrets"] as? [String] == ["maps", "sealing"] && entry["level"] as? String == "info")
        let metrics = try service.send("GET", "/metrics", type: nil, unix: service.folder.path("admin.sock")).body
        for name in ["maps", "sealing"] {
            #expect(metrics.contains("\nassay_secrets_delivered_total{app=\"bank\",name=\"\(name)\"} 2\n"))
        }
        let list = try service.run([
            "secrets", "list", "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))",
        ])
        #expect(list.output.contains("maps") && list.output.contains("derive"), "\(list)")
        let seen = service.logText + metrics + list.output + answer.body
        #expect(!seen.contains("canary") && !seen.contains(values["sealing"] ?? "?"))
    }

    @Test("The words of Approov's SDK, one to one: REJECTED with reasons and ARC, UNKNOWN_KEY, BAD_KEY, DISABLED")
    func words() throws {
        let service = try Self.start()
        let rejected = try Self.ask(service, "forged", ["maps"], isForged: true)
        #expect(rejected.status == 403 && rejected.json["error"] as? String == "REJECTED", "\(rejected)")
        #expect((rejected.json["reasons"] as? [String])?.isEmpty == false)
        let code = try #require(rejected.json["arc"] as? String)
        #expect(code.utf8.count == 8 && rejected.json["verdict"] is [String: Any])
        try service.waitUntil("logged") { service.entries("request").contains { $0["assay.arc"] as? String == code } }
        for (names, status, word, code) in [
            (["none"], 404, "UNKNOWN_KEY", "unknown-secret"), (["absent"], 404, "UNKNOWN_KEY", "unknown-secret"),
            ([""], 400, "BAD_KEY", "invalid-secret-name"), ([], 400, "BAD_KEY", "invalid-secret-name"),
            ([String(repeating: "x", count: 65)], 400, "BAD_KEY", "invalid-secret-name"),
            (["a\nb"], 400, "BAD_KEY", "invalid-secret-name"), (["a\0b"], 400, "BAD_KEY", "invalid-secret-name"),
        ] {
            let answer = try Self.ask(service, "\(names)", names)
            #expect(answer.status == status && answer.json["error"] as? String == word, "\(names): \(answer)")
            #expect(answer.json["code"] as? String == code)
        }
        for (claims, code, word) in [
            (#""{}""#, "invalid-claims", "BAD_PAYLOAD"), (#""nonsense""#, "invalid-claims", "BAD_PAYLOAD"),
            ("{}", "unreadable-request", nil), ("7", "unreadable-request", nil),
        ] as [(String, String, String?)] {
            let answer = try TokenTests.issue(service, "claims \(claims)", #","claims":\#(claims)"#)
            #expect(answer.status == 400 && answer.json["code"] as? String == code, "\(claims): \(answer)")
            #expect(answer.json["error"] as? String == word)
        }
        let disabled = try Self.ask(try Self.start("testAuthorities: allow, enabled: no"), "phone", ["maps"])
        #expect(disabled.status == 409 && disabled.json["error"] as? String == "DISABLED", "\(disabled)")
        let refusing = try Self.ask(try Self.start("life: 5m"), "phone", ["maps"])
        #expect(refusing.status == 422 && refusing.json["code"] as? String == "not-exchangeable", "\(refusing)")
    }

    @Test("Bodies of every other kind are refused with the field")
    func bodies() throws {
        let service = try Self.start()
        let record = try Evidence.attestation("x", app: "bank")
        func body(_ names: String, _ jwk: String = Self.jwk, _ challenge: String = #""x""#) -> String {
            #"{"record":\#(record),"challenge":\#(challenge),"names":\#(names),"jwk":\#(jwk)}"#
        }
        for text in [
            "", "null", "7", "[]", #""text""#, "{}", body("null"), body("7"), body(#""maps""#), body("{}"),
            body("[7]"), body("[null]"), body(#"["maps"]"#, "null"), body(#"["maps"]"#, "7"), body(#"["maps"]"#, "{}"),
            body(#"["maps"]"#, #"{"kty":"oct","k":"AAAA"}"#), body(#"["maps"]"#, Self.jwk, "7"),
            body(#"["maps"]"#, Self.jwk.replacingOccurrences(of: "}", with: #","d":"AAAA"}"#)),
        ] {
            let answer = try service.send("POST", "/v1/secrets", body: text)
            #expect(answer.status == 400 && answer.json["code"] as? String == "unreadable-request", "\(text) \(answer)")
        }
    }
}
