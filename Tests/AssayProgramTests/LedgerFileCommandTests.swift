import AssayTestSupport
import Foundation
import Testing

/// Ledgers that are missing, begun, damaged, restored, or no ledgers.
@Suite("The storage of a ledger on the command line")
struct LedgerFileCommandTests {
    /// The commands that create a ledger only with --create-ledger.
    private static let beginning = [
        ["verify", "--policy", "policy.yaml", "x.json"], ["ledger", "block", "--account", "x", "--reason", "y"],
        ["ledger", "allow", "--account", "x", "--reason", "y", "--check", "approov.token.annotations"],
    ]

    @Test("A missing or empty ledger is an outage and is not created: a new one would accept replays")
    func missing() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x").utf8))
        let commands =
            [
                ["show"], ["check"], ["export"], ["unblock", "--account", "x"], ["show", TestEvidence.keyID],
                ["show", "--issuer", "x"], ["quarantine", "--for", "1h"],
            ]
            .map { ["ledger"] + $0 } + Self.beginning + [["serve", "--policy", "policy.yaml", "--listen", "unix:s"]]
        for command in commands {
            let run = try scratch.run(command + LedgerCommandTests.ledger)
            #expect(run.status == 3, "\(command)")
            for part in ["there is no ledger at ledger.sqlite", "--create-ledger", "`assay challenge issue`"] {
                #expect(run.errors.contains(part), "\(run.errors)")
            }
            #expect(!scratch.exists("ledger.sqlite"))
            try scratch.write("empty", Data())
            #expect(try scratch.run(command + ["--ledger", "sqlite:empty"]).status == 3, "\(command)")
            #expect(try Data(contentsOf: scratch.folder.appendingPathComponent("empty")).isEmpty)
        }
    }

    @Test("Only --create-ledger and `challenge issue` create a ledger; later calls need no option")
    func creation() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x").utf8))
        for (number, command) in (Self.beginning + [["challenge", "issue", "--app", "shop"]]).enumerated() {
            let ledger = ["--ledger", "sqlite:\(number).sqlite"]
            let flag = command.first == "challenge" ? [] : ["--create-ledger"]
            let run = try scratch.run(command + ledger + flag)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.contains("created a new ledger at \(number).sqlite"), "\(run.errors)")
            let next = try scratch.run(Self.beginning[1] + ledger + flag)
            #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
        }
        #expect(try scratch.run(Self.beginning[0] + ["--create-ledger"]).status == 64, "memory: is always new")
    }

    @Test("`ledger create` makes a file that only its user can read, once")
    func createFile() throws {
        let scratch = try Scratch()
        let create = ["ledger", "create"] + LedgerCommandTests.ledger
        let new = try scratch.run(create)
        #expect(new.status == 0 && new.output == "sqlite:ledger.sqlite is a new ledger\n", "\(new.output)\(new.errors)")
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("ledger.sqlite"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let again = try scratch.run(create)
        #expect(again.status == 0 && again.output.contains("is a ledger already"), "\(again.output)")
        #expect(try scratch.run(create + ["--grant-to", "x"]).status == 64)
        #expect(try scratch.run(["ledger", "create", "--ledger", "memory:"]).status == 64)
    }

    @Test("`ledger check` tells settings from damage: 4 and no backup for a file that all may read, 1 for damage")
    func settings() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(["ledger", "create"] + LedgerCommandTests.ledger).status == 0)
        let check = ["ledger", "check"] + LedgerCommandTests.ledger
        #expect(try scratch.run(check).status == 0)
        #expect(try scratch.shell("chmod o+r ledger.sqlite").status == 0)
        let settings = try scratch.run(check)
        #expect(settings.status == 4 && !settings.errors.contains("backup"), "\(settings.errors)")
        #expect(settings.output.contains("setting: every user may read"), "\(settings.output)")
        // Damage counts more.
        let damage =
            "import sqlite3; c = sqlite3.connect('ledger.sqlite'); "
            + "c.execute('DROP TRIGGER auditIsNotChanged'); c.commit()"
        try #require(try scratch.shell("python3 -c \"\(damage)\"").status == 0)
        let both = try scratch.run(check)
        #expect(both.status == 1 && both.errors.contains("1 finding; restore a backup"), "\(both.errors)")
        #expect(both.output.contains("setting: ") && both.output.contains("auditIsNotChanged"), "\(both.output)")
    }

    @Test("Programs that begin one ledger at once all use it")
    func begunAtOnce() throws {
        let scratch = try Scratch()
        let run = try scratch.shell(
            """
            for round in 1 2 3 4 5; do
                for name in a b c d; do
                    "$ASSAY" operators add $name --role caller --ledger sqlite:$round.sqlite >/dev/null 2>$round$name || touch failed &
                done
                wait
                [ "$("$ASSAY" operators list --ledger sqlite:$round.sqlite --json | wc -l)" = 4 ] || touch failed
            done
            cat *[a-d]; [ ! -e failed ]
            """)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test("After a restore, a quarantine refuses what was used since the backup, and judges new challenges")
    func quarantine() throws {
        let scratch = try Scratch()
        try scratch.policy(challenge: "ledger")
        func issue() throws -> String {
            try scratch.run(
                ["challenge", "issue", "--app", "shop", "--policy", "policy.yaml"] + LedgerCommandTests.ledger
            ).output
                .trimmingCharacters(in: .newlines)
        }
        func verify(_ name: String, _ challenge: String?) throws -> Int32 {
            let line =
                if let challenge {
                    try TestEvidence.attestationLine(name, challenge: Array(challenge.utf8))
                } else {
                    try TestEvidence.attestationLine(name)
                }
            try scratch.write("\(name).json", Data(line.utf8))
            return try scratch.run(["verify", "--policy", "policy.yaml", "\(name).json"] + LedgerCommandTests.ledger)
                .status
        }
        let open = try issue()
        #expect(try scratch.shell("cp ledger.sqlite backup").status == 0)
        #expect(try verify("a", open) == 0)
        #expect(try scratch.shell("rm ledger.sqlite*; mv backup ledger.sqlite").status == 0)
        let begun = try scratch.run(
            ["ledger", "quarantine", "--for", "2h", "--operator", "ops"] + LedgerCommandTests.ledger)
        #expect(begun.status == 0 && begun.output.contains("is in quarantine until"), "\(begun.errors)")
        let until = try #require(begun.output.split(separator: "until ").last).trimmingCharacters(in: .newlines)
        #expect(try scratch.run(["ledger", "show"] + LedgerCommandTests.ledger).output.contains("in quarantine until"))
        #expect(try verify("a", open) == 1, "the challenge was used after the backup")
        #expect(try verify("b", try issue()) == 0)
        try scratch.policy()
        #expect(try verify("c", nil) == 3, "evidence without a challenge of the ledger")
        let shorter = try scratch.run(["ledger", "quarantine", "--for", "1h"] + LedgerCommandTests.ledger)
        #expect(shorter.status == 64 && shorter.errors.contains("which is later: end that with --end"), "\(shorter)")
        #expect(
            try scratch.run(["ledger", "show"] + LedgerCommandTests.ledger).output.contains(until), "it has stayed")
        let longer = try scratch.run(["ledger", "quarantine", "--for", "3h"] + LedgerCommandTests.ledger)
        #expect(longer.status == 0 && !longer.output.contains(until), "\(longer)")
        let ended = try scratch.run(["ledger", "quarantine", "--end"] + LedgerCommandTests.ledger)
        #expect(ended.status == 0 && ended.output.contains("no more"), "\(ended.errors)")
        #expect(try !scratch.run(["ledger", "show"] + LedgerCommandTests.ledger).output.contains("quarantine"))
        let none = try scratch.run(["ledger", "quarantine", "--end"] + LedgerCommandTests.ledger)
        #expect(none.status == 1 && none.errors.contains("is in no quarantine"), "\(none)")
        let trail = try scratch.run(["audit", "list"] + LedgerCommandTests.ledger).output
        #expect(trail.contains("quarantine") && trail.contains("ops"), "\(trail)")
        for arguments in [[], ["--for", "1h", "--end"], ["--until", "never"], ["--until", "2020-01-01T00:00:00Z"]] {
            #expect(
                try scratch.run(["ledger", "quarantine"] + arguments + LedgerCommandTests.ledger).status == 64,
                "\(arguments)")
        }
    }

    @Test("A file that is no ledger is an outage and is not changed")
    func garbage() throws {
        let scratch = try Scratch()
        let garbage = Data(repeating: 0x41, count: 8192)
        try scratch.write("ledger.sqlite", garbage)
        let commands = [
            ["ledger", "show"], ["ledger", "check"], ["ledger", "export"], ["challenge", "issue", "--app", "x"],
            ["ledger", "block", "--device", "x", "--reason", "y"],
        ]
        for command in commands {
            #expect(try scratch.run(command + LedgerCommandTests.ledger).status == 3, "\(command)")
        }
        #expect(try Data(contentsOf: scratch.folder.appendingPathComponent("ledger.sqlite")) == garbage)
    }

    @Test("A ledger too damaged to be opened is reported as damaged, with the problems")
    func tooDamaged() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(["challenge", "issue", "--app", "x"] + LedgerCommandTests.ledger).status == 0)
        let file = scratch.folder.appendingPathComponent("ledger.sqlite")
        var bytes = try Data(contentsOf: file)
        // Keep the first page, which identifies the file as a database.
        bytes.resetBytes(in: 4096..<bytes.count)
        try scratch.write("ledger.sqlite", bytes)
        let run = try scratch.run(["ledger", "check"] + LedgerCommandTests.ledger)
        #expect(run.status == 1 && !run.output.isEmpty, "\(run.output) \(run.errors)")
        #expect(run.errors.contains("is damaged") && run.errors.contains("restore a backup"), "\(run.errors)")
        #expect(try Data(contentsOf: file) == bytes)
    }
}
