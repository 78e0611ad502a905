import AssayTesting
import Foundation
import Testing

@Suite("Messages")
struct WordingTests {
    @Test("For a check that is not required, the output says why: mode, rule or caller")
    func skipped() throws {
        let scratch = try Scratch()
        try scratch.policy(extra: "checks:\n  app-attest.attestation.receipt: off")
        let line = try TestEvidence.attestationLine("x")
        let arguments = ["verify", "--policy", "policy.yaml", "--as-captured", "-"]
        let run = try scratch.run(arguments, input: line)
        #expect(run.status == 0, "\(run.errors)")
        for (check, reason) in [
            ("receipt", "its mode is off"), ("os-version", "no rule applies"), ("challenge", "left to the caller"),
        ] {
            let row = "skipped   app-attest.attestation.\(check)  (because: policy: \(reason))"
            #expect(run.output.contains(row), "\(run.output)")
        }
        // The value in JSON is API and must not change.
        let verdict = try #require(try scratch.run(arguments + ["--json"], input: line).json().first)
        let reasons = (verdict["checks"] as? [[String: Any]])?.compactMap { $0["because"] as? String }
        #expect(reasons?.isEmpty == false && Set(reasons ?? []).isSubset(of: ["policy", "not-applicable"]))
    }

    @Test("No message repeats a URL that may contain a password")
    func passwords() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let urls = [
            "postgresql://u:s3cret@h/d", "Postgresql://u:s3cret@h/d", "postgresql://u@h/d?pass%77ord=s3cret",
            "postgresql://u@h/d?pass%77ord=s3cret%zz", "postgres:u:s3cret@h", "postgresq:u:s3cret@h",
            "postgresq://u:s3cret@h",
            "mysql://u:s3cret@h/d", "sqlit://u:s3cret@h/d", "postgresql://u:s3'cret@h/d",
            "postgresql://u:s3cret @h\n/d",
        ]
        let commands: [(String) -> [String]] = [
            { ["verify", "--policy", "policy.yaml", "--ledger", $0, "x.json"] },
            { ["verify", "--policy", "policy.yaml", "--ledger=\($0)", "x.json"] },
            { ["migrate", $0, "sqlite:x"] }, { ["migrate", "sqlite:x", $0, "--cancel"] },
            { ["ledger", "check", "--ledger", $0] }, { ["ledger", "create", "--ledger", $0] },
            { ["challenge", "issue", "--app", "shop", "--policy", "policy.yaml", "--ledger", $0] },
            { ["replay", "--ledger", $0] }, { ["ledger", "check", $0] }, { ["ledger", "check", "--ledgr=\($0)"] },
            { [$0] },
        ]
        for url in urls {
            for command in commands {
                let run = try scratch.run(command(url))
                #expect(run.status != 0 && !run.errors.isEmpty, "\(command(url))")
                #expect(!(run.errors + run.output).contains("3cret"), "\(command(url)): \(run.errors)")
            }
        }
        let shown = try scratch.assay("ledger", "check", "--ledger", "mysql://u:s3cret@h/d")
        #expect(shown.errors.contains("no ledger is at \"mysql://...\""), "\(shown.errors)")
    }

    @Test("An empty value is shown as empty")
    func empty() throws {
        let scratch = try Scratch()
        try scratch.writeApproov("token.txt", TestApproov.token { $0[.address] = .text("") }.token)
        let run = try scratch.assay("verify", "--kind", "approov.token", "--secret", "file:secret.b64", "token.txt")
        #expect(run.lines.contains("  address    (empty)"), "\(run.output)\(run.errors)")
    }

    @Test("A missing policy is named once, and a list in place of a single value is shown")
    func policies() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let missing = try scratch.assay("verify", "--policy", "none.yaml", "-")
        #expect(missing.status == 2)
        #expect(missing.errors == "error: none.yaml: the file cannot be read: it does not exist\n")
        try scratch.write("single.yaml", Data("version: 1\napps:\n- name: a\n  appAttest:\n    appIDs: b.c\n".utf8))
        let single = try scratch.assay("verify", "--policy", "single.yaml", "-")
        #expect(single.errors.contains("found \"b.c\"; write it as [\"b.c\"]"), "\(single.errors)")
        try FileManager.default.removeItem(atPath: scratch.path("test-root.pem"))
        let root = try scratch.assay("verify", "--policy", "policy.yaml", "-")
        #expect(root.errors.contains("test-root.pem: the file cannot be read: it does not exist"), "\(root.errors)")
    }

    @Test("A misspelt app or check is answered with a suggestion")
    func misspelt() throws {
        let scratch = try Scratch()
        try scratch.policy(challenge: "ledger")
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x").utf8))
        let table: [(arguments: [String], sentence: String)] = [
            (["verify", "--policy", "policy.yaml", "--app", "shpo", "x.json"], "it has shop; did you mean shop?"),
            (["challenge", "issue", "--app", "shpo", "--policy", "policy.yaml"], "it has shop; did you mean shop?"),
            (
                ["mint", "corpus", "--output", "c", "--share", "app-attest.assertion.conter=1%"],
                "no evidence can be made to fail app-attest.assertion.conter; did you mean app-attest.assertion.counter?"
            ),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status != 0 && run.errors.contains(entry.sentence), "\(run.errors)")
        }
    }

    @Test("A new secret never replaces a file, and the error names the option that uses it")
    func newSecret() throws {
        let scratch = try Scratch()
        try scratch.write("secret.b64", Data("old".utf8))
        let run = try scratch.assay("mint", "approov", "token", "--new-secret", "secret.b64")
        #expect(run.status == 64 && run.errors.contains("give --secret file:secret.b64 to use it"), "\(run.errors)")
        #expect(try String(contentsOfFile: scratch.path("secret.b64"), encoding: .utf8) == "old")
    }

    @Test("Unreadable files are not counted as records")
    func files() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x").utf8))
        let run = try scratch.assay("verify", "--policy", "policy.yaml", "--as-captured", "x.json", "none")
        #expect(run.status == 2)
        #expect(
            run.lines.last
                == "1 records: 1 accepted, 0 rejected, 0 that could not be judged; 1 file that could not be read")
    }
}
