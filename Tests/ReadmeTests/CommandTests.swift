import AssayTestSupport
import Foundation
import Testing

/// The commands of the documentation.
///
/// A fence `sh` is executed: the commands of a page run one after the other in a folder that has a link to `TestVectors`.
/// A command exits with 0, or with the status in a comment `# exits with N`. Of a fence `console`, which needs what only the
/// reader has, every `assay` command is started as well and must not fail with 64, the status of bad arguments.
@Suite("Commands in the documentation", .timeLimit(.minutes(10)))
struct CommandTests {
    /// The logical lines of a block: a line that ends with a backslash continues on the next.
    private static func commands(of block: Page.Block) -> [String] {
        block.text.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
            .filter { !$0.trimmingCharacters(in: .whitespaces).isEmpty }
    }

    /// How often a command calls `assay`.
    private static func calls(in command: String) -> Int { command.matches(of: #/(^|[|;&(] *)assay /#).count }

    private static func run(_ script: String, in folder: TestFolder, path: String) throws -> ProgramRun {
        try ProgramRun(
            "/bin/bash", [folder.write(".script", script)], in: folder.url,
            environment: [
                "PATH": path, "HOME": folder.path("home"), "LANG": "C.UTF-8", "CALLS": folder.path(".calls"),
                "PROGRAM": BuiltProducts.url("assay").path(percentEncoded: false),
                "ASSAY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            ])
    }

    /// A folder with `bin/assay`, which notes the status of each call.
    private static func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(
            "bin/assay",
            """
            #!/bin/bash
            if [ "$1" = dev ]; then
                # It serves until a signal. Its first line says that it is ready.
                exec 3< <(exec "$PROGRAM" "$@")
                read -r line <&3
                kill $! 2>/dev/null
                wait $!
            else
                "$PROGRAM" "$@"
            fi
            status=$?
            printf '%s\\n' "$status $*" >>"$CALLS"
            exit "$status"

            """)
        try folder.shell("chmod +x bin/assay; mkdir home; touch .calls")
        try FileManager.default.createSymbolicLink(
            at: folder.url.appendingPathComponent("TestVectors"),
            withDestinationURL: Page.root.appendingPathComponent("TestVectors"))
        // The program that the first guide builds.
        try folder.shell("mkdir -p .build/debug")
        try FileManager.default.createSymbolicLink(
            at: folder.url.appendingPathComponent(".build/debug/shop"),
            withDestinationURL: BuiltProducts.url("FirstTenMinutes"))
        try FileManager.default.copyItem(
            at: Page.root.appendingPathComponent("Examples/first-ten-minutes/policy.yaml"),
            to: folder.url.appendingPathComponent("policy.yaml"))
        return folder
    }

    @Test("Commands in `sh` run", arguments: Page.all.filter { !$0.blocks("sh").isEmpty })
    func run(_ page: Page) throws {
        let folder = try Self.folder()
        var script = "failures=0\n"
        for block in page.blocks("sh") {
            for command in Self.commands(of: block) {
                let expected = command.firstMatch(of: /# exits with (\d+)/).map { String($0.1) } ?? "0"
                script += """
                    {
                    \(command)
                    } </dev/null
                    status=$?
                    if [ $status -ne \(expected) ]; then
                        echo "status $status, expected \(expected): line \(block.line) ff." >&2
                        failures=1
                    fi

                    """
            }
        }
        let run = try Self.run(script + "exit $failures\n", in: folder, path: folder.path("bin") + ":/usr/bin:/bin")
        #expect(run.status == 0, "\(page.path): \(run.errors.suffix(4000))")
    }

    @Test(
        "Commands in `console` have arguments that `assay` takes",
        arguments: Page.all.filter { !$0.blocks("console").isEmpty })
    func parse(_ page: Page) throws {
        let commands = page.blocks("console").flatMap { Self.commands(of: $0) }.filter { Self.calls(in: $0) > 0 }
        let folder = try Self.folder()
        // Other programs than `assay` are not found, so that nothing is built, installed or sent.
        // Their output may be an argument.
        let others = "CHALLENGE=text; command_not_found_handle() { echo text; }\n"
        let script = others + commands.map { "{ \($0)\n} </dev/null\n" }.joined()
        _ = try Self.run(script, in: folder, path: folder.path("bin"))
        let calls = String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path(".calls"))), as: UTF8.self)
            .split(separator: "\n")
        #expect(calls.count == commands.map(Self.calls).reduce(0, +), "\(page.path): \(calls)")
        for call in calls { #expect(!call.hasPrefix("64 "), "\(page.path): assay \(call.dropFirst(3))") }
    }

    @Test("Every page with `assay` commands in a fence uses `sh` or `console`", arguments: Page.all)
    func fences(_ page: Page) {
        for block in page.blocks where !["sh", "console"].contains(block.language) {
            #expect(!block.text.contains(#/(?m)^ *assay /#), "\(page.path):\(block.line)")
        }
    }

    @Test("The first guide prints what its program prints")
    func firstGuide() throws {
        let page = try #require(Page.all.first { $0.path == "Docs/first-ten-minutes.md" })
        let folder = try Self.folder()
        let run = try Self.run(".build/debug/shop\n", in: folder, path: "/usr/bin:/bin")
        #expect(run.status == 0, "\(run.errors)")
        let printed = run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let shown = page.text.split(separator: "\n").filter { $0.hasPrefix("    ") && $0.contains(/: (accept|reject)/) }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(printed == shown)
        #expect(printed.count == 4)
    }

    @Test("The README's table has the commands of the program")
    func table() throws {
        let page = try #require(Page.all.first { $0.path == "README.md" })
        let folder = try Self.folder()
        let run = try Self.run("assay --help\n", in: folder, path: folder.path("bin") + ":/usr/bin:/bin")
        // The groups of commands, of which the last has those about the program itself.
        let groups = run.output.components(separatedBy: "SUBCOMMANDS:").dropFirst().dropLast()
        let names = groups.flatMap { $0.matches(of: #/(?m)^  ([a-z]+) /#).map { String($0.1) } }
        let rows = page.rows.flatMap { row in (row.first?.matches(of: /`assay ([a-z]+)/) ?? []).map { String($0.1) } }
        #expect(!names.isEmpty)
        #expect(Set(rows) == Set(names))
    }
}
