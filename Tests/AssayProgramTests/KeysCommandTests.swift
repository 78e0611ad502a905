import Assay
import AssayTestSupport
import Foundation
import Testing

@Suite("The key store on the command line")
struct KeysCommandTests {
    static let ledger = ["--ledger", "sqlite:ledger.sqlite"]
    static let store = ledger + ["--master-key", "file:m"]
    static let use = ["--use", "play-integrity", "--for", "com.example.shop"]

    @Test("A secret that another key has is noted: retiring one of them does not end its use")
    func copies() throws {
        let scratch = try Scratch()
        _ = try scratch.writeKeys()
        for (name, byte) in [("a", 1), ("b", 2)] {
            let text = Data([UInt8](repeating: UInt8(byte), count: 64)).base64EncodedString()
            try scratch.writeSecret("\(name).b64", text)
            // The same secret with a line end.
            try scratch.writeSecret("\(name)-line.b64", text + "\n")
        }
        func add(_ name: String, _ file: String, use: String = "approov-issuer") throws -> String {
            let run = try scratch.run(
                ["keys", "add", name, "--use", use, "--secret", "file:\(file).b64", "--key-id", name] + Self.store)
            #expect(run.status == 0, "\(run)")
            return run.errors
        }
        #expect(!(try add("one", "a")).contains("same secret"))
        #expect(!(try add("two", "b")).contains("same secret"))
        #expect(try add("three", "a-line").contains("the key one has the same secret as three"))
        for name in ["one", "three"] { #expect(try scratch.run(["keys", "retire", name] + Self.store).status == 0) }
        #expect(!(try add("four", "a")).contains("same secret"))
    }

    @Test("A key is added, listed, retired and removed")
    func life() throws {
        let scratch = try Scratch()
        let parts = try scratch.writeKeys()
        let added = try scratch.run(
            ["keys", "add", "play-2026"] + Self.use + parts + Self.store + ["--not-before", "2026-01-01T00:00:00Z"])
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.contains("key play-2026 for play-integrity of com.example.shop is sealed in sqlite:"))
        #expect(added.errors.contains("created a new ledger at ledger.sqlite"))
        let second = ["keys", "add", "play-2027", "--use", "play-integrity"] + parts + Self.store
        #expect(try scratch.run(second + ["--not-before", "2999-01-01T00:00:00Z"]).status == 0)

        let again = try scratch.run(second)
        #expect(again.status == 1 && again.errors.contains("there is a key play-2027 already"))

        let list = try scratch.run(["keys", "list", "--json"] + Self.ledger).json()
        #expect(list.map { $0["name"] as? String } == ["play-2026", "play-2027"])
        #expect(list.map { $0["state"] as? String } == ["live", "pending"])
        #expect(list.map { $0["for"] as? String } == ["com.example.shop", nil])
        #expect(list.map { $0["use"] as? String } == ["play-integrity", "play-integrity"])
        #expect(list[0]["algorithm"] as? String == "A256KW, A256GCM, ES256")
        #expect(list[0]["notBefore"] as? String == "2026-01-01T00:00:00Z")

        let retire = ["keys", "retire", "play-2026"] + Self.store
        #expect(try scratch.run(retire + ["--at", "2998-01-01T00:00:00Z"]).output.contains("will be retired at 2998"))
        #expect(
            try scratch.run(["keys", "list"] + Self.ledger).output.contains("live, retires at 2998-01-01T00:00:00Z"))
        #expect(try scratch.run(retire).status == 0)
        let late = try scratch.run(retire)
        #expect(late.status == 1 && late.errors.contains("a retirement is not put off"))
        #expect(try scratch.run(["keys", "retire", "play"] + Self.store).status == 1)
        // The master key is not needed, and may be given as to the other commands.
        let table = try scratch.run(["keys", "list"] + Self.store).lines
        #expect(table.count == 3 && table[0].hasPrefix("name"))
        #expect(table[1].contains("retired at 2") && table[2].contains("pending"))

        let removed = try scratch.run(["keys", "remove", "play-2026"] + Self.store)
        #expect(removed.status == 0 && removed.output.contains("key play-2026 is removed"))
        let missing = try scratch.run(["keys", "remove", "play-2026"] + Self.ledger)
        #expect(missing.status == 1 && missing.errors.contains("has no key play-2026"))
        #expect(try scratch.run(["keys", "list", "--json"] + Self.ledger).json().count == 1)
        #expect(try scratch.run(["ledger", "check"] + Self.ledger).status == 0)
    }

    @Test("The master key is changed by a file with the new one first and the former one after it")
    func reseal() throws {
        let scratch = try Scratch()
        let parts = try scratch.writeKeys()
        #expect(try scratch.run(["keys", "add", "play"] + Self.use + parts + Self.store).status == 0)
        #expect(try scratch.run(["keys", "add", "old"] + Self.use + parts + Self.store).status == 0)
        #expect(try scratch.run(["keys", "retire", "old"] + Self.store).status == 0)
        let former = try String(contentsOfFile: scratch.path("m"), encoding: .utf8)
        let new = String(repeating: "c3", count: 32)
        try scratch.writeSecret("both", "\(new)\n\n\(former)")
        try scratch.writeSecret("new", new)
        func reseal(_ file: String) throws -> Run {
            try scratch.run(["keys", "reseal", "--master-key", "file:\(file)"] + Self.ledger)
        }
        let early = try reseal("new")
        #expect(early.status == 3 && early.errors.contains("sealed under another master key"), "\(early)")
        let run = try reseal("both")
        #expect(run.status == 0, "\(run)")
        #expect(
            run.lines == [
                "key old is sealed under the first master key", "key play is sealed under the first master key",
                "resealed: 2 keys, 0 receipts; nothing is left under another master key",
            ])
        #expect(try reseal("new").lines == ["resealed: 0 keys, 0 receipts; nothing is left under another master key"])
        #expect(try scratch.run(["keys", "retire", "play"] + Self.store).status == 3, "the former key alone")
        let trail = try scratch.run(["audit", "list"] + Self.ledger)
        #expect(trail.output.contains("reseal-key") && !trail.output.contains(new), "\(trail)")
        #expect(try scratch.run(["ledger", "check"] + Self.ledger).status == 0)

        try scratch.writeSecret("twice", "\(new)\n\(new)")
        let twice = try reseal("twice")
        #expect(twice.status == 2 && twice.errors.contains("line 2 is there twice") && !twice.errors.contains(new))
        try scratch.writeSecret("short", "\(new)\nc3c3")
        let short = try reseal("short")
        #expect(short.status == 2 && short.errors.contains("line 2: expected a master key"), "\(short)")
    }

    @Test("Every part of every type of key has an option of keys add")
    func parts() throws {
        let help = try Scratch().assay("keys", "add", "--help").output
        for part in Verifier.keyMaterials.types.flatMap({ $0.parts }) {
            let words = part.name.replacing(/[A-Z]+/) { "-\($0.output.lowercased())" }
            // An option names the source of a secret part. The secret is never an argument.
            #expect(help.contains("--\(words) <\(part.content == .word ? "" : "source>")"), "\(part.name)")
        }
    }

    @Test("The master key comes from its option or variable; without both, the error says how to create one")
    func masterKey() throws {
        let scratch = try Scratch()
        let parts = try scratch.writeKeys()
        let base64 = TestKeys.master.base64EncodedString()
        func add(_ name: String, _ master: [String], _ environment: [String: String] = [:]) throws -> Run {
            try scratch.run(["keys", "add", name] + Self.use + parts + Self.ledger + master, environment: environment)
        }
        let without = try add("a", [])
        #expect(without.status == 64)
        #expect(without.errors.contains("(umask 077; openssl rand -base64 32 >master.key)"))
        #expect(!scratch.exists("ledger.sqlite"), "nothing is begun before the master key is there")
        #expect(try add("a", [], ["ASSAY_MASTER_KEY": base64]).status == 0)
        #expect(try add("b", ["--master-key", "env:OTHER"], ["OTHER": base64]).status == 0)
        #expect(try add("c", ["--master-key", "file:m"], ["ASSAY_MASTER_KEY": "x"]).status == 0)
        let hex = TestKeys.master.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(try add("d", [], ["ASSAY_MASTER_KEY": hex]).status == 0)
        let table: [(master: [String], environment: [String: String], status: Int32, words: String)] = [
            ([], ["ASSAY_MASTER_KEY": ""], 2, "environment variable ASSAY_MASTER_KEY is empty"),
            ([], ["ASSAY_MASTER_KEY": "hunter2"], 2, "ASSAY_MASTER_KEY: expected a master key"),
            (["--master-key", "env:OTHER"], [:], 2, "environment variable OTHER is not set"),
            (["--master-key", "file:none"], [:], 2, "--master-key: the file none cannot be read"),
            (["--master-key", "file:d"], [:], 3, "sealed under another master key"),
            (["--master-key", base64], [:], 64, "Every user of this machine sees the arguments"),
        ]
        for (master, environment, status, words) in table {
            let run = try add("e", master, environment)
            #expect(run.status == status && run.errors.contains(words), "\(master): \(run.errors)")
            #expect(!run.errors.contains("hunter2") && !run.errors.contains(base64.prefix(20)))
        }
    }

    @Test("A secret file with exposed permissions is refused with the command that fixes it")
    func permissions() throws {
        let scratch = try Scratch()
        let parts = try scratch.writeKeys()
        let command = ["keys", "add", "a"] + Self.use + parts + Self.store
        for (name, option) in [("d", "--decryption-key"), ("m", "--master-key")] {
            #expect(try scratch.shell("chmod 644 \(name)").status == 0)
            let run = try scratch.run(command)
            #expect(run.status == 2)
            let line = "error: \(option): others may read or replace \(name), which holds a secret (mode 0644); run: "
            #expect(run.errors.hasPrefix(line), "\(run.errors)")
            let fix = run.errors.dropFirst(line.count).trimmingCharacters(in: .newlines)
            #expect(fix == "chmod 600 \(name)")
            #expect(try scratch.shell(fix).status == 0)
        }
        #expect(try scratch.shell("chmod 644 v").status == 0)
        #expect(try scratch.run(command).status == 0, "the public part may be read by all")
    }

    @Test(
        "For an exposed secret on a read-only file system, the error has a command that copies it",
        .enabled(if: LineProcess.canMount, "mounting a file system takes root"))
    func readOnly() throws {
        let scratch = try Scratch()
        let parts = try scratch.writeKeys()
        let arguments = (["keys", "add", "a"] + Self.use + parts + Self.ledger).joined(separator: " ")
        let run = try scratch.shell(
            """
            unshare -m sh -c 'mkdir ro && mount -t tmpfs tmpfs ro && cp m ro/m && chmod 640 ro/m &&
            mount -o remount,ro ro; "$ASSAY" \(arguments) --master-key file:ro/m; echo status $?;
            install -m 600 ro/m copy && "$ASSAY" \(arguments) --master-key file:copy; echo status $?'
            """)
        #expect(run.errors.contains("(mode 0640); its file system is read-only"), "\(run.errors)")
        #expect(run.errors.contains("name a copy: install -m 600 ro/m NEWPATH"), "\(run.errors)")
        #expect(run.lines.filter { $0.hasPrefix("status") } == ["status 2", "status 0"], "\(run.output)\(run.errors)")
    }

    @Test("An invalid key is refused with the name of its option, and no ledger is created")
    func refused() throws {
        let scratch = try Scratch()
        let parts = try scratch.writeKeys()
        try scratch.writeSecret("short", "AAECAwQFBgcICQoLDA0ODw==")
        let base64 = TestKeys.decryption.base64EncodedString()
        let good = ["a"] + Self.use + parts
        func with(_ option: String, _ value: String) -> [String] {
            var arguments = good
            if let index = arguments.firstIndex(of: option) { arguments[index + 1] = value }
            return arguments
        }
        let table: [(arguments: [String], status: Int32, words: String)] = [
            (with("--decryption-key", "file:short"), 2, "--decryption-key: "),
            (with("--decryption-key", "file:v"), 2, "--decryption-key: "),
            (with("--verification-key", "file:d"), 2, "--verification-key: "),
            (with("--decryption-key", "file:none"), 2, "--decryption-key: the file none cannot be read"),
            (with("--decryption-key", "env:NONE"), 2, "environment variable NONE is not set"),
            (with("--decryption-key", base64), 64, "a secret itself does not belong here"),
            (with("--use", "approval"), 64, "allowed are apple-services, play-integrity"),
            (Array(good.dropLast(2)), 64, "a key for play-integrity needs --verification-key"),
            (good + ["--not-before", "2026-01-02T00:00:00Z", "--not-after", "2026-01-01T00:00:00Z"], 64, "is before"),
            (good + ["--not-after", "tomorrow"], 64, "RFC 3339"),
            (with("--for", ""), 64, "--for"), ([" a"] + good.dropFirst(), 64, "the name of a key"),
            (Array(good.dropFirst()), 64, "name"),
        ]
        for (arguments, status, words) in table {
            let run = try scratch.run(["keys", "add"] + arguments + Self.store)
            #expect(run.status == status && run.errors.contains(words), "\(arguments): \(run.errors)")
            #expect(!run.errors.contains(base64.prefix(20)))
        }
        #expect(!scratch.exists("ledger.sqlite"))
    }

    @Test("list, retire and remove create no ledger")
    func missingLedger() throws {
        let scratch = try Scratch()
        try scratch.writeKeys()
        for command in [["list"], ["retire", "a", "--master-key", "file:m"], ["remove", "a"]] {
            let run = try scratch.run(["keys"] + command + Self.ledger)
            #expect(run.status == 3 && run.errors.contains("there is no ledger at ledger.sqlite"), "\(run.errors)")
        }
        #expect(try scratch.run(["keys", "list", "--ledger", "memory:"]).status == 64)
        #expect(!scratch.exists("ledger.sqlite"))
        #expect(try scratch.run(["keys"]).output.contains("retire"), "a group shows its help")
        #expect(try scratch.run(["keys", "ad"]).errors.contains("did you mean add?"))
    }

    @Test("No command prints a secret, and no written file contains one")
    func secrecy() throws {
        let scratch = try Scratch()
        let parts = try scratch.writeKeys()
        let commands: [[String]] = [
            ["keys", "add", "a"] + Self.use + parts + Self.store, ["keys", "add", "a"] + Self.use + parts + Self.store,
            ["keys", "list"] + Self.ledger, ["keys", "list", "--json"] + Self.ledger,
            ["ledger", "export"] + Self.ledger,
            ["ledger", "show"] + Self.ledger, ["ledger", "check"] + Self.ledger, ["keys", "retire", "a"] + Self.store,
            ["keys", "retire", "a"] + Self.ledger + ["--master-key", "file:d"], ["keys", "remove", "a"] + Self.ledger,
        ]
        let forms = TestKeys.forms(TestKeys.decryption) + TestKeys.forms(TestKeys.master)
        for command in commands {
            let run = try scratch.run(command)
            #expect([0, 1, 3].contains(run.status), "\(command): \(run.errors)")
            for form in forms { #expect(!run.output.contains(form) && !run.errors.contains(form), "\(command)") }
            for name in ["ledger.sqlite", "ledger.sqlite-wal"] where scratch.exists(name) {
                let data = try Data(contentsOf: scratch.folder.appendingPathComponent(name))
                for secret in forms.map({ Data($0.utf8) }) + [TestKeys.decryption, TestKeys.master] {
                    #expect(data.range(of: secret) == nil, "\(command)")
                }
            }
        }
    }
}
