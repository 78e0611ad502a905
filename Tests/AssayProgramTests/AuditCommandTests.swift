import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("Accounts, allowances and the audit trail on the command line")
struct AuditCommandTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]
    private static let device = "h4gubfCFzJu81j/U2BJsdg=="

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> Run { try scratch.run(arguments + Self.ledger) }

    @Test(
        "Manual changes are listed with their operator, verified and exported; removed triggers are detected"
    )
    func trail() throws {
        #expect(
            try run(
                "ledger", "block", "--account", "alice", "--reason", "fraud\u{1B}[2J", "--operator", "eve",
                "--create-ledger"
            ).status == 0)
        #expect(
            try run("ledger", "allow", "--device", Self.device, "--reason", "pen test", "--operator", "ops").status == 0
        )
        #expect(try run("ledger", "unblock", "--account", "alice", "--operator", "ops").status == 0)
        #expect(try run("ledger", "unblock", "--account", "alice").status == 1)
        let list = try run("audit", "list")
        #expect(list.status == 0 && list.lines.count == 3, "\(list.errors)")
        #expect(list.lines[0].contains(/^1  \S+Z  eve  block  account alice  without an end: fraud/))
        #expect(!list.output.contains("\u{1B}"))
        #expect(list.lines[1].contains("  ops  allow  device \(Self.device)  checks approov.token.annotations; until "))
        #expect(list.lines[2].contains("  ops  unblock  account alice  it was blocked: fraud"))
        #expect(try run("audit", "list", "--operator", "eve").lines.count == 1)
        #expect(try run("audit", "list", "--since", "2999-01-01T00:00:00Z").output == "")

        let sound = try run("audit", "verify")
        let hash = try #require(sound.output.firstMatch(of: /3 entries, sound; the last hash is ([0-9a-f]{64})/)?.1)
        #expect(try run("audit", "verify", "--expect", String(hash)).status == 0)
        let other = try run("audit", "verify", "--expect", String(repeating: "ab", count: 32))
        #expect(other.status == 1 && other.errors.contains("no entry"), "\(other.errors)")
        #expect(try run("audit", "verify", "--expect", "abc").status == 64)
        let export = try run("audit", "export")
        #expect(export.lines.count == 3 && export.lines[2].hasSuffix(#","hash":"\#(hash)"}"#))
        // A user can verify the hashes of an export without assay.
        var previous = String(repeating: "0", count: 64)
        for line in export.lines {
            let parts = try #require(
                line.wholeMatch(of: /\{"entry":(\{.*"previous":"([0-9a-f]{64})"\}),"hash":"([0-9a-f]{64})"\}/))
            #expect(String(parts.2) == previous)
            #expect(Digest.sha256(Array(parts.1.utf8)).hexadecimal == String(parts.3))
            previous = String(parts.3)
        }
    }

    @Test("What another program writes past the trail is found by audit verify and by ledger check")
    func pastTheTrail() async throws {
        #expect(
            try run("ledger", "block", "--account", "mallory", "--reason", "x", "--create-ledger").status == 0)
        #expect(try run("operators", "add", "boss", "--role", "admin").status == 0)
        #expect(try run("operators", "revoke", "boss").status == 0)
        for command in [["ledger", "check"], ["audit", "verify"]] {
            #expect(try scratch.run(command + Self.ledger).status == 0)
        }
        let ledger = try SQLiteLedger.open(path: scratch.path("ledger.sqlite"))
        try ledger.executeOnWriter(
            """
            DELETE FROM block; UPDATE operator SET revokedAt = NULL;
            INSERT INTO block VALUES ('account', 'innocent', 'r', 0, NULL, 0, NULL, NULL)
            """)
        try await ledger.close()
        for command in [["ledger", "check"], ["audit", "verify"]] {
            let changed = try scratch.run(command + Self.ledger)
            #expect(changed.status == 1 && changed.errors.contains("3 findings"), "\(changed)")
            for words in ["account mallory", "account innocent", "operator boss was revoked"] {
                #expect(changed.lines.contains { $0.contains(words) }, "\(changed.output)")
            }
        }
    }

    @Test("Without --operator an entry names the user, and a missing ledger is an outage")
    func standardOperator() throws {
        #expect(
            try run("ledger", "block", "--issuer", "x", "--reason", "leaked", "--create-ledger").status == 0)
        #expect(try run("audit", "list").lines[0].contains(/^1  \S+Z  \S+  block  issuer x/))
        #expect(try scratch.run(["audit", "list", "--ledger", "sqlite:none.sqlite"]).status == 3)
        #expect(try scratch.run(["audit", "verify", "--ledger", "sqlite:none.sqlite"]).status == 3)
    }

    @Test("An allowance names policy checks only, and ends after 30 days by default")
    func allowances() throws {
        let key = ["--key-id", TestEvidence.keyID]
        func allow(_ arguments: [String]) throws -> Run {
            try scratch.run(["ledger", "allow", "--reason", "test", "--create-ledger"] + arguments + Self.ledger)
        }
        for (arguments, message) in [
            (key, "--check"), (key + ["--check", "app-attest.assertion.signature"], "only policy checks"),
            (key + ["--check", "app-attest.assertion.counter"], "only policy checks"),
            (["--account", "a", "--check", "approov.token.anotations"], "approov.token.annotations"),
            (["--issuer", "i", "--check", "approov.token.annotations"], "an issuer cannot be allowed"),
            (["--device", String(Self.device.dropLast(2))], "give \(Self.device)"),
        ] {
            let run = try allow(arguments)
            #expect(run.status == 64 && run.errors.contains(message), "\(arguments): \(run.errors)")
        }
        #expect(!scratch.exists("ledger.sqlite"))
        #expect(try allow(key + ["--check", "app-attest.assertion.bundle-version"]).status == 0)
        let first = try allow(["--device", Self.device])
        #expect(first.status == 0 && !first.output.contains("it replaces"), "\(first.output)")
        let second = try allow(["--device", Self.device, "--until", "never"])
        #expect(second.status == 0 && second.output.contains("it replaces: "), "\(second.output)")
        #expect(try run("ledger", "block", "--account", "alice", "--reason", "spam", "--operator", "eve").status == 0)
        let block = try run("ledger", "block", "--account", "alice", "--reason", "fraud", "--operator", "eve")
        #expect(block.status == 0 && block.output.contains(/it replaces: .*spam/), "\(block.output)")
        let list = try run("ledger", "show", "--allowances")
        #expect(list.lines.count == 2, "\(list.output)")
        #expect(list.lines[0].hasPrefix("device \(Self.device): ") && !list.lines[0].contains(" until "))
        let start = try #require(list.lines[1].firstMatch(of: /since (\S+) until (\S+):/))
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let (since, until) = (formatter.date(from: String(start.1)), formatter.date(from: String(start.2)))
        if let since, let until { #expect(abs(until.timeIntervalSince(since) - 30 * 86_400) < 1) }
        #expect(list.lines[1].contains("excused: app-attest.assertion.bundle-version"))
        let blocks = try run("ledger", "show", "--blocks")
        #expect(blocks.lines.count == 1 && blocks.lines[0].contains(": fraud, by eve"), "\(blocks.output)")
        #expect(try run("ledger", "show", "--blocks", "--allowances").lines.count == 3)
        #expect(try run("ledger", "show", "--blocks", "--account", "alice").status == 64)
    }

    @Test("A key is enrolled for the account of its session, listed under it, and moved manually")
    func accounts() throws {
        try scratch.policy()
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x").utf8))
        func verify(_ file: String, _ account: String) throws -> Run {
            try scratch.run(
                ["verify", "--policy", "policy.yaml", file, "--account", account, "--json", "--create-ledger"]
                    + Self.ledger)
        }
        #expect(try verify("x.json", "").status == 64)
        #expect(try verify("x.json", "alice").status == 0)
        let shown = try run("ledger", "show", "--account", "alice")
        #expect(
            shown.output.contains(TestEvidence.keyID) && shown.output.contains("1 key of the account"),
            "\(shown.output)")
        #expect(try run("ledger", "show", TestEvidence.keyID).output.contains(/account +alice\n/))
        try scratch.write("a.json", Data(TestEvidence.assertionLine("x", counter: 1).utf8))
        let foreign = try verify("a.json", "bob")
        #expect(try foreign.json().first?["failed"] as? [String] == ["app-attest.assertion.account"])
        let moved = try run("ledger", "move", "--key-id", TestEvidence.keyID, "--account", "bob", "--operator", "ops")
        #expect(moved.status == 0 && moved.output.contains("belongs to account bob; before it was of account alice"))
        #expect(try verify("a.json", "bob").status == 0)
        #expect(try run("ledger", "show", "--account", "alice").output.contains("0 keys of the account"))
        let unknown = Data(repeating: 7, count: 32).base64EncodedString()
        #expect(try run("ledger", "move", "--key-id", unknown, "--no-account").status == 1)
        #expect(try run("ledger", "move", "--key-id", unknown).status == 64)
        #expect(
            try run("audit", "list").output.contains(
                "move-key  key \(TestEvidence.keyID)  from account alice to account bob"))
        let record = try TestEvidence.assertionLine("x", counter: 2).replacing(
            #""kind""#, with: #""account":"carol","kind""#, maxReplacements: 1)
        try scratch.write("c.json", Data(record.utf8))
        let contrary = try verify("c.json", "bob")
        #expect(
            contrary.status == 2 && contrary.errors.contains("another account than --account"), "\(contrary.errors)")
    }
}
