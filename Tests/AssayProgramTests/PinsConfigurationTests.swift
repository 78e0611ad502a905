import AssayTestSupport
import Foundation
import Testing

/// The configuration of apps on the command line.
@Suite("Configuration of apps on the command line")
struct PinsConfigurationTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]
    private static let keys = ledger + ["--master-key", "file:master.key"]
    private static let keyID = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write("master.key", Data(String(repeating: "5a", count: 32).utf8))
        try #require(chmod(scratch.path("master.key"), 0o600) == 0)
        try policy("configuration: pins")
        try #require(try scratch.run(["ledger", "create"] + Self.ledger).status == 0)
    }

    private func policy(_ more: String) throws {
        try scratch.write(
            "policy.yaml",
            Data(
                """
                version: 1
                apps:
                  - name: shop
                    appAttest:
                      appIDs: [1234567890.com.example.shop]
                      environments: [production]
                      challenge: ledger
                      clientData: raw
                    tokens: { issuer: https://attest.example.com, audiences: [https://api.example.com], \(more) }
                """.utf8))
    }

    private func configuration(_ more: String...) throws -> Run {
        try scratch.run(["pins", "configuration", "--policy", "policy.yaml"] + more + Self.keys)
    }

    /// The claims of a configuration.
    private func claims(_ run: Run) throws -> [String: Any] {
        try #require(run.status == 0 && run.lines.count == 1, "\(run)")
        var payload = String(try #require(run.lines[0].split(separator: ".").dropFirst().first))
        payload = payload.replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let data = try #require(Data(base64Encoded: payload))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("The initial configuration: its key is made once, and inspect explains it")
    func initial() throws {
        let first = try configuration("--app", "shop", "--operator", "eve")
        #expect(first.errors.contains("the key configuration-1 is made"), "\(first)")
        let claims = try claims(first)
        #expect(claims["version"] as? Int == 1 && claims["force"] as? Int == 0 && claims["mode"] == nil)
        #expect(claims["aud"] as? String == "shop" && claims["iss"] as? String == "https://attest.example.com")
        let again = try configuration()
        #expect(try self.claims(again)["version"] as? Int == 1 && again.errors.isEmpty)
        let audit = try scratch.run(["audit", "list"] + Self.ledger)
        #expect(audit.lines.count == 1 && audit.lines[0].contains(#/eve +add-key +key configuration-1/#), "\(audit)")

        try scratch.write("shop.jwt", Data(first.output.utf8))
        let inspected = try scratch.assay("inspect", "shop.jwt")
        #expect(inspected.status == 0 && inspected.output.contains("Assay configuration of an app"), "\(inspected)")
        #expect(inspected.output.contains("the app, by its name in the policy"))
        #expect(inspected.output.contains("grows with every change of pins and keys"))
    }

    @Test("An app that the policy gives none, a wrong master key and a missing ledger are refused")
    func refusals() throws {
        let unknown = try configuration("--app", "shopp")
        #expect(unknown.status == 1 && unknown.errors.contains("did you mean shop?"), "\(unknown)")
        try policy("configuration: none")
        let none = try configuration()
        #expect(none.status == 1 && none.errors.contains("set tokens.configuration: pins"), "\(none)")
        // No key was made for it.
        #expect(try scratch.run(["audit", "list"] + Self.ledger).lines.isEmpty)
        try policy("configuration: pins")
        let missing = try scratch.run(
            ["pins", "configuration", "--policy", "policy.yaml", "--ledger", "sqlite:none.sqlite", "--master-key"]
                + ["file:master.key"])
        #expect(missing.status == 3, "\(missing)")
        try policy("configuration: all")
        #expect(try configuration().status == 2)
    }

    @Test("Force takes the present version, or one above another, with an entry of the audit trail")
    func force() throws {
        let early = try scratch.run(["pins", "force"] + Self.ledger)
        #expect(early.status == 1 && early.errors.contains("nothing was changed"), "\(early)")
        _ = try claims(try configuration())
        let forced = try scratch.run(["pins", "force", "--operator", "eve"] + Self.ledger)
        #expect(forced.status == 0 && forced.output.contains("version 1 of their configuration"), "\(forced)")
        var claims = try claims(try configuration())
        #expect(claims["version"] as? Int == 1 && claims["force"] as? Int == 1)
        let above = try scratch.run(["pins", "force", "--above", "57"] + Self.ledger)
        #expect(above.status == 0 && above.output.contains("version 58"), "\(above)")
        claims = try self.claims(try configuration())
        #expect(claims["version"] as? Int == 58 && claims["force"] as? Int == 58)
        let audit = try scratch.run(["audit", "list"] + Self.ledger)
        #expect(audit.output.contains(#/eve +force-pins +pins +version 1\b/#), "\(audit)")
        for wrong in ["-1", "9007199254740991", "x"] {
            #expect(try scratch.run(["pins", "force", "--above=\(wrong)"] + Self.ledger).status == 64)
        }
    }

    @Test("A mode is set for one device, listed, and ended")
    func modes() throws {
        let set = try scratch.run(
            ["pins", "mode", "unpin", "--key-id", Self.keyID, "--for", "2h", "--operator", "eve"] + Self.ledger)
        #expect(set.status == 0 && set.output.hasPrefix("key \(Self.keyID): unpin until "), "\(set)")
        let changed = try scratch.run(["pins", "mode", "block", "--key-id", Self.keyID] + Self.ledger)
        #expect(changed.status == 0 && changed.output.contains("; it had unpin until "), "\(changed)")
        let jkt = String(repeating: "A", count: 43)
        for device in [["--device", "phone"], ["--jkt", jkt]] {
            #expect(try scratch.run(["pins", "mode", "blockAll"] + device + Self.ledger).status == 0)
        }
        let list = try scratch.run(["pins", "modes"] + Self.ledger)
        #expect(list.status == 0 && list.lines.count == 4, "\(list)")
        #expect(list.output.contains(#/key \S+ +block +20\S+ /#) && list.output.contains("device phone"), "\(list)")
        let json = try scratch.run(["pins", "modes", "--json"] + Self.ledger)
        #expect((try json.json().first?["modes"] as? [Any])?.count == 3, "\(json)")
        let ended = try scratch.run(["pins", "mode", "pin", "--key-id", Self.keyID] + Self.ledger)
        #expect(ended.status == 0 && ended.output.contains("has its pins again"), "\(ended)")
        let again = try scratch.run(["pins", "mode", "pin", "--key-id", Self.keyID] + Self.ledger)
        #expect(again.status == 0 && again.output.contains("has no mode"), "\(again)")
        #expect(try scratch.run(["pins", "modes"] + Self.ledger).lines.count == 3)
        let audit = try scratch.run(["audit", "list"] + Self.ledger)
        #expect(audit.lines.count == 5, "\(audit)")
        #expect(audit.output.contains(#/eve +set-pin-mode +key \S+ +unpin until 20/#), "\(audit)")
        for wrong in [
            ["open", "--device", "phone"], ["unpin"], ["unpin", "--device", "a", "--jkt", jkt],
            ["unpin", "--jkt", "a"],
            ["unpin", "--device", ""], ["unpin", "--key-id", "AQE="], ["unpin", "--device", "a", "--for", "31d"],
            ["pin", "--device", "a", "--for", "1h"],
        ] {
            #expect(try scratch.run(["pins", "mode"] + wrong + Self.ledger).status == 64, "\(wrong)")
        }
    }
}
