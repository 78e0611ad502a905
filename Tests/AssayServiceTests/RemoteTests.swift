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
}
