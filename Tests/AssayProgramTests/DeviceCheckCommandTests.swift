import AssayCore
import Foundation
import Testing

@Suite("Bans of devices on the command line")
struct DeviceCheckCommandTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]

    @Test(
        "A ban is a block, and its lifting an allowance of the one check; both are in the audit trail under the operator",
        arguments: [
            ("devicecheck", "device-check.ban"), ("playintegrity", "play-integrity.device-recall"),
        ])
    func standings(command: String, check: String) throws {
        let scratch = try Scratch()
        #expect(
            try scratch.run(["challenge", "issue", "--app", "a", "--for", "app-attest.attestation"] + Self.ledger)
                .status == 0)
        func run(_ words: String...) throws -> Run {
            try scratch.run([command] + words + ["--yes"] + Self.ledger)
        }
        let ban = try run("ban", "--account", "mallory", "--reason", "fraud", "--operator", "eve")
        #expect(ban.status == 0 && ban.output.contains("blocked") && ban.output.contains("fraud"), "\(ban)")
        let unban = try run("unban", "--account", "mallory", "--reason", "a new owner", "--operator", "eve")
        #expect(unban.status == 0 && unban.output.contains("it replaces") && unban.output.contains("fraud"), "\(unban)")
        let shown = try scratch.run(["ledger", "show", "--account", "mallory"] + Self.ledger)
        #expect(shown.output.contains("allowed") && shown.output.contains("a new owner"), "\(shown)")
        let audit = try scratch.run(["audit", "list"] + Self.ledger).output.split(separator: "\n")
        #expect(audit.count == 3 && audit.allSatisfy { $0.contains("  eve  ") && $0.contains("account mallory") })
        #expect(zip(audit, ["block", "unblock", "allow"]).allSatisfy { $0.contains("  \($1)  ") }, "\(audit)")
        #expect(audit.last?.contains("checks \(check);") == true)
    }

    @Test("A subject without a device, a missing reason and a missing ledger are refused")
    func refused() throws {
        let scratch = try Scratch()
        for words in [
            ["ban", "--issuer", "someone", "--reason", "x"], ["unban", "--issuer", "someone", "--reason", "x"],
            ["ban", "--account", "a"], ["unban", "--account", "a", "--reason", ""],
        ] {
            for command in ["devicecheck", "playintegrity"] {
                #expect(try scratch.run([command] + words + ["--yes"] + Self.ledger).status == 64, "\(words)")
            }
        }
        for command in ["devicecheck", "playintegrity"] {
            let ban = [command, "ban", "--account", "a", "--reason", "x", "--yes"]
            #expect(try scratch.run(ban + Self.ledger).status == 3)
        }
    }

    @Test("Bits of device recall are written for the app's own account alone, and each once")
    func write() throws {
        let scratch = try Scratch()
        try scratch.write("token.txt", Data("bm90IGEgdG9rZW4\n".utf8))
        let account = ["--service-account", "file:account.json"]
        for (words, complaint) in [
            (["--set", "bitFirst"], "--service-account is needed"), (account, "name each bit once"),
            (["--set", "bitFirst", "--clear", "bitFirst"] + account, "name each bit once"),
            (["--set", "bitFourth"] + account, "bitFourth"),
        ] {
            let run = try scratch.run(
                ["playintegrity", "write", "token.txt", "--package-name", "com.example.shop", "--yes"] + words)
            #expect(run.status == 64 && run.errors.contains(complaint), "\(words) \(run)")
        }
    }
}
