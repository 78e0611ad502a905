import AssayTestSupport
import Foundation
import Testing

@Suite("assay remote", .timeLimit(.minutes(30)))
struct RemoteTests {
    private let administered: AdministrationTests.Administered

    init() throws {
        administered = try AdministrationTests.Administered()
        for role in administered.tokens.keys {
            try #require(chmod(administered.service.folder.path("token-\(role)"), 0o600) == 0)
        }
    }

    /// Runs the command with the token of a role, from its file or from the environment.
    private func run(_ words: [String], as role: String, byEnvironment: Bool = false) throws -> ProgramRun {
        let folder = administered.service.folder
        let source = byEnvironment ? "env:ASSAY_TEST_TOKEN" : "file:\(folder.path("token-\(role)"))"
        return try ProgramRun(
            BuiltProducts.url("assay").path,
            ["remote"] + words + ["--address", "127.0.0.1:\(administered.port)", "--token", source],
            environment: ["HOME": folder.url.path, "ASSAY_TEST_TOKEN": administered.tokens[role] ?? ""])
    }

    @Test("An operator reads and changes the ledger of a running service under the name of its token")
    func changes() throws {
        let mallory = ["--account", "mallory & co"]
        let blocked = try run(["block", "--reason", "fraud", "--for", "1d", "--yes"] + mallory, as: "operator")
        #expect(blocked.status == 0 && blocked.output.contains("fraud"), "\(blocked)")
        let shown = try run(["show"] + mallory, as: "viewer")
        #expect(shown.status == 0 && shown.output.contains("fraud"), "\(shown)")
        let conflict = try run(
            ["allow", "--check", "app-attest.assertion.bundle-version", "--reason", "test", "--yes"] + mallory,
            as: "operator")
        #expect(conflict.status == 1 && conflict.errors.contains("remove the block first"), "\(conflict)")
        #expect(try run(["unblock", "--yes"] + mallory, as: "operator").status == 0)
        #expect(try run(["unblock", "--yes"] + mallory, as: "operator").status == 1)
        let allowed = try run(
            [
                "allow", "--check", "app-attest.assertion.bundle-version", "--reason", "test", "--until", "never",
                "--yes",
            ]
                + mallory, as: "operator")
        #expect(allowed.status == 0, "\(allowed)")
        let kept = try run(["unblock", "--yes"] + mallory, as: "operator")
        #expect(kept.status == 1 && kept.errors.contains("has been allowed"), "\(kept)")
        #expect(
            try administered.trail().filter { $0.hasPrefix("operator-1 ") } == [
                "operator-1 block account mallory & co", "operator-1 unblock account mallory & co",
                "operator-1 allow account mallory & co",
            ])
        let audit = try run(["audit", "--operator", "operator-1"], as: "viewer")
        let lines = audit.output.split(separator: "\n")
        #expect(audit.status == 0 && lines.count == 3, "\(audit)")
        for line in lines {
            #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)")
        }
        #expect(try run(["show"], as: "viewer").output.contains("\"allowances\":1"))
        #expect(try run(["keys"], as: "viewer").status == 0)
        #expect(try run(["policy"], as: "viewer").output.contains("apps:"))
    }

    @Test("A role that may not change is refused, and so is a token that is missing")
    func rights() throws {
        let refused = try run(["block", "--account", "a", "--reason", "b", "--yes"], as: "viewer")
        #expect(refused.status == 2 && refused.errors.contains("403"), "\(refused)")
        #expect(try run(["retire", "none", "--yes"], as: "operator").status == 2)
        #expect(try run(["show", "--account", "a", "--device", "b"], as: "viewer").status == 64)
        #expect(try administered.trail().allSatisfy { !$0.contains("block") })
    }

    @Test("A token in the environment must not be that of an admin; from a file it may be")
    func environment() throws {
        let words = ["block", "--account", "a", "--reason", "b", "--yes"]
        let refused = try run(words, as: "admin", byEnvironment: true)
        #expect(refused.status == 64 && refused.errors.contains("that of an admin"), "\(refused)")
        let token = try #require(administered.tokens["admin"])
        #expect(!refused.errors.contains(token))
        #expect(try administered.trail().allSatisfy { !$0.contains("block") })
        #expect(try run(words, as: "operator", byEnvironment: true).status == 0)
        #expect(try run(words, as: "admin").status == 0)
        #expect(try administered.trail().filter { $0.contains(" block ") }.count == 2)
    }

    @Test("By name, the authorities must vouch for the service, and its certificate must have the name")
    func byName() throws {
        let named = try AdministrationTests.Administered(
            "adminTLS.certificate=one.pem", "adminTLS.privateKey=one.key"
        ) { folder in
            let status = try folder.shell(
                """
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
                    -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem 2>/dev/null
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=one -keyout one.key -out one.csr 2>/dev/null
                echo subjectAltName=DNS:localhost >names
                openssl x509 -req -in one.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out one.pem 2>/dev/null
                """)
            try #require(status == 0)
        }
        let folder = named.service.folder
        let token = folder.path("token-operator")
        try #require(chmod(token, 0o600) == 0)
        func run(_ words: [String], at url: String, _ more: [String] = ["--certificate", "ca.pem"]) throws -> ProgramRun
        {
            try ProgramRun(
                BuiltProducts.url("assay").path,
                ["remote"] + words + ["--service", url, "--token", "file:\(token)", "--timeout", "60s"] + more,
                in: folder.url, environment: ["HOME": folder.url.path])
        }
        let url = "https://localhost:\(named.port)"
        let blocked = try run(["block", "--account", "a", "--reason", "fraud", "--yes"], at: url + "/")
        #expect(blocked.status == 0 && blocked.output.contains("fraud"), "\(blocked)")
        let shown = try run(["show", "--account", "a"], at: url)
        #expect(shown.status == 0 && shown.output.contains("fraud"), "\(shown)")
        let problem = try run(["keys"], at: url + "/elsewhere")
        #expect(problem.status == 1 && problem.errors.contains("404"), "\(problem)")

        let otherName = try run(["show"], at: "https://127.0.0.1:\(named.port)")
        #expect(otherName.status == 3 && otherName.errors.contains("no connection with TLS"), "\(otherName)")
        let strangers = try run(["show"], at: url, [])
        #expect(strangers.status == 3 && strangers.errors.contains("no connection with TLS"), "\(strangers)")
        let none = try run(["show"], at: url, ["--certificate", "names"])
        #expect(none.status == 2 && none.errors.contains("no certificate in PEM"), "\(none)")

        for wrong in [
            ["--service", "http://localhost:1"], ["--service", "localhost:1"],
            ["--service", url, "--address", "127.0.0.1:1"], ["--service", url, "--config", "serve.yaml"],
        ] {
            let refused = try ProgramRun(
                BuiltProducts.url("assay").path, ["remote", "show"] + wrong, environment: ["HOME": folder.url.path])
            #expect(refused.status == 64, "\(wrong): \(refused)")
        }
    }
}
