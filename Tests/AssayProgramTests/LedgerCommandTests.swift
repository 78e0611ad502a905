import AssayTestSupport
import Foundation
import Testing

@Suite("The ledger on the command line")
struct LedgerCommandTests {
    static let ledger = ["--ledger", "sqlite:ledger.sqlite"]

    @Test("A name with surrounding white space is refused: such a block would match no evidence")
    func blockedNames() throws {
        let scratch = try Scratch()
        for (option, name) in [("--issuer", "batch "), ("--account", " 7"), ("--device", "AAAAAAAAAAAAAAAAAAAAAA==\n")]
        {
            let run = try scratch.run(
                ["ledger", "block", option, name, "--reason", "fraud", "--create-ledger"] + Self.ledger)
            #expect(run.status == 64 && run.errors.contains("begins or ends with white space"), "\(run.errors)")
        }
        #expect(!scratch.exists("ledger.sqlite"))
        let inner = try scratch.run(
            ["ledger", "block", "--issuer", "a b", "--reason", "fraud", "--create-ledger"] + Self.ledger)
        #expect(inner.status == 0, "\(inner.errors)")
    }

    @Test("A challenge is issued, and consumed by only one attestation")
    func challenge() throws {
        let scratch = try Scratch()
        try scratch.policy(challenge: "ledger")
        let issued = try scratch.run(["challenge", "issue", "--app", "shop", "--policy", "policy.yaml"] + Self.ledger)
        #expect(issued.status == 0, "\(issued.errors)")
        let text = issued.output.trimmingCharacters(in: .newlines)
        #expect(text.utf8.count == 44 && issued.lines.count == 1)
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x", challenge: Array(text.utf8)).utf8))
        let verify = ["verify", "--policy", "policy.yaml", "x.json", "--json"] + Self.ledger
        let first = try scratch.run(verify)
        #expect(first.status == 0, "\(first.output)")
        let second = try scratch.run(verify)
        #expect(second.status == 1)
        #expect(
            try second.json().first?["failed"] as? [String] == ["app-attest.attestation.challenge"])
        let without = try scratch.run(["verify", "--policy", "policy.yaml", "x.json"])
        #expect(without.output.contains("the ledger memory: knows only what this command told it"))
    }

    @Test("A challenge needs an app of the policy, a kind that consumes challenges, and a valid duration")
    func issueArguments() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let table: [(arguments: [String], status: Int32)] = [
            (["--app", "shop"], 0), (["--app", "shop", "--for", "assertion", "--ttl", "90s"], 0),
            (["--app", "shop", "--for", "app-attest.attestation"], 0), (["--app", "shop", "--for", "receipt"], 64),
            (["--app", "shop", "--kind", "assertion"], 0), (["--app", "shop", "--kind", "receipt"], 64),
            (["--app", "shop", "--ttl", "0s"], 64), (["--app", "shop", "--ttl", "5"], 64), ([], 64),
            (["--app", "shop", "--ttl", "1d"], 0), (["--app", "shop", "--ttl", "86401s"], 64),
            (["--app", "shoe", "--policy", "policy.yaml"], 2),
        ]
        for entry in table {
            let run = try scratch.run(["challenge", "issue", "--json"] + Self.ledger + entry.arguments)
            #expect(run.status == entry.status, "\(entry.arguments): \(run.errors)")
            if run.status == 0 { #expect(try run.json().first?["app"] as? String == "shop") }
        }
    }

    @Test("With a policy, challenges are issued only to apps whose evidence can consume them")
    func issuePolicies() throws {
        let scratch = try Scratch()
        try scratch.policy(
            extra: """
                  - name: android
                    playIntegrity:
                      packageName: com.example.shop
                      certificateDigests: ["\(String(repeating: "6a", count: 32))"]
                  - name: caller
                    playIntegrity:
                      packageName: com.example.caller
                      certificateDigests: ["\(String(repeating: "6a", count: 32))"]
                      challenge: caller
                  - name: pc
                    playIntegrity: { packageName: com.example.game, platform: pc }
                """)
        let table: [(app: String, kind: String, status: Int32, words: String)] = [
            ("android", "play-integrity.classic", 0, "created a new ledger"),
            ("android", "app-attest.attestation", 2, "says nothing"),
            ("android", "attestation", 64, "write app-attest.attestation or android-key.attestation"),
            ("caller", "classic", 0, "leaves challenges for"), ("pc", "classic", 2, "says nothing"),
            ("shop", "classic", 2, "says nothing"), ("shop", "assertion", 0, "leaves challenges for"),
        ]
        for (app, kind, status, words) in table {
            let run = try scratch.run(
                ["challenge", "issue", "--app", app, "--for", kind, "--policy", "policy.yaml"] + Self.ledger)
            #expect(run.status == status && run.errors.contains(words), "\(app), \(kind): \(run.errors)")
            if app == "android" { #expect(!run.errors.contains("challenge: caller")) }
        }
    }

    @Test("Without --ledger, the user's ledger is created in a folder of mode 0700")
    func standardLedger() throws {
        let scratch = try Scratch()
        let run = try scratch.assay(
            "challenge", "issue", "--app", "shop", environment: ["XDG_STATE_HOME": scratch.path("state")])
        #expect(run.status == 0)
        #expect(scratch.exists("state/assay/ledger.sqlite"))
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("state/assay"))[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o700)
        #expect(try scratch.assay("challenge", "issue", "--app", "shop").status == 0)
        #expect(scratch.exists(".local/state/assay/ledger.sqlite"))
    }

    @Test("An assertion of a blocked key is rejected, and accepted again after the block is removed")
    func block() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let verify = ["verify", "--policy", "policy.yaml", "--json", "--create-ledger"] + Self.ledger
        func judge(_ line: String) throws -> Run {
            try scratch.write("record", Data(line.utf8))
            return try scratch.run(verify + ["record"])
        }
        #expect(try judge(TestEvidence.attestationLine("x")).status == 0)
        #expect(try judge(TestEvidence.assertionLine("x", counter: 1)).status == 0)
        let key = ["--key-id", TestEvidence.keyID.replacing("+", with: "-").replacing("/", with: "_")]
        let blocked = try scratch.run(["ledger", "block", "--reason", "stolen", "--for", "30d"] + key + Self.ledger)
        #expect(blocked.status == 0, "\(blocked.errors)")
        let rejected = try judge(TestEvidence.assertionLine("x", counter: 2))
        #expect(rejected.status == 1)
        #expect(try (rejected.json().first?["failed"] as? [String])?.first == "app-attest.assertion.key-state")
        let shown = try scratch.run(["ledger", "show", TestEvidence.keyID] + Self.ledger)
        #expect(shown.status == 0)
        #expect(shown.output.contains(/counter +1\n/))
        for part in ["shop", "stolen"] { #expect(shown.output.contains(part), "\(shown.output)") }
        #expect(try scratch.run(["ledger", "unblock"] + key + Self.ledger).status == 0)
        #expect(try scratch.run(["ledger", "unblock"] + key + Self.ledger).status == 1)
        #expect(try judge(TestEvidence.assertionLine("x", counter: 2)).status == 0)
    }

    @Test(
        "A block replaces an allowance, an allowance replaces no block, and both are printed with their ends")
    func allowance() throws {
        let scratch = try Scratch()
        func run(_ arguments: String...) throws -> Run { try scratch.run(["ledger"] + arguments + Self.ledger) }
        let device = "h4gubfCFzJu81j/U2BJsdg=="
        let begun = try run("allow", "--device", device, "--reason", "pen test", "--for", "7d", "--create-ledger")
        #expect(begun.status == 0, "\(begun.errors)")
        #expect(begun.output.hasPrefix("device \(device): the device has been allowed since "), "\(begun.output)")
        let shown = try run("show", "--device", device)
        #expect(shown.status == 0)
        #expect(shown.output.contains(/has been allowed since \S+ until \S+: pen test\n/), "\(shown.output)")

        #expect(try run("block", "--device", device, "--reason", "stolen").status == 0)
        let blocked = try run("show", "--device", device).output
        #expect(blocked.contains(/has been blocked since \S+: stolen\n/) && !blocked.contains("allowed"), "\(blocked)")
        let found = ["allow", "--device", device, "--reason", "found", "--until", "2999-01-01T00:00:00Z"]
        let kept = try scratch.run(["ledger"] + found + Self.ledger)
        #expect(kept.status == 1 && kept.errors.contains("assay ledger unblock"), "\(kept.errors)")
        #expect(try run("show", "--device", device).output == blocked)
        #expect(try run("unblock", "--device", device).status == 0)
        #expect(try scratch.run(["ledger"] + found + Self.ledger).status == 0)
        let allowed = try run("show", "--device", device).output
        #expect(allowed.contains("until 2999-01-01T00:00:00Z: found") && !allowed.contains("blocked"), "\(allowed)")

        let cut = try run("block", "--device", String(device.dropLast(2)), "--reason", "without its padding")
        #expect(cut.status == 64 && cut.errors.contains("has no padding"), "\(cut.errors)")
        let other = try run("block", "--device", "phone 1", "--reason", "of another form")
        #expect(other.status == 0 && other.errors.contains("is no device ID of Approov"), "\(other.errors)")
        #expect(!begun.errors.contains("is no device ID"))
        let lifted = try run("unblock", "--device", device)
        #expect(lifted.status == 1 && lifted.output.isEmpty, "\(lifted)")
        #expect(lifted.errors.contains("the device has been allowed since"), "\(lifted)")
        #expect(lifted.errors.contains("`assay ledger disallow` removes that"), "\(lifted)")
        #expect(try run("show", "--device", device).output == allowed)
        let ended = try run("disallow", "--device", device)
        #expect(ended.status == 0)
        #expect(ended.output == "device \(device) is no longer allowed what policy refuses\n")
        for command in ["unblock", "disallow"] {
            let again = try run(command, "--device", device)
            #expect(again.status == 1)
            #expect(again.errors.contains("there was no block of device \(device), and no allowance in force"))
        }
        let nothing = try run("show", "--device", device)
        #expect(nothing.status == 0)
        #expect(nothing.output == "device \(device) is neither blocked nor allowed\n")
        #expect(try run("check").status == 0)
    }

    @Test("A block on an issuer does not block an account of the same name")
    func issuer() throws {
        let scratch = try Scratch()
        func run(_ arguments: String...) throws -> Run { try scratch.run(["ledger"] + arguments + Self.ledger) }
        let block = try run("block", "--issuer", "server-token", "--reason", "leaked", "--create-ledger")
        #expect(block.status == 0 && block.output.contains("issuer server-token: the issuer has been blocked since"))
        #expect(try run("show", "--issuer", "server-token").output.contains(": leaked\n"))
        #expect(try run("show", "--account", "server-token").output.contains("is neither blocked nor allowed"))
        #expect(try run("unblock", "--account", "server-token").status == 1)
        let disallowed = try run("disallow", "--issuer", "server-token")
        #expect(disallowed.status == 1 && disallowed.errors.contains("`assay ledger unblock` removes that"))
        let lifted = try run("unblock", "--issuer", "server-token")
        #expect(lifted.output == "issuer server-token is no longer blocked\n")
    }

    @Test("An allowed key is shown even if it is not enrolled; as an argument and as an option")
    func allowedKey() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("record", Data(TestEvidence.attestationLine("x").utf8))
        #expect(
            try scratch.run(["verify", "--policy", "policy.yaml", "--create-ledger", "record"] + Self.ledger).status
                == 0)
        let other = Data(repeating: 7, count: 32).base64EncodedString()
        for key in [TestEvidence.keyID, other] {
            let allow = [
                "ledger", "allow", "--key-id", key, "--reason", "test", "--check",
                "app-attest.assertion.bundle-version",
                "--until", "never",
            ]
            #expect(try scratch.run(allow + Self.ledger).status == 0)
            let shown = try scratch.run(["ledger", "show", key] + Self.ledger)
            #expect(shown.status == 0)
            #expect(shown.output.contains(/the key has been allowed since \S+: test\n/), "\(shown.output)")
            #expect(shown.output.contains("the key is not enrolled\n") == (key == other), "\(shown.output)")
            let option = try scratch.run(["ledger", "show", "--key-id", key] + Self.ledger)
            #expect(option.output == shown.output && option.status == 0, "\(option.errors)")
        }
    }

    @Test("The export has every entry, but no challenge that can still be used")
    func export() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let issued = try scratch.run(["challenge", "issue", "--app", "shop"] + Self.ledger).output
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x").utf8))
        #expect(try scratch.run(["verify", "--policy", "policy.yaml", "x.json"] + Self.ledger).status == 0)
        let block = ["ledger", "block", "--account", "a\nb", "--reason", "why", "--until", "2999-01-01T00:00:00Z"]
        #expect(try scratch.run(block + Self.ledger).status == 0)
        let allow = ["ledger", "allow", "--device", "d", "--reason", "test", "--until", "2999-01-01T00:00:00Z"]
        #expect(try scratch.run(allow + Self.ledger).status == 0)
        let run = try scratch.run(["ledger", "export"] + Self.ledger)
        #expect(run.status == 0)
        let entries = try run.json()
        #expect(entries.map { $0["entry"] as? String } == ["challenge", "key", "block", "allowance"])
        #expect(entries[1]["identifier"] as? String == TestEvidence.keyID)
        #expect(entries[2]["name"] as? String == "a\nb")
        #expect(entries[2]["until"] as? String == "2999-01-01T00:00:00Z")
        for (field, value) in [
            ("kind", "device"), ("name", "d"), ("reason", "test"), ("until", "2999-01-01T00:00:00Z"),
        ] {
            #expect(entries[3][field] as? String == value, "\(field)")
        }
        #expect(entries[3]["since"] as? String != nil)
        #expect(entries[3]["checks"] as? [String] == ["approov.token.annotations"])
        #expect((entries[3]["operator"] as? String)?.isEmpty == false)
        let challenge = issued.trimmingCharacters(in: .newlines)
        let standard = challenge.replacing("-", with: "+").replacing("_", with: "/")
        #expect(!run.output.contains(challenge) && !run.output.contains(standard))
        let summary = try scratch.run(["ledger", "show"] + Self.ledger).output
        for part in ["open challenges", "enrolled keys", "blocks in force", "allowances in force"] {
            #expect(try summary.contains(Regex("(?m)^\(part) +1$")), "\(summary)")
        }
        #expect(try scratch.run(["ledger", "check"] + Self.ledger).status == 0)
    }

    @Test("The help says which blocks are enforced, and under which conditions")
    func blockHelp() throws {
        // Line breaks depend on the width, so ignore them.
        let help = try Scratch().assay("ledger", "block", "--help").output
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for part in ["A block on a key is enforced", "if the backend names the account", "--create-ledger", "--issuer"]
        {
            #expect(help.contains(part), "\(help)")
        }
    }

    @Test("Operator names in the audit trail cannot be confused with each other")
    func operatorNames() throws {
        let scratch = try Scratch()
        for name in ["", "root\n", " root", "ro\u{200B}ot", String(repeating: "a", count: 256)] {
            let run = try scratch.run(
                ["ledger", "block", "--account", "x", "--reason", "y", "--create-ledger", "--operator", name]
                    + Self.ledger)
            #expect(
                run.status == 64 && run.errors.contains("no operator can have this name"), "\(name.debugDescription)")
            #expect(!scratch.exists("ledger.sqlite"))
        }
    }

    @Test("Blocks and allowances need one subject, a reason and at most one future end")
    func usage() throws {
        let scratch = try Scratch()
        let reason = ["--reason", "why"]
        let table: [[String]] = [
            ["block", "--account", "x"], ["block"] + reason, ["block", "--account", "x", "--device", "y"] + reason,
            ["block", "--key-id", "AAAA"] + reason,
            ["block", "--account", "x", "--until", "2000-01-01T00:00:00Z"] + reason,
            ["block", "--account", "x", "--until", "2999-01-01T00:00:00Z", "--for", "1d"] + reason, ["allow"],
            ["show", "AAAA"], ["block", "--issuer", "x"], ["block", "--issuer", ""] + reason,
            ["block", "--issuer", "x", "--device", "y"] + reason, ["show", TestEvidence.keyID, "--device", "y"],
            ["show", "--account", "x", "--device", "y"], ["show", "--device", ""], ["allow", "--device", ""] + reason,
            ["allow", "--device", "x", "--reason", ""], ["allow", "--device", "x"],
            ["allow", "--device", "x", "--for", "1d"],
            ["allow", "--device", "x", "--until", "2999-01-01T00:00:00Z"],
            ["allow", "--device", "x", "--create-ledger"], ["allow", "--device", "x", "--account", "y"] + reason,
            ["allow", "--device", "x", "--until", "2000-01-01T00:00:00Z"] + reason,
            ["allow", "--device", "x", "--until", "2999-01-01T00:00:00Z", "--for", "1d"] + reason,
        ]
        for arguments in table {
            #expect(try scratch.run(["ledger"] + arguments + Self.ledger).status == 64, "\(arguments)")
        }
        #expect(try scratch.assay("ledger", "show", "--ledger", "memory:").status == 64)
        #expect(!scratch.exists("ledger.sqlite"))
    }
}
