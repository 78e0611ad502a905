import AssayTestSupport
import Foundation
import Testing

@Suite("Several configurations in one process", .timeLimit(.minutes(30)))
struct SeveralServicesTests {
    /// Writes the configuration of a service with everything of its own, and returns its path.
    private static func write(_ name: String, to folder: TestFolder, _ lines: String...) throws -> String {
        try Evidence.writePolicy(to: folder)
        try folder.shell("mkdir -p \(name) && cp policy.yaml root.pem \(name)/")
        func own(_ key: String, _ value: String) -> String? {
            lines.contains { $0.hasPrefix("\(key):") } ? nil : "\(key): \(value)"
        }
        let settings = [
            own("policy", folder.path("\(name)/policy.yaml")),
            own("ledger", "sqlite:\(folder.path("\(name)/ledger.sqlite"))"),
            own("listen", "unix:\(folder.path("\(name)/public.sock"))"),
            own("admin", "unix:\(folder.path("\(name)/admin.sock"))"),
        ]
        return try folder.write(
            "\(name)/serve.yaml", (settings.compactMap(\.self) + lines).joined(separator: "\n") + "\n")
    }

    private static func keys(_ service: RunningService, of name: String) throws -> Int? {
        let admin = service.folder.path("\(name)/admin.sock")
        return try service.send("GET", "/v1/admin/subjects", type: nil, unix: admin).json["keys"] as? Int
    }

    private static func verify(_ record: String, at name: String, _ service: RunningService) throws -> HTTPAnswer {
        try service.send("POST", "/v1/verify", body: record, unix: service.folder.path("\(name)/public.sock"))
    }

    @Test("Services have ledgers, policies, metrics and log entries of their own, and end together on SIGTERM")
    func apart() throws {
        let folder = try TestFolder()
        let files = try ["a", "b"].map { try Self.write($0, to: folder) }
        let service = try RunningService(several: files, in: folder)
        let record = try Evidence.attestation("x")
        #expect(try Self.verify(record, at: "a", service).json["outcome"] as? String == "accept")
        #expect(try Self.keys(service, of: "a") == 1)
        #expect(try Self.keys(service, of: "b") == 0)
        for (name, count) in [("a", 1), ("b", 0)] {
            let admin = folder.path("\(name)/admin.sock")
            let metrics = try service.send("GET", "/metrics", type: nil, unix: admin).body
            let accepted = metrics.split(separator: "\n").count {
                $0.hasPrefix("assay_verdicts_total{") && $0.contains("outcome=\"accept\"") && $0.hasSuffix(" 1")
            }
            #expect(accepted == count, "\(name): \(metrics)")
            // That of the ledger, which is opened before its service.
            let commits = metrics.split(separator: "\n").first { $0.hasPrefix("assay_ledger_commit_seconds_count") }
            #expect(commits != nil, "\(name): \(metrics)")
            #expect(try service.send("GET", "/readyz", type: nil, unix: admin).status == 200)
        }
        let ready = service.entries("ready").compactMap { $0["assay.configuration"] as? String }
        #expect(ready.sorted() == files, "\(service.logText)")

        try Evidence.writePolicy(to: folder, shop: "1234567890.com.example.other")
        try folder.shell("cp policy.yaml b/policy.yaml")
        service.signal(SIGHUP)
        try service.waitUntil("both reloaded") {
            Set(service.entries("reloaded").compactMap { $0["assay.configuration"] as? String }).count == 2
        }
        try service.waitUntil("the policy of b") {
            (try? Self.verify(record, at: "b", service).json["code"] as? String) == "ambiguous-app"
        }
        let assertion = try Evidence.assertion("y", counter: 1)
        #expect(try Self.verify(assertion, at: "a", service).json["outcome"] as? String == "accept")

        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        let stopped = service.entries("stopped").compactMap { $0["assay.configuration"] as? String }
        #expect(stopped.sorted() == files, "\(service.logText)")
        #expect(["a", "b"].allSatisfy { !FileManager.default.fileExists(atPath: folder.path("\($0)/public.sock")) })
    }

    @Test("policy reload asks each of several configurations, also behind one that fails")
    func reload() throws {
        let folder = try TestFolder()
        let files = try ["a", "b"].map { try Self.write($0, to: folder) }
        let service = try RunningService(several: files, in: folder)
        let program = try BuiltProducts.url("assay").path
        let both = try ProgramRun(program, ["policy", "reload"] + files, environment: [:])
        #expect(both.status == 0 && files.allSatisfy { both.text.contains("\($0): reloaded") }, "\(both.text)")
        try folder.shell("echo 'version: 2' >a/policy.yaml")
        let one = try ProgramRun(program, ["policy", "reload"] + files, environment: [:])
        #expect(one.status == 2 && one.errors.contains("\(files[0]): "), "\(one.text) \(one.errors)")
        #expect(one.text.contains("\(files[1]): reloaded"), "\(one.text)")
        let mixed = try ProgramRun(program, ["policy", "reload", files[0], "--config", files[1]], environment: [:])
        #expect(mixed.status == 64, "\(mixed.text)")
        _ = service
    }

    @Test("systemd gets one notice when all services are ready")
    func notices() throws {
        let folder = try TestFolder()
        let files = try ["a", "b", "c"].map { try Self.write($0, to: folder) }
        let service = try RunningService(several: files, in: folder, launcher: SocketActivationTests.receiver)
        func seen() -> [Substring] {
            let text = (try? String(contentsOfFile: folder.path("notices"), encoding: .utf8)) ?? ""
            return text.split(separator: "\n")
        }
        try service.waitUntil("ready") { !seen().isEmpty }
        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        try service.waitUntil("stopping") { seen().last == "STOPPING=1" }
        #expect(seen() == ["READY=1", "STOPPING=1"])
    }

    /// A line of the configurations a and b, variables, and the words of the refusal.
    static let refused: [(a: String, b: String, variable: String?, words: [String])] = [
        (
            "listen: 127.0.0.1:18080", "listen: 127.0.0.1:18080", nil,
            ["b/serve.yaml: listen", "listen of", "a/serve.yaml"]
        ),
        ("admin: unix:FOLDER/x.sock", "listen: unix:FOLDER/a/../x.sock", nil, ["b/serve.yaml: listen", "admin of"]),
        (
            "ledger: sqlite:FOLDER/l.sqlite", "ledger: sqlite:FOLDER/link/l.sqlite", nil,
            ["b/serve.yaml: ledger", "ledger of", "a/serve.yaml"]
        ),
        (
            "ledger: postgresql://a@db.example/x", "ledger: postgres://b@DB.example:5432/x?timeout=5&schema=assay", nil,
            ["b/serve.yaml: ledger", "ledger of", "a/serve.yaml"]
        ),
        ("masterKey: env:KEY", "masterKey: env:KEY", nil, ["b/serve.yaml: masterKey", "nothing in common"]),
        ("logFormat: text", "logFormat: json", nil, ["b/serve.yaml: logFormat is json, and text in"]),
        ("policy: FOLDER/a/policy.yaml", "policy: FOLDER/none.yaml", nil, ["b/serve.yaml: ", "none.yaml"]),
        ("console: off", "console: off", "ASSAY_LEDGER", ["ASSAY_LEDGER: a variable would count for every"]),
        ("console: off", "console: off", "ASSAY_MASTER_KEY", ["ASSAY_MASTER_KEY: a variable would count for every"]),
    ]

    @Test("What two configurations have in common is refused before anything is created", arguments: refused)
    func conflicts(_ each: (a: String, b: String, variable: String?, words: [String])) throws {
        let folder = try TestFolder()
        try folder.shell("ln -s . link")
        let files = try [("a", each.a), ("b", each.b)].map { name, line in
            try Self.write(name, to: folder, line.replacingOccurrences(of: "FOLDER", with: folder.url.path))
        }
        var environment = ["HOME": folder.url.path, "KEY": Data(repeating: 7, count: 32).base64EncodedString()]
        if let variable = each.variable { environment[variable] = "sqlite:x.sqlite" }
        let run = try ProgramRun(
            BuiltProducts.url("assay").path, ["serve", "--create-ledger"] + files, environment: environment)
        #expect(run.status == 2, "\(run.text)")
        #expect(each.words.allSatisfy(run.errors.contains), "\(run.errors)")
        let ledgers = ["a/ledger.sqlite", "b/ledger.sqlite", "l.sqlite"]
        #expect(ledgers.allSatisfy { !FileManager.default.fileExists(atPath: folder.path($0)) })
    }

    @Test("Options for one configuration are refused beside several, and a configuration is given once")
    func options() throws {
        let program = try BuiltProducts.url("assay").path
        for arguments in [["a.yaml", "b.yaml", "--open"], ["a.yaml", "--config", "b.yaml"]] {
            let run = try ProgramRun(program, ["serve"] + arguments, environment: [:])
            #expect(run.status == 64, "\(arguments): \(run.text)")
        }
    }

    @Test("A service that cannot start ends the others, and the error names its configuration")
    func failure() throws {
        let folder = try TestFolder()
        let files = [
            try Self.write("a", to: folder), try Self.write("b", to: folder, "listen: 127.0.0.1:0", "open: false"),
        ]
        // Nobody could be let in on TCP without the token of an operator.
        let run = try ProgramRun(
            BuiltProducts.url("assay").path, ["serve", "--create-ledger"] + files,
            environment: ["HOME": folder.url.path])
        #expect(run.status == 2, "\(run.text)")
        #expect(run.errors.contains("\(files[1]): no active operator"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("a/public.sock")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("b/ledger.sqlite")))
    }

    @Test("Sockets of systemd are for one configuration")
    func inherited() throws {
        let folder = try TestFolder()
        let files = try ["a", "b"].map { try Self.write($0, to: folder) }
        let program = try BuiltProducts.url("assay").path
        try folder.write(
            "launch.py",
            """
            import os, socket, sys
            unix = socket.socket(socket.AF_UNIX); unix.bind("inherited.sock"); unix.listen(8)
            os.chmod("inherited.sock", 0o660)
            os.dup2(os.dup(unix.fileno()), 3, inheritable=True)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="admin")
            os.execv(sys.argv[1], sys.argv[1:])
            """)
        let status = try folder.shell(
            "python3 launch.py '\(program)' serve --create-ledger '\(files[0])' '\(files[1])' 2>errors")
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(
            status == 2 && errors.contains("LISTEN_FDS: sockets of systemd are for a process with one"), "\(errors)")
    }
}
