import Foundation
import Testing

@Suite("assay mint approov")
struct MintApproovTests {
    private static let policy = """
        version: 1
        keys:
          - { name: example, use: approov, secret: "file:secret.b64" }
        apps:
          - { name: open, approov: { keys: [example], longLivedIssuers: [batch] } }
          - { name: bound, approov: { keys: [example], binding: [Authorization], failover: reject } }
          - { name: sealed, approov: { keys: [example], format: jwe } }
        """

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("policy.yaml", Data(Self.policy.utf8))
        return scratch
    }

    /// Mints a token and judges it: the lines of its failed checks, and the token.
    private func judge(
        _ scratch: Scratch, app: String, field: String = "token", asCaptured: Bool = false, _ arguments: [String]
    ) throws -> (failed: [String], token: String) {
        let source =
            scratch.exists("secret.b64") ? ["--secret", "file:secret.b64"] : ["--new-secret", "secret.b64"]
        let minted = try scratch.run(["mint", "approov"] + source + arguments)
        #expect(minted.status == 0, "\(minted.errors)")
        #expect(minted.output.hasSuffix("\n"))
        let token = String(minted.output.dropLast())
        #expect(!token.contains("\n"))
        var evidence: [String: Any] = [field: token]
        if app == "bound" { evidence["binding"] = ["Bearer myauth_token"] }
        let record: [String: Any] = [
            "id": "minted", "kind": "approov.token", "app": app, "evidence": evidence,
            "receivedAt": ISO8601DateFormatter().string(from: Date()),
        ]
        try scratch.write("record.json", try JSONSerialization.data(withJSONObject: record))
        let time = asCaptured ? ["--as-captured"] : []
        let run = try scratch.run(["verify", "--policy", "policy.yaml", "--json", "record.json"] + time)
        let verdict = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.errors)")
        return (try #require(verdict["failed"] as? [String]), token)
    }

    @Test("tokens of every type are accepted or refused like those of Approov's own tool")
    func types() throws {
        let scratch = try scratch()
        let bound = ["--bind", "Bearer myauth_token"]
        let cases: [(String, [String], [String])] = [
            ("open", [], []), ("open", ["--type", "invalid"], ["approov.token.signature"]),
            ("open", ["--type", "failover"], []), ("open", ["--annotation", "rooted", "--key-id", "one"], []),
            ("open", ["--type", "long-lived", "--issuer", "batch", "--expires-in", "90d"], []),
            (
                "open", ["--type", "long-lived", "--issuer", "other", "--expires-in", "90d"],
                ["approov.token.issuer"]
            ),
            ("open", ["--at", "2020-01-01T00:00:00Z"], ["approov.token.expiry"]),
            ("bound", bound, []), ("bound", [], ["approov.token.binding"]),
            ("bound", ["--bind", "-x"], ["approov.token.binding"]),
            ("bound", ["--type", "failover"], ["approov.token.binding", "approov.token.failover"]),
            ("sealed", ["--format", "jwe"], []), ("sealed", [], ["approov.token.decode"]),
            ("sealed", ["--format", "jwe", "--type", "invalid"], ["approov.token.decryption"]),
        ]
        for (app, arguments, failed) in cases {
            #expect(try judge(scratch, app: app, arguments).failed == failed, "\(app) \(arguments)")
        }
        func loggable(_ arguments: String..., asCaptured: Bool) throws -> [String] {
            try judge(scratch, app: "open", field: "loggable", asCaptured: asCaptured, ["--loggable"] + arguments)
                .failed
        }
        #expect(try loggable(asCaptured: true) == [])
        #expect(try loggable(asCaptured: false) == ["approov.token.signature"])
        #expect(try loggable("--type", "invalid", asCaptured: true) == ["approov.token.signature"])
    }

    @Test("the claims equal those of Approov's example tokens")
    func claims() throws {
        func claims(_ arguments: String...) throws -> String {
            let token = try judge(try scratch(), app: "open", ["--at", "2019-05-27T17:16:28Z"] + arguments).token
            let payload = String(token.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
            let padded = payload + String(repeating: "=", count: (4 - payload.count % 4) % 4)
            return String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
        }
        #expect(try claims() == #"{"did":"ExampleApproovTokenDID==","exp":1558980988,"ip":""}"#)
        #expect(try claims("--type", "failover") == #"{"exp":1558980988}"#)
        #expect(
            try claims("--type", "long-lived", "--issuer", "server-token", "--expires-in", "90d")
                == #"{"exp":1566753388,"iss":"server-token"}"#)
        #expect(
            try claims("--bind", "custom-data", "--expires-in", "5m")
                == #"{"did":"ExampleApproovTokenDID==","exp":1558977688,"ip":"","#
                + #""pay":"tih+xRFV8PMsDhKthuFdvqWtQpKdT+K8X5W3258EJnU="}"#)
    }

    @Test("a new secret is written with private permissions, overwrites nothing, and is not printed")
    func secrets() throws {
        let scratch = try scratch()
        let run = try scratch.run(["mint", "approov", "--new-secret", "secret.b64"])
        #expect(run.status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("secret.b64"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let secret = try String(contentsOf: scratch.folder.appendingPathComponent("secret.b64"), encoding: .utf8)
        #expect(secret.count == 89)
        #expect(!(run.output + run.errors).contains(secret.prefix(8)))
        #expect(try scratch.run(["mint", "approov", "--new-secret", "secret.b64"]).status != 0)
        #expect(try String(contentsOf: scratch.folder.appendingPathComponent("secret.b64"), encoding: .utf8) == secret)
        let argument = try scratch.run(["mint", "approov", "--secret", String(secret.dropLast())])
        #expect(argument.status == 64)
        #expect(!(argument.output + argument.errors).contains(secret.prefix(8)))
        try scratch.write("short.b64", Data("QUJD".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.path("short.b64"))
        let short = try scratch.run(["mint", "approov", "--secret", "file:short.b64"])
        #expect(short.status == 2)
        #expect(short.errors.contains("64 bytes"))
        #expect(!short.errors.contains("QUJD"))
    }

    @Test(
        "contradictory options are bad arguments",
        arguments: [
            [], ["--secret", "env:A", "--new-secret", "x"], ["--secret", "env:A", "--type", "other"],
            ["--secret", "env:A", "--type", "failover", "--bind", "x"],
            ["--secret", "env:A", "--type", "long-lived", "--expires-in", "90d"],
            ["--secret", "env:A", "--type", "long-lived", "--issuer", "x"],
            ["--secret", "env:A", "--loggable", "--format", "jwe"], ["--secret", "env:A", "--bind", ""],
            ["--secret", "env:A", "--device-id", "short"], ["--secret", "env:A", "--expires-in", "0s"],
        ])
    func contradictions(arguments: [String]) throws {
        let run = try Scratch().run(["mint", "approov"] + arguments)
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("Tokens of a test device need its secret and its issuer in the policy, and name one device")
    func device() throws {
        let scratch = try Scratch()
        let made = try scratch.run(["mint", "approov", "device", "device.json", "--new-secret", "secret.b64"])
        #expect(made.status == 0 && made.output.isEmpty, "\(made)")
        for name in ["device.json", "secret.b64"] {
            let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        func judge(_ rules: String) throws -> [String: Any] {
            let policy = """
                version: 1
                keys: [{ name: test, use: approov, secret: "file:secret.b64" }]
                apps: [{ name: api, approov: { keys: [test], failover: reject\(rules) } }]

                """
            try scratch.write("policy.yaml", Data(policy.utf8))
            let minted = try scratch.run([
                "mint", "approov", "--device", "device.json", "--record", "--bind", "Bearer a",
            ])
            try scratch.write("record.json", Data(minted.output.utf8))
            let run = try scratch.run(["verify", "--policy", "policy.yaml", "--json", "record.json"])
            return try #require(try run.json().first, "\(run.errors)")
        }
        let refused = try judge(", binding: [Authorization]")
        #expect(refused["failed"] as? [String] == ["approov.token.issuer"], "\(refused)")
        let verdicts = try (0..<2).map { _ in try judge(", binding: [Authorization], issuers: [assay-test]") }
        #expect(verdicts.allSatisfy { $0["outcome"] as? String == "accept" }, "\(verdicts)")
        let devices = verdicts.compactMap { ($0["subject"] as? [String: Any])?["deviceId"] as? String ?? "\($0)" }
        #expect(devices.first == devices.last)
    }

    @Test(
        "A test device never names another issuer",
        arguments: [["--issuer", "batch"], ["--type", "long-lived", "--expires-in", "1d"], ["--secret", "env:A"]])
    func issuers(options: [String]) throws {
        let scratch = try Scratch()
        _ = try scratch.run(["mint", "approov", "device", "device.json", "--new-secret", "secret.b64"])
        let run = try scratch.run(["mint", "approov", "--device", "device.json"] + options)
        #expect(run.status == 64 && run.output.isEmpty, "\(run)")
    }
}
