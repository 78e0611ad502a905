import AssayTestSupport
import Foundation
import Testing

@Suite("Admitted builds on the command line")
struct BuildsCommandTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]

    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        #expect(try scratch.run(["operators", "add", "shop", "--role", "pipeline"] + Self.ledger).status == 0)
    }

    private func run(_ arguments: String...) throws -> Run { try scratch.run(["builds"] + arguments + Self.ledger) }

    @Test("A build is admitted, listed, renewed and removed, and the audit trail has each change")
    func life() throws {
        let build = "android:com.example.shop@42"
        let added = try run(
            "add", build, "--name", "1.4 beta", "--reason", "beta test", "--for", "3d12h", "--operator", "ci")
        #expect(added.status == 0 && added.output.contains(/^android:com\.example\.shop@42 is admitted until \S+Z\n$/))
        let listed = try run("list")
        #expect(
            listed.lines.count == 2
                && listed.output.contains(/android:com\.example\.shop@42 +1\.4 beta +\S+Z +\S+Z +ci +beta test/))
        // The later of two ends holds, and an admission without an end stays.
        let shorter = try run("add", build, "--reason", "again", "--for", "1d")
        #expect(shorter.output.contains("the end of its earlier admission, which is later"))
        let permanent = try run("add", build, "--reason", "release")
        #expect(permanent.output == "\(build) is admitted without an end\n")
        #expect(try run("add", build, "--reason", "later", "--for", "1d").output.contains("admitted without an end"))
        let json = try run("list", "--json").json()
        #expect(json.count == 1 && json[0]["build"] as? String == build && json[0]["until"] == nil)
        #expect(json[0]["name"] as? String == "1.4 beta" && json[0]["reason"] as? String == "later")
        let removed = try run("remove", build, "--operator", "ops")
        #expect(removed.status == 0 && removed.output == "\(build) is no longer admitted\n")
        let again = try run("remove", build)
        #expect(again.status == 1 && again.errors.contains("is not admitted"))
        #expect(try run("list").errors.contains("admits no builds"))
        let audit = try scratch.run(["audit", "list"] + Self.ledger)
        #expect(
            audit.output.contains(
                /ci  admit-build  build android:com\.example\.shop@42  1\.4 beta, until \S+Z: beta test/))
        #expect(audit.output.contains(/ops  remove-build  build android:com\.example\.shop@42/))
        #expect(try scratch.run(["ledger", "check"] + Self.ledger).status == 0)
    }

    @Test("Without a terminal, many builds are removed with --yes alone, and only the old ones of the app")
    func removingMany() throws {
        #expect(try run("add", "android:com.example.shop@1", "android:com.example.shop@2", "--reason", "r").status == 0)
        #expect(try run("add", "android:com.example.other@1", "--reason", "r").status == 0)
        let none = try run("remove", "--matching", "com.example.shop", "--older-than", "30d", "--yes")
        #expect(none.status == 1 && none.errors.contains("no build of com.example.shop"))
        let asked = try run("remove", "--matching", "com.example.shop", "--older-than", "1s")
        // The builds are a second old at the earliest when this runs.
        if asked.status == 1 { return try retry() }
        #expect(asked.status == 64 && asked.errors.contains("needs --yes") && asked.output.contains("@2"))
        try retry()
    }

    private func retry() throws {
        while try run("remove", "--matching", "com.example.shop", "--older-than", "1s", "--yes").status == 1 {}
        #expect(try run("list").lines.count == 2)
        #expect(try run("list", "--app", "com.example.other").lines.count == 2)
    }

    @Test("A file of builds is imported as a whole, and a wrong line is named by its number")
    func importing() throws {
        func importing(_ text: String) throws -> Run {
            try Data(text.utf8).write(to: scratch.folder.appendingPathComponent("builds.txt"))
            return try run("import", "builds.txt", "--reason", "release")
        }
        let good = try importing(
            "# builds\n\nandroid:com.example.shop@1 1.0\nandroid:com.example.shop@2\t1.1 (beta)\r\napple:ABCDE12345.com.example.shop@3\n"
        )
        #expect(good.status == 0, "\(good.errors)")
        #expect(try run("list").lines.count == 4)
        let many = (1...100_000).map { "android:com.example.shop@\($0)\n" }.joined()
        for (text, words) in [
            ("android:com.example.shop@5\nandroid:com.example.shop\n", "line 2: expected apple:"),
            ("android:com.example.shop@5 \(String(repeating: "x", count: 300))\n", "line 1: the name"),
            ("\n# nothing\n", "no line with a build"), (many, "line 10001: more than 10000 builds"),
        ] {
            let refused = try importing(text)
            #expect(refused.status == 2 && refused.errors.contains(words), "\(refused.errors)")
        }
        let tooMany = try importing((1...10_000).map { "android:com.example.shop@\($0)\n" }.joined())
        #expect(tooMany.status == 1 && tooMany.errors.contains("would have 10001 admitted builds"), "\(tooMany.errors)")
        #expect(try run("list").lines.count == 4, "a refused import has changed the ledger")
    }

    @Test("Wrong arguments are refused with what is allowed")
    func arguments() throws {
        for (arguments, words) in [
            (["add", "shop", "--reason", "r"], "expected apple:"),
            (["add", "--reason", "r"], "Missing expected argument"),
            (["add", "android:com.example.shop@1"], "--reason"),
            (["add", "android:com.example.shop@1", "--reason", "r", "--for", "soon"], "length of time"),
            (["remove"], "either a build"), (["remove", "--matching", "com.example.shop"], "--older-than"),
        ] {
            let run = try scratch.run(["builds"] + arguments + Self.ledger)
            #expect(run.status == 64 && run.errors.contains(words), "\(arguments): \(run.errors)")
        }
    }
}
