import AssayTestSupport
import Foundation
import Testing

@Suite("assay secrets")
struct SecretsCommandTests {
    private static let store = ["--ledger", "sqlite:ledger.sqlite", "--master-key", "file:m"]

    private static func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.writeKeys()
        try scratch.writeSecret("maps.key", "canary-7Hq2\n")
        return scratch
    }

    @Test("A secret is added, listed and retired, and its value is printed nowhere")
    func life() throws {
        let scratch = try Self.scratch()
        let text = try scratch.run(
            ["secrets", "add", "maps", "--for", "shop", "--value", "file:maps.key"] + Self.store)
        let derived = try scratch.run(["secrets", "add", "sealing", "--for", "shop", "--derive"] + Self.store)
        #expect(text.status == 0 && derived.status == 0, "\(text) \(derived)")
        // The same name again: the next value.
        let next = try scratch.run(
            ["secrets", "add", "maps", "--value", "env:NEXT", "--not-before", "2999-01-01T00:00:00Z"] + Self.store,
            environment: ["NEXT": "canary-8"])
        #expect(next.status == 0, "\(next)")
        let list = try scratch.run(["secrets", "list", "--json"] + Self.store)
        let rows = try list.json()
        #expect(
            rows.map { "\($0["secret"] ?? "") \($0["mode"] ?? "") \($0["state"] ?? "")" }.sorted() == [
                "maps text live", "maps text pending", "sealing derive live",
            ])
        let name = try #require(
            rows.first { $0["state"] as? String == "live" && $0["secret"] as? String == "maps" }?["name"])
        let key = try #require(name as? String)
        let retired = try scratch.run(["secrets", "retire", key, "--yes"] + Self.store)
        #expect(retired.status == 0 && retired.output.contains("is retired"), "\(retired)")
        #expect(try scratch.run(["secrets", "retire", key, "--yes"] + Self.store).status == 1)
        #expect(try scratch.run(["secrets", "retire", "none", "--yes"] + Self.store).status == 1)
        let table = try scratch.run(["secrets", "list"] + Self.store)
        let keys = try scratch.run(["keys", "list"] + Self.store)
        #expect(table.output.contains("retired") && keys.output.contains("HKDF-SHA256 sealing"), "\(table)\(keys)")
        for run in [text, derived, next, list, retired, table, keys] {
            #expect(!(run.output + run.errors).contains("canary"), "\(run)")
        }
    }

    @Test("What is no secret is refused, without the value")
    func refused() throws {
        let scratch = try Self.scratch()
        try scratch.writeSecret("nul", "canary\0")
        try scratch.writeSecret("empty", "\n")
        let table: [(arguments: [String], status: Int32, words: String)] = [
            (["a,b", "--derive"], 64, "the name of a secret"), (["", "--derive"], 64, "the name of a secret"),
            ([String(repeating: "n", count: 65), "--derive"], 64, "found 65 bytes"), (["maps"], 64, "--derive"),
            (["maps", "--derive", "--value", "file:maps.key"], 64, "--derive"),
            (["maps", "--value", "canary-7Hq2"], 64, "--value"), (["maps", "--value", "file:nul"], 2, "NUL"),
            (["maps", "--value", "file:empty"], 2, "--value"), (["maps", "--value", "file:none"], 2, "none"),
            (
                ["maps", "--derive", "--not-before", "2026-01-02T00:00:00Z", "--not-after", "2026-01-01T00:00:00Z"], 64,
                "before"
            ),
        ]
        for entry in table {
            let run = try scratch.run(["secrets", "add"] + entry.arguments + Self.store)
            #expect(run.status == entry.status && run.errors.contains(entry.words), "\(entry.arguments): \(run)")
            #expect(!(run.output + run.errors).contains("canary"), "\(run)")
        }
    }
}
