import Foundation
import Testing

@Suite("Enrolled keys and JSON of the ledger")
struct LedgerKeysCommandTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]

    private let scratch: Scratch
    /// The key IDs of the phones of apps `shop`, account alice, and `other`, without an account.
    private let keys: [String]

    /// Enrols a key of each of two apps. One authority attests both phones.
    init() throws {
        scratch = try Scratch()
        let section = "environments: [production], challenge: caller, clientData: raw, testRoots: [\"file:root.pem\"]"
        let apps = ["shop", "other"].map {
            "- { name: \($0), appAttest: { appIDs: [1234567890.\($0)], \(section) } }\n"
        }
        try scratch.write("policy.yaml", Data("version: 1\napps:\n\(apps.joined())".utf8))
        var keys: [String] = []
        for (app, authority, account) in [
            ("shop", ["--root", "root.pem"], ["--account", "alice"]), ("other", ["--authority", "shop.json"], []),
        ] {
            let made = try scratch.run(
                ["mint", "app-attest", "device", "\(app).json", "--app-id", "1234567890.\(app)"] + authority)
            #expect(made.status == 0, "\(made)")
            keys.append(String(made.errors.firstMatch(of: /key ID (\S+)/)?.1 ?? ""))
            let record = try scratch.run([
                "mint", "app-attest", "attestation", "--device", "\(app).json", "--challenge", "x", "--app", app,
            ])
            try scratch.write("record.json", Data(record.output.utf8))
            let enrolled = try scratch.run(["verify", "--create-ledger", "record.json"] + Self.ledger + account)
            #expect(enrolled.status == 0, "\(enrolled)")
        }
        self.keys = keys
    }

    private func run(_ arguments: String...) throws -> Run { try scratch.run(arguments + Self.ledger) }

    @Test("Keys are listed by app, account and time of enrolment, as text and as JSON")
    func list() throws {
        func found(_ arguments: String...) throws -> Set<String> {
            let text = try scratch.run(["ledger", "keys"] + arguments + Self.ledger)
            let objects = try scratch.run(["ledger", "keys", "--json"] + arguments + Self.ledger)
            #expect(text.status == 0 && objects.status == 0, "\(text), \(objects)")
            let identifiers = try objects.json().compactMap { $0["identifier"] as? String }
            #expect(text.lines.map { String($0.prefix { $0 != " " }) } == identifiers, "\(text)")
            #expect(text.errors.contains("has no such keys") == identifiers.isEmpty, "\(text)")
            return Set(identifiers)
        }
        #expect(try found() == Set(keys))
        #expect(try found("--app", "shop") == [keys[0]])
        #expect(try found("--app", "other") == [keys[1]])
        #expect(try found("--account", "alice") == [keys[0]])
        #expect(try found("--account", "alice", "--app", "other").isEmpty)
        #expect(try found("--account", "mallory").isEmpty)
        #expect(try found("--since", "2026-01-01T00:00:00Z", "--app", "other") == [keys[1]])
        #expect(try found("--since", "2999-01-01T00:00:00Z").isEmpty)
        let line = try run("ledger", "keys", "--account", "alice").output
        #expect(line.contains(/^\S+ of app-attest, app shop, account alice, enrolled at \S+Z\n$/), "\(line)")
        // The same object as in the export, which has entries of other sections too.
        #expect(try run("challenge", "issue", "--app", "shop").status == 0)
        #expect(try run("ledger", "block", "--account", "alice", "--reason", "x").status == 0)
        let export = try run("ledger", "export")
        #expect(try export.output.contains(run("ledger", "keys", "--app", "shop", "--json").output))
        #expect(try run("ledger", "keys").lines.count == 2)
        #expect(try scratch.run(["ledger", "keys", "--app", ""] + Self.ledger).status == 64)
        #expect(try run("ledger", "keys", "--since", "yesterday").status == 64)
        #expect(try scratch.run(["ledger", "keys", "--ledger", "sqlite:none.sqlite"]).status == 3)
    }

    @Test("ledger show prints its counts, subjects and standings as JSON")
    func show() throws {
        let summary = try #require(try run("ledger", "show", "--json").json().first)
        #expect(summary["ledger"] as? String == "sqlite:ledger.sqlite")
        #expect(summary["keys"] as? Int == 2 && summary["blocks"] as? Int == 0)
        #expect(try run("ledger", "block", "--account", "alice", "--reason", "fraud").status == 0)
        let blocks = try run("ledger", "show", "--blocks", "--json").json()
        #expect(blocks.count == 1 && blocks.first?["reason"] as? String == "fraud")
        let none = try run("ledger", "show", "--allowances", "--json")
        #expect(none.status == 0 && none.output.isEmpty)
        let account = try #require(try run("ledger", "show", "--account", "alice", "--json").json().first)
        #expect(account["kind"] as? String == "account" && account["name"] as? String == "alice")
        #expect((account["keys"] as? [[String: Any]])?.first?["identifier"] as? String == keys[0])
        #expect((account["standings"] as? [[String: Any]])?.first?["entry"] as? String == "block")
        let key = try #require(try run("ledger", "show", keys[1], "--json").json().first)
        #expect((key["keys"] as? [[String: Any]])?.first?["app"] as? String == "other")
        #expect((key["standings"] as? [Any])?.isEmpty == true)
        let unknown = try run("ledger", "show", Data(repeating: 7, count: 32).base64EncodedString(), "--json")
        #expect(unknown.status == 1 && unknown.output.isEmpty && unknown.errors.contains("has no such key"))
        #expect(try run("ledger", "quarantine", "--for", "1h").status == 0)
        #expect(try run("ledger", "show", "--json").json().first?["quarantineUntil"] as? String != nil)
    }

    @Test("ledger check, audit list and audit verify print JSON, with the status that they have as text")
    func checks() throws {
        let check = try run("ledger", "check", "--json")
        #expect(check.status == 0, "\(check)")
        let checked = try #require(try check.json().first)
        #expect(checked["sound"] as? Bool == true && (checked["problems"] as? [Any])?.isEmpty == true)
        #expect(try run("ledger", "block", "--account", "alice", "--reason", "x", "--operator", "eve").status == 0)
        #expect(try run("ledger", "unblock", "--account", "alice", "--operator", "ops").status == 0)
        #expect(try run("audit", "list", "--json").output == run("audit", "export").output)
        #expect(try run("audit", "list", "--json", "--operator", "eve").json().count == 1)
        let verified = try #require(try run("audit", "verify", "--json").json().first)
        #expect(verified["sound"] as? Bool == true && verified["entries"] as? Int == 2)
        #expect(verified["expectedFound"] == nil)
        let hash = try #require(verified["lastHash"] as? String)
        let found = try run("audit", "verify", "--json", "--expect", hash)
        #expect(try found.status == 0 && found.json().first?["expectedFound"] as? Bool == true)
        let other = try run("audit", "verify", "--json", "--expect", String(repeating: "ab", count: 32))
        #expect(try other.status == 1 && other.json().first?["expectedFound"] as? Bool == false)
        #expect(try scratch.shell("chmod o+r ledger.sqlite").status == 0)
        let readable = try run("ledger", "check", "--json")
        #expect(readable.status == 4, "\(readable)")
        #expect(try (readable.json().first?["settings"] as? [String])?.first?.contains("every user may read") == true)
    }

    @Test("A second phone of an authority needs no other root; one of --root and --authority is needed")
    func authority() throws {
        let device = ["mint", "app-attest", "device", "third.json"]
        for options in [[], ["--root", "r.pem", "--authority", "shop.json"]] {
            let run = try scratch.run(device + options)
            #expect(run.status == 64 && run.errors.contains("exactly one of --root and --authority"), "\(run)")
        }
        #expect(try scratch.run(device + ["--authority", "root.pem"]).status == 2)
        #expect(!scratch.exists("third.json"))
        // The authority of a phone that shares one is the same.
        #expect(try scratch.run(device + ["--authority", "other.json", "--app-id", "1234567890.shop"]).status == 0)
        let record = try scratch.run(
            ["mint", "app-attest", "attestation", "--device", "third.json", "--challenge", "x", "--app", "shop"])
        try scratch.write("record.json", Data(record.output.utf8))
        #expect(try scratch.run(["verify", "--policy", "policy.yaml", "record.json"]).status == 0)
    }
}
