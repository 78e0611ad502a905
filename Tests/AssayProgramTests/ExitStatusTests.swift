import AssayTesting
import Foundation
import Testing

@Suite("The exit status")
struct ExitStatusTests {
    @Test("Each outcome has its own status, and the worst of several is returned")
    func everyStatus() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.policy("other.yaml", appID: "1234567890.com.example.other")
        try scratch.write("good.json", Data(TestEvidence.attestationLine("good").utf8))
        let wrong = try TestEvidence.attestation().record(id: "bad")
        try scratch.write("bad.json", Data(TestEvidence.line(wrong).utf8))
        try scratch.write("broken.json", Data("{".utf8))
        try scratch.write("garbage", Data(repeating: 0x41, count: 8192))
        let verify = ["verify", "--as-captured", "--policy", "policy.yaml"]
        let other = ["verify", "--as-captured", "--policy", "other.yaml"]
        let outage = ["--ledger", "sqlite:garbage"]
        let table: [(arguments: [String], status: Int32)] = [
            (verify + ["good.json"], 0),
            (other + ["bad.json"], 1),
            (verify + ["broken.json"], 2),
            (verify + ["missing.json"], 2),
            (["verify", "--policy", "missing.yaml", "good.json"], 2),
            (verify + outage + ["good.json"], 3),
            (verify + ["--ledger", "sqlite:."] + ["good.json"], 3),
            (verify + ["--ledger", "sqlite:no/such/folder"] + ["good.json"], 3),
            (verify + ["--create-ledger", "--ledger", "sqlite:no/such/folder"] + ["good.json"], 3),
            (verify + ["--create-ledger", "--ledger", "sqlite:/dev/null"] + ["good.json"], 3),
            // The worst status wins: unreadable over rejected.
            (other + ["bad.json", "broken.json", "bad.json"], 2),
            (verify, 64),
            (["verify", "-"], 64),
            (verify + ["--at", "2026-01-01T00:00:00Z", "good.json"], 64),
            (["verify", "--policy", "policy.yaml", "--at", "yesterday", "good.json"], 64),
            (verify + ["--ledger", "postgresql://%2Fno%2Fsuch%2Ffolder/x", "good.json"], 3),
            (verify + ["--ledger", "mysql://x", "good.json"], 64),
            (verify + ["--key-id", "AAAA", "good.json"], 64),
            (verify + ["-", "-"], 64),
            // A variable of the shell that is not set: no option becomes the name of an account or a device.
            (["verify", "--policy", "policy.yaml", "--account", "--json", "good.json"], 64),
            (["ledger", "block", "--account", "--reason", "x"], 64),
            (["ledger", "allow", "--device", "--reason", "x"], 64),
            (verify + ["--no-such-option", "good.json"], 64),
            (["recent", "--address", "unix:none.sock"], 3),
            (["recent", "--address", "unix:none.sock", "--limit", "0"], 64),
            (["verfy"], 64),
            (["ledger", "shwo"], 64),
            (["--version"], 0),
            (["--help"], 0),
            (["verify", "--help"], 0),
            (["help", "verify"], 0),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == entry.status, "\(entry.arguments): \(run.errors)")
            #expect((run.status < 2) || !run.errors.isEmpty, "\(entry.arguments) says nothing")
        }
    }

    @Test("An unknown command is answered with a suggestion")
    func suggestions() throws {
        let scratch = try Scratch()
        #expect(try scratch.assay("verfy").errors.contains("did you mean verify?"))
        #expect(try scratch.assay("ledger", "exprot").errors.contains("did you mean export?"))
        #expect(try scratch.assay("frobnicate").errors.contains("it has verify, inspect"))
    }

    @Test(
        "An unknown option is reported instead of the missing arguments that result from it",
        arguments: [
            ("verify --polcy policy.yaml records.json", "assay verify has no option --polcy; did you mean --policy?"),
            ("verify --kind approov.token --secrt env:A token", "no option --secrt; did you mean --secret"),
            ("keys add k --use approov --scret=env:A", "assay keys add has no option --scret"),
            ("verify --key-id --polcy --kind approov.token --secrt x", "no option --secrt"),
            ("verify --frobnicate x", "has no option --frobnicate\n"),
            (
                "ledger show -abc",
                "assay ledger show has no option -abc; a value that begins with a hyphen comes behind --\n"
            ),
        ])
    func unknownOptions(arguments: String, told: String) throws {
        let mistyped = try Scratch().run(arguments.split(separator: " ").map(String.init))
        #expect(mistyped.status == 64)
        #expect(mistyped.errors.contains(told), "\(mistyped.errors)")
    }

    @Test("A missing required option is reported")
    func missingOptions() throws {
        let missing = try Scratch().assay("verify", "records.json")
        #expect(missing.status == 64)
        #expect(missing.errors.contains("--policy is required for records"))
        let value = try Scratch().assay("verify", "--kind", "approov.token", "--binding-header", "--polcy", "token")
        #expect(!value.errors.contains("no option"))
        let shell = try Scratch().assay("--generate-completion-script", "foo")
        #expect(shell.status == 64)
        #expect(!shell.errors.contains("no option"))
    }

    @Test(
        "A value that is not base64 is reported with the offending character",
        arguments: [
            ("abcde", "byte 5: 5 characters"), ("ab cd!", "byte 5:"), ("", "byte 0: there is nothing"),
            ("a+b-c", "byte 1:"), ("AB==", "byte 1: the last character 'B' has bits that belong to no byte"),
        ])
    func stray(value: String, told: String) throws {
        let run = try Scratch().assay(
            "verify", "--kind", "app-attest.assertion", "--app-id", "1234567890.a", "--key-id", value, "file")
        #expect(run.status == 64)
        #expect(run.errors.contains("expected base64 or base64url"), "\(run.errors)")
        #expect(run.errors.contains(told), "\(run.errors)")
    }

    @Test("Output that cannot be written is an error; a closed pipe is not", .timeLimit(.minutes(20)))
    func unwritableOutput() throws {
        let scratch = try Scratch()
        let full = try scratch.shell("\"$ASSAY\" explain > /dev/full")
        #expect(full.status == 74)
        #expect(full.errors.contains("standard output cannot be written"))
        for option in ["--help", "--version", "verify --help", "help verify", "--generate-completion-script bash"] {
            let full = try scratch.shell("\"$ASSAY\" \(option) > /dev/full")
            #expect(full.status == 74, "\(option)")
            #expect(full.errors.contains("standard output cannot be written"), "\(option)")
        }
        let gone = try scratch.shell("for i in 1 2 3; do \"$ASSAY\" explain; done | head -n 1")
        #expect(gone.status == 0)
        #expect(gone.errors.isEmpty, "\(gone.errors)")
    }
}

extension Scratch {
    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Run {
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try shell("\"$ASSAY\" \(quoted)", environment: environment)
    }
}
