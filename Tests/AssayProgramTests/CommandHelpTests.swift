import Foundation
import Testing

/// Help as a person reads it on a terminal of 80 columns, and answers to what a person tries first.
@Suite("Help at 80 columns")
struct CommandHelpTests {
    /// The needed fields of `assay --experimental-dump-help`.
    private struct Tool: Decodable { let command: Command }

    private struct Command: Decodable {
        let commandName: String
        let discussion: String?
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// This command and those below it, with their paths.
        func all(below path: [String] = []) -> [(path: [String], command: Command)] {
            [(path, self)]
                + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap {
                    $0.all(below: path + [$0.commandName])
                }
        }
    }

    @Test("Every command has help: every line fits, and every example stands as it is to be copied")
    func examples() throws {
        let scratch = try Scratch()
        let help = try scratch.assay("--experimental-dump-help").output
        let commands = try JSONDecoder().decode(Tool.self, from: Data(help.utf8)).command.all()
        #expect(commands.count > 60)
        var count = 0
        for (path, command) in commands {
            let run = try scratch.run(path + [path == ["verify"] ? "--help-all" : "--help"])
            #expect(run.status == 0 && run.errors.isEmpty, "\(path): \(run.errors)")
            #expect(run.output.contains("USAGE: \((["assay"] + path).joined(separator: " "))"), "\(path)")
            let lines = run.lines.map(String.init)
            for line in lines where path != ["verify"] { #expect(line.count <= 80, "\(path): \(line)") }
            let examples = (command.discussion ?? "").split(separator: "\n").map(String.init).filter {
                $0.hasPrefix("  assay ") || $0.hasPrefix("  (umask ")
            }
            count += examples.count
            for example in examples { #expect(lines.contains(example), "\(path): \(example)") }
        }
        #expect(count > 30)
    }

    /// An option or an argument of a command.
    private struct Argument: Decodable {
        struct Name: Decodable { let name: String }

        let kind: String
        let preferredName: Name?
        let valueName: String?
        let parsingStrategy: String?
    }

    @Test(
        "Options of values that others make, such as base64url of random bytes, take a value that begins with a hyphen")
    func hyphens() throws {
        let names: Set = [
            "challenge", "client-data", "device-id", "jkt", "key", "key-id", "nonce",
            "record", "request", "request-hash",
        ]
        let help = try Scratch().assay("--experimental-dump-help").output
        var count = 0
        for (path, command) in try JSONDecoder().decode(Tool.self, from: Data(help.utf8)).command.all() {
            for argument in command.arguments ?? [] where argument.kind == "option" {
                guard let name = argument.preferredName?.name, names.contains(name),
                    !["file", "source"].contains(argument.valueName)
                else { continue }
                count += 1
                #expect(argument.parsingStrategy?.hasPrefix("unconditional") == true, "\(path) --\(name)")
            }
        }
        #expect(count > 30)
    }

    @Test("Text between backticks is not broken, and a wide terminal has longer lines")
    func width() throws {
        let scratch = try Scratch()
        let narrow = try scratch.assay("serve", "--help").output
        #expect(narrow.contains("`assay operators add NAME --role caller`"))
        let wide = try scratch.assay("serve", "--help", environment: ["COLUMNS": "120"]).output
        #expect(wide.split(separator: "\n").contains { (81...120).contains($0.count) })
        #expect(wide.split(separator: "\n").count < narrow.split(separator: "\n").count)
    }

    @Test("The help of verify is short, and shows the options of a kind, or all, if it is asked for them")
    func verify() throws {
        let scratch = try Scratch()
        let short = try scratch.assay("verify", "--help")
        #expect(short.status == 0 && short.output.split(separator: "\n").count < 100)
        #expect(!short.output.contains("--failover") && !short.output.contains("--key-id"))
        #expect(short.output.contains("assay verify --kind KIND --help"))
        for arguments in [["--kind", "approov.token", "--help"], ["--kind=approov.token", "-h"]] {
            let kind = try scratch.run(["verify"] + arguments)
            #expect(kind.status == 0 && kind.output.contains("RAW BLOBS OF KIND approov.token:"), "\(kind)")
            #expect(kind.output.contains("  assay verify --kind approov.token \\\n"))
            #expect(kind.output.contains("--failover") && !kind.output.contains("--key-id"))
            #expect(!kind.output.contains("--kind app-attest.attestation \\"))
        }
        let all = try scratch.assay("verify", "--help-all").output
        #expect(all.contains("--failover") && all.contains("--key-id") && all.contains("RAW BLOBS OF APP ATTEST:"))
        #expect(all.contains("  assay verify --kind app-attest.attestation \\\n"))
    }

    @Test("The list of commands has groups, and each command is in one")
    func groups() throws {
        let help = try Scratch().assay("--help").output
        let groups = help.components(separatedBy: " SUBCOMMANDS:\n").dropFirst()
        #expect(groups.count == 6, "\(help)")
        let names = groups.flatMap { $0.matches(of: #/(?m)^  ([a-z]+) /#).map { String($0.1) } }
        #expect(Set(names).count == names.count && names.count == 28, "\(names)")
        #expect(names.starts(with: ["verify", "inspect", "replay"]))
    }

    @Test(
        "What other programs have is found, or answered with what this one has",
        arguments: [
            (["init"], "assay has no command \"init\"; did you mean policy init?"),
            (["block"], "did you mean ledger block or remote block?"), (["--verison"], "did you mean --version?"),
            (["-v"], "assay has no option -v; did you mean --version?"), (["-V"], "did you mean --version?"),
            (["--halp"], "did you mean --help?"), (["completions", "bash"], "did you mean completion?"),
            (["completion", "tcsh"], "allowed are zsh, bash, fish"), (["--frobnicate"], "has no option --frobnicate\n"),
        ])
    func hints(arguments: [String], words: String) throws {
        let run = try Scratch().run(arguments)
        #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }

    @Test("The version is an option and a command")
    func version() throws {
        let scratch = try Scratch()
        let option = try scratch.assay("--version")
        #expect(option.status == 0 && option.output.contains(/^\d+\.\d+\.\d+\n$/), "\(option)")
        #expect(try scratch.assay("version").output == option.output)
    }

    @Test("Help, the version and errors are found among arguments that a command could run with")
    func complete() throws {
        let scratch = try Scratch()
        #expect(try scratch.assay("completion", "bash", "--version").output == scratch.assay("--version").output)
        #expect(
            try scratch.assay("completion", "bash", "--help").output == scratch.assay("help", "completion").output)
        for (arguments, words) in [
            (["completion", "bash", "zsh"], "Unexpected argument 'zsh'"),
            (["completion", "bash", "--kindd"], "assay completion has no option --kindd"),
            (["version", "--halp"], "assay version has no option --halp; did you mean --help?"),
        ] {
            let run = try scratch.run(arguments)
            #expect(run.status == 64 && run.output.isEmpty && run.errors.contains(words), "\(run)")
        }
    }
}
