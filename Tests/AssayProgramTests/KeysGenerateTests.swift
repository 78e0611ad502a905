import AssayTestSupport
import Foundation
import Testing

@Suite("Secrets that the program draws")
struct KeysGenerateTests {
    private static let store = KeysCommandTests.store

    @Test("A drawn secret is sealed, exported once into a file of its owner, and in the audit trail as an added key")
    func export() throws {
        let scratch = try Scratch()
        _ = try scratch.writeKeys()
        let cases: [(use: String, id: [String], count: Int)] = [
            ("approov-issuer", [], 64), ("approov", ["--key-id", "2026"], 64),
            ("approov-message", ["--key-id", "m"], 32),
            ("assay-token-subjects", [], 32),
        ]
        var drawn: Set<Data> = []
        for (use, id, count) in cases {
            let run = try scratch.run(
                ["keys", "generate", use, "--use", use, "--export", "\(use).b64"] + id + Self.store)
            #expect(run.status == 0 && run.output.contains("key \(use) for \(use) is sealed"), "\(run)")
            let text = try String(contentsOfFile: scratch.path("\(use).b64"), encoding: .utf8)
            let secret = try #require(Data(base64Encoded: text.trimmingCharacters(in: .newlines)))
            #expect(secret.count == count && text.hasSuffix("\n"))
            #expect(drawn.insert(secret).inserted, "two secrets are equal")
            let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("\(use).b64"))[.posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(!run.output.contains(text.prefix(20)) && !run.errors.contains(text.prefix(20)))
        }
        // The sealed secret is the exported one.
        let again = try scratch.run(
            ["keys", "add", "copy", "--use", "approov-issuer", "--secret", "file:approov-issuer.b64"] + Self.store)
        #expect(again.status == 0 && again.errors.contains("the key approov-issuer has the same secret as copy"))
        let trail = try scratch.run(["audit", "list", "--json"] + KeysCommandTests.ledger)
        #expect(trail.output.contains("add-key") && trail.output.contains("approov-issuer"), "\(trail)")
    }

    @Test("Standard output has the secret alone, and only where it is asked for")
    func standardOutput() throws {
        let scratch = try Scratch()
        _ = try scratch.writeKeys()
        let asked = try scratch.run(
            ["keys", "generate", "a", "--use", "approov-issuer", "--export", "-"] + Self.store)
        #expect(asked.status == 0 && asked.errors.contains("key a for approov-issuer is sealed"))
        #expect(Data(base64Encoded: asked.output.trimmingCharacters(in: .newlines))?.count == 64)
        let kept = try scratch.run(["keys", "generate", "b", "--use", "approov-issuer"] + Self.store)
        #expect(kept.status == 0 && kept.lines.count == 1 && kept.output.hasPrefix("key b"), "\(kept)")
        let longer = try scratch.run(
            ["keys", "generate", "c", "--use", "approov-message", "--key-id", "c", "--length", "64", "--export", "-"]
                + Self.store)
        #expect(Data(base64Encoded: longer.output.trimmingCharacters(in: .newlines))?.count == 64, "\(longer)")
    }

    @Test("What cannot be drawn or exported leaves no key and no file")
    func refusals() throws {
        let scratch = try Scratch()
        _ = try scratch.writeKeys()
        try scratch.write("taken", Data("old".utf8))
        let cases: [(arguments: [String], status: Int32, words: String)] = [
            (["--use", "play-integrity"], 64, "is not random bytes; allowed are"),
            (["--use", "capture"], 64, "no engine uses keys for"),
            (["--use", "approov-message"], 64, "needs --key-id"),
            (["--use", "assay-token-subjects", "--key-id", "x"], 64, "--key-id is no part"),
            (["--use", "approov-issuer", "--length", "32"], 64, "--length"),
            (["--use", "approov-issuer", "--length", "8"], 64, "expected 16 to 128, found 8"),
            (["--use", "approov-issuer", "--export", "taken"], 74, "it exists already"),
            (["--use", "approov-issuer", "--export", "none/file"], 74, "cannot be made"),
        ]
        for (arguments, status, words) in cases {
            let run = try scratch.run(["keys", "generate", "a"] + arguments + Self.store)
            #expect(run.status == status && run.errors.contains(words), "\(arguments): \(run)")
        }
        #expect(try String(contentsOfFile: scratch.path("taken"), encoding: .utf8) == "old")
        #expect(try scratch.run(["keys", "generate", "a", "--use", "approov-issuer"] + Self.store).status == 0)
        let second = try scratch.run(
            ["keys", "generate", "a", "--use", "approov-issuer", "--export", "second"] + Self.store)
        #expect(second.status == 1 && !scratch.exists("second"), "\(second)")
        #expect(try scratch.run(["keys", "list", "--json"] + KeysCommandTests.ledger).json().count == 1)
    }

    @Test("The list of keys notes the live ones that end within 14 days")
    func ends() throws {
        let scratch = try Scratch()
        _ = try scratch.writeKeys()
        for (name, days) in [("soon", 3.0), ("later", 15.0)] {
            let end = Date(timeIntervalSinceNow: days * 86_400 + 3600).formatted(.iso8601)
            let run = try scratch.run(
                ["keys", "generate", name, "--use", "approov-issuer", "--not-after", end] + Self.store)
            #expect(run.status == 0, "\(run)")
        }
        let list = try scratch.run(["keys", "list"] + KeysCommandTests.ledger)
        #expect(list.errors.contains("key soon for approov-issuer ends in 3 days"), "\(list)")
        #expect(!list.errors.contains("later") && list.lines.count == 3)
    }
}
