import AssayTestSupport
import Foundation
import Testing

@Suite("assay mint corpus")
struct MintCorpusTests {
    private let mint = [
        "mint", "corpus", "--output", "out", "--seed", "tests", "--at", "2026-05-01T00:00:00Z", "--devices", "12",
        "--days", "2",
    ]

    @Test("Every record gets its expected verdict under the generated policy, in the days before the given time")
    func judged() throws {
        let scratch = try Scratch()
        let run = try scratch.run(mint)
        #expect(run.status == 0, "\(run.errors)")
        let judged = try scratch.run([
            "verify", "--policy", "out/policy.yaml", "--as-captured", "--json", "out/corpus.ndjson",
        ])
        #expect(judged.status == 0 || judged.status == 1, "\(judged.errors)")
        #expect(judged.errors == "")
        let text = try String(contentsOf: scratch.folder.appendingPathComponent("out/corpus.ndjson"), encoding: .utf8)
        #expect(judged.lines.count == text.split(separator: "\n").count)
        #expect(run.output.hasPrefix("\(judged.lines.count) records in "))
        let times = text.matches(of: /"receivedAt":"(.{10})/).map { String($0.1) }
        #expect(Set(times).isSubset(of: ["2026-04-28", "2026-04-29", "2026-04-30"]))
        let mode = try FileManager.default.attributesOfItem(
            atPath: scratch.path("out/keys/play-decryption.b64"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("The same seed and time give the same files")
    func deterministic() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(mint).status == 0)
        #expect(try scratch.shell("mv out first").status == 0)
        #expect(try scratch.run(mint).status == 0)
        let difference = try scratch.shell("diff -r first out")
        #expect(difference.status == 0, "\(difference.output)")
    }

    @Test("Shares of failures are met; with --only-given-shares there are no other failures")
    func shares() throws {
        let scratch = try Scratch()
        let run = try scratch.run(
            mint + [
                "--records", "400", "--ios-share", "100%", "--only-given-shares", "--share",
                "app-attest.assertion.counter=10%",
            ])
        #expect(run.status == 0, "\(run.errors)")
        let judged = try scratch.run([
            "verify", "--policy", "out/policy.yaml", "--as-captured", "--json", "out/corpus.ndjson",
        ])
        let failed = try judged.json().compactMap { ($0["failed"] as? [String])?.first }
        #expect(Set(failed) == ["app-attest.assertion.counter"])
        #expect((30...40).contains(failed.count))
        #expect(judged.lines.count == 400)
    }

    @Test(
        "An invalid blueprint is an argument error, and nothing is written",
        arguments: [
            (["--share", "app-attest.assertion.key-state=1%"], "app-attest.assertion.counter"),
            (["--share", "app-attest.assertion.counter"], "a check and a percentage"),
            (["--share", "app-attest.assertion.counter=5"], "expected a percentage"),
            (["--share", "play-integrity.nonce=1%", "--share", "play-integrity.nonce=2%"], "given twice"),
            (["--ios-share", "lots"], "expected a percentage"), (["--devices", "0"], "devices"),
            (["--records", "10", "--requests-per-device-day", "2"], "exclude each other"),
        ])
    func refused(_ arguments: [String], _ words: String) throws {
        let scratch = try Scratch()
        let base = mint.filter { $0 != "--devices" && $0 != "12" }
        let run = try scratch.run(base + arguments)
        #expect(run.status == 64)
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(!scratch.exists("out"))
    }

    @Test("A folder that is not empty is not changed without --force")
    func refusal() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path("out"), withIntermediateDirectories: true)
        try scratch.write("out/policy.yaml", Data("mine".utf8))
        #expect(try scratch.run(mint).status == 64)
        #expect(try Data(contentsOf: scratch.folder.appendingPathComponent("out/policy.yaml")) == Data("mine".utf8))
        #expect(try scratch.run(mint + ["--force"]).status == 0)
        try scratch.write("file", Data("x".utf8))
        #expect(try scratch.assay("mint", "corpus", "--output", "file").status == 64)
    }

    @Test("A key file with exposed permissions is replaced by a private one, and without a seed by another key")
    func modes() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(mint).status == 0)
        let url = scratch.folder.appendingPathComponent("out/keys/play-decryption.b64")
        func modeForOthers() throws -> Int {
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            return try #require(mode) & 0o077
        }
        let first = try Data(contentsOf: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: url.path)
        #expect(try scratch.run(mint).status == 64)
        #expect(try modeForOthers() == 0o066)
        #expect(try scratch.run(mint + ["--force"]).status == 0)
        #expect(try modeForOthers() == 0)
        #expect(try Data(contentsOf: url) == first)
        #expect(try scratch.run(["mint", "corpus", "--output", "out", "--devices", "1", "--force"]).status == 0)
        #expect(try Data(contentsOf: url) != first)
    }

    @Test("An incomplete corpus of a killed process has another file name")
    func killed() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(mint).status == 0)
        let run = try scratch.shell(
            """
            "$ASSAY" mint corpus --output out --force --devices 5000 --days 60 & mint=$!
            until [ -s out/corpus.ndjson.partial ]; do sleep 0.05; done
            kill -9 $mint
            wait $mint
            ls out
            """)
        #expect(
            run.output == """
                README.md
                android-test-roots.pem
                corpus.ndjson.partial
                keys
                policy.yaml
                stricter.yaml
                test-root.pem

                """)
        #expect(try scratch.run(mint + ["--force"]).status == 0)
        #expect(scratch.exists("out/corpus.ndjson") && !scratch.exists("out/corpus.ndjson.partial"))
    }

    @Test(
        "A full disk is reported",
        .enabled(if: Sanitizer.isOff, Comment(rawValue: Sanitizer.filesHint)))
    func fullDisk() throws {
        let scratch = try Scratch()
        let command = "ulimit -f 8; \"$ASSAY\" mint corpus --output out --seed s --devices 50"
        let run = try scratch.shell("trap '' XFSZ; \(command)")
        #expect(run.status == 74, "\(run.errors)")
        #expect(run.errors.contains("cannot be written"))
    }
}
