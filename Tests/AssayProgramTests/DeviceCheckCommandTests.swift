import AssayCore
import Foundation
import Testing

@Suite("Bans of devices on the command line")
struct DeviceCheckCommandTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]

    @Test(
        "A ban is a block, and its lifting an allowance of the one check; both are in the audit trail under the operator"
    )
    func standings() throws {
        let scratch = try Scratch()
        #expect(
            try scratch.run(["challenge", "issue", "--app", "a", "--for", "app-attest.attestation"] + Self.ledger)
                .status == 0)
        func run(_ words: String...) throws -> Run {
            try scratch.run(["devicecheck"] + words + ["--yes"] + Self.ledger)
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
        #expect(audit.last?.contains("checks device-check.ban;") == true)
    }

    @Test("A subject without a device, a missing reason and a missing ledger are refused")
    func refused() throws {
        let scratch = try Scratch()
        for words in [
            ["ban", "--issuer", "someone", "--reason", "x"], ["unban", "--issuer", "someone", "--reason", "x"],
            ["ban", "--account", "a"], ["unban", "--account", "a", "--reason", ""],
        ] {
            #expect(try scratch.run(["devicecheck"] + words + ["--yes"] + Self.ledger).status == 64, "\(words)")
        }
        #expect(
            try scratch.run(["devicecheck", "ban", "--account", "a", "--reason", "x", "--yes"] + Self.ledger).status
                == 3)
    }
}
