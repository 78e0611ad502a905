import AssayTestSupport
import Foundation
import Synchronization
import Testing

@Suite("A running service", .timeLimit(.minutes(30)))
struct RunningTests {
    private static let reloadFailed = "reload failed: the policy and certificates before stay in use"

    @Test("The policy is read again on SIGHUP and when it changes; one that cannot be used changes nothing")
    func reload() throws {
        let service = try RunningService()
        let record = try Evidence.attestation("a")
        func failed() throws -> [String] {
            let answer = try service.send("POST", "/v1/verify", body: record)
            return try #require(answer.json["failed"] as? [String], "\(answer)")
        }
        try service.folder.write("policy.yaml", "version: 1\napps: []\n")
        service.signal(SIGHUP)
        try service.waitUntil("refused") {
            !service.entries(Self.reloadFailed).isEmpty
        }
        let problem =
            service.entries(Self.reloadFailed).first?["assay.problem"]
            as? String ?? ""
        #expect(problem.contains("policy.yaml:2"), "\(problem)")
        #expect(try failed() == [])
        try Evidence.writePolicy(to: service.folder, shop: "1234567890.com.example.other")
        try service.waitUntil("reloaded") { !service.entries("reloaded").isEmpty }
        #expect(try service.send("POST", "/v1/verify", body: record).json["code"] as? String == "ambiguous-app")
    }

    @Test("SIGTERM: the begun request is finished, status 0, and the socket's file is gone")
    func stop() throws {
        let service = try RunningService()
        let stream = try service.beginStream()
        service.signal(SIGTERM)
        try service.waitUntil("stopping") { !service.entries("stopping").isEmpty }
        stream.write("5\r\n{\"x\"}\r\n0\r\n\r\n")
        let rest = String(decoding: stream.readToEnd(), as: UTF8.self)
        #expect(rest.contains("unreadable-record") && rest.hasSuffix("0\r\n\r\n"), "\(rest)")
        #expect(service.wait() == 0, "\(service.logText)")
        #expect(!FileManager.default.fileExists(atPath: service.folder.path("admin.sock")))
    }

    @Test("A service that finishes its requests leaves the socket of its successor at the same path")
    func successor() throws {
        let folder = try TestFolder()
        let path = folder.path("public.sock")
        let first = try RunningService(["listen=unix:\(path)", "admin=none", "limits.bodyTime=10m"], in: folder)
        // The successor's folder is its own; that of the first holds the socket to the end.
        defer { withExtendedLifetime(folder) {} }
        let begun = try first.beginStream(unix: path)
        first.signal(SIGTERM)
        // Its own file is gone as soon as it accepts no more connections.
        try first.waitUntil("closed") { !FileManager.default.fileExists(atPath: path) }
        let second = try RunningService(
            ["listen=unix:\(path)", "admin=none"], ledger: "sqlite:\(folder.path("ledger.sqlite"))")
        begun.write("5\r\n{\"x\"}\r\n0\r\n\r\n")
        #expect(String(decoding: begun.readToEnd(), as: UTF8.self).hasSuffix("0\r\n\r\n"))
        #expect(first.wait() == 0, "\(first.logText)")
        #expect(try second.send("GET", "/v1/checks", type: nil, unix: path).status == 200)
        // A file that replaced its own is not removed either.
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        try Connection.bindOnly(path)
        second.signal(SIGTERM)
        #expect(second.wait() == 0, "\(second.logText)")
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("The process writes no core dumps, and the unit and the image of the packages set what SECURITY.md demands")
    func coreDumps() throws {
        let service = try RunningService()
        let limits = service.limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
        #expect(limits.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(limits)")
        let root = TestVectors.folder.deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }
        let setting = try #require(try text("SECURITY.md").firstMatch(of: /`(SWIFT_BACKTRACE=[^`]+)`/)?.output.1)
        let unit = try text("Packaging/debian/assay.service").split(separator: "\n")
        #expect(unit.contains("LimitCORE=0") && unit.contains("Environment=\(setting)"))
        #expect(try text("Scripts/image").contains("--env \(setting) "))
        #expect(try text("Docs/service.md").contains("LimitCORE=0\nEnvironment=\(setting)\n"))
    }

    @Test("The ID of a request tells nothing about those of other requests")
    func requestIDs() throws {
        let service = try RunningService()
        var seen: Set<String> = []
        for _ in 0..<20 {
            let id = try #require(try service.send("GET", "/v1/checks", type: nil).fields["x-request-id"])
            #expect(id.count == 32 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase }, "\(id)")
            // Neither half is repeated or counted up: with 64 random bits each, they share no beginning of eight digits.
            for half in [id.prefix(16), id.suffix(16)] {
                #expect(seen.insert(String(half.prefix(8))).inserted, "\(id)")
            }
        }
    }

    @Test("During the delay the service is unready and serves; a second signal ends it at once")
    func delay() throws {
        let service = try RunningService("shutdown.delay=10m")
        let admin = service.folder.path("admin.sock")
        #expect(try service.send("GET", "/readyz", type: nil, unix: admin).status == 200)
        service.signal(SIGINT)
        try service.waitUntil("stopping") { !service.entries("stopping").isEmpty }
        #expect(try service.send("GET", "/readyz", type: nil, unix: admin).status == 503)
        #expect(try service.send("GET", "/livez", type: nil, unix: admin).status == 200)
        #expect(try service.send("GET", "/v1/checks", type: nil).status == 200)
        service.signal(SIGINT)
        #expect(service.wait() == 130)
    }

    @Test("Requests that take longer than the time for stopping are cut")
    func cut() throws {
        let service = try RunningService("shutdown.timeout=1s", "limits.bodyTime=10m")
        let stream = try service.beginStream()
        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        #expect(!String(decoding: stream.readToEnd(), as: UTF8.self).hasSuffix("0\r\n\r\n"))
    }

    @Test("A token of an operator with the right role is demanded; a revoked one is refused at once")
    func tokens() throws {
        var token = ""
        var viewer = ""
        let service = try RunningService(isOpen: false) { folder in
            func add(_ name: String, _ role: String) throws -> String {
                let file = folder.path("token-\(name)")
                let program = try BuiltProducts.url("assay").path
                let status = try folder.shell(
                    "'\(program)' operators add \(name) --role \(role) --ledger 'sqlite:\(folder.path("ledger.sqlite"))' "
                        + ">'\(file)' 2>/dev/null")
                #expect(status == 0)
                return try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
            }
            token = try add("shop-backend", "caller")
            viewer = try add("dashboard", "viewer")
        }
        let body = try Evidence.attestation("a")
        func verify(_ fields: String...) throws -> HTTPAnswer {
            try service.send("POST", "/v1/verify", body: body, fields: fields)
        }
        for fields in [
            [], ["Authorization: Basic x"], ["Authorization: Bearer x"], ["Authorization: Bearer \(token)x"],
        ] {
            let refused = try service.send("POST", "/v1/verify", body: body, fields: fields)
            #expect(refused.status == 401 && refused.fields["www-authenticate"] == "Bearer", "\(refused)")
        }
        #expect(try verify("Authorization: Bearer \(token)", "Authorization: Bearer \(token)").status == 401)
        #expect(try verify("Authorization: Bearer \(viewer)").status == 403)
        #expect(try verify("authorization: bearer \(token)").status == 200)
        #expect(try service.send("GET", "/v1/checks", type: nil).status == 200)
        try service.waitUntil("logged") {
            service.entries("request").contains { $0["assay.caller"] as? String == "shop-backend" }
        }
        let revoked = try service.assay(
            "operators", "revoke", "shop-backend", "--yes", "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))"
        )
        #expect(revoked.status == 0)
        #expect(try verify("Authorization: Bearer \(token)").status == 401)
        #expect(!service.logText.contains(token) && !service.logText.contains(viewer))
    }

    @Test("Without any caller's token, and without --open, a TCP listener is refused; so is an address in use")
    func refused() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let program = try BuiltProducts.url("assay").path
        func serve(_ options: String) throws -> (status: Int32, errors: String) {
            let status = try folder.shell(
                "'\(program)' serve --create-ledger --policy policy.yaml --ledger sqlite:l.sqlite --set admin=none \(options) 2>errors"
            )
            return (status, try String(contentsOfFile: folder.path("errors"), encoding: .utf8))
        }
        let without = try serve("--listen 127.0.0.1:0")
        #expect(without.status == 2 && without.errors.contains("assay operators add"), "\(without)")
        func hasLedger() -> Bool { FileManager.default.fileExists(atPath: folder.path("l.sqlite")) }
        #expect(!hasLedger())
        let file = try folder.write("file", "x")
        let noSocket = try serve("--listen 'unix:\(file)'")
        #expect(noSocket.status == 2 && noSocket.errors.contains("no socket"), "\(noSocket)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "x")
        let service = try RunningService()
        let inUse = try serve("--open --listen 127.0.0.1:\(service.port)")
        #expect(
            inUse.status == 2
                && inUse.errors.contains("listen: cannot listen on 127.0.0.1:\(service.port): Address already in use"),
            "\(inUse)")
        #expect(!hasLedger())
        let admin = try serve("--open --listen 127.0.0.1:0 --set admin=127.0.0.1:\(service.port)")
        #expect(admin.status == 2 && admin.errors.contains("admin: cannot listen on"), "\(admin)")
        let option = try serve("--admin none")
        #expect(option.status == 64 && option.errors.contains("--set admin=VALUE"), "\(option)")
        let socket = try serve("--listen 'unix:\(service.folder.path("admin.sock"))'")
        #expect(
            socket.status == 2
                && socket.errors.contains(
                    "admin.sock: another program listens there; end it, or set listen to another address"),
            "\(socket)")
        let nowhere = try serve("--listen unix:nosuch/x.sock")
        #expect(
            nowhere.status == 2 && nowhere.errors.contains("No such file or directory; set listen to another address"),
            "\(nowhere)")
        let memory = try serve("--open --ledger memory: --listen 127.0.0.1:0")
        #expect(memory.status == 64 && memory.errors.contains("no ledger for a service"), "\(memory)")
        let bad = try serve("--open --set limits.body=1 --listen 127.0.0.1:0")
        #expect(bad.status == 2 && bad.errors.contains("limits.body: expected a size"), "\(bad)")
    }

    @Test("A unix socket needs no token, is for its user and group alone, and replaces the file of a killed service")
    func unixSocket() throws {
        let service = try RunningService(isOpen: false) { folder in
            // As a killed service leaves it.
            try Connection.bindOnly(folder.path("admin.sock"))
            let program = try BuiltProducts.url("assay").path
            #expect(
                try folder.shell(
                    "'\(program)' operators add x --role caller --ledger 'sqlite:\(folder.path("ledger.sqlite"))' >/dev/null 2>&1"
                )
                    == 0)
        }
        let path = service.folder.path("admin.sock")
        #expect(try service.send("GET", "/healthz", type: nil, unix: path).status == 200)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o660)
    }

    @Test("Whatever the umask, which stays: a unix socket has its mode when the first connection succeeds")
    func socketMode() throws {
        let folder = try TestFolder()
        let path = folder.path("public.sock")
        let modes = Mutex<[mode_t]>([])
        let isOver = Atomic(false)
        let first = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isOver.load(ordering: .relaxed) {
                guard Connection(ifListeningOn: path) != nil else { continue }
                var status = stat()
                lstat(path, &status)
                modes.withLock { $0.append(status.st_mode & 0o777) }
                break
            }
            first.signal()
        }
        defer { isOver.store(true, ordering: .relaxed) }
        let launcher = "import os, sys; os.umask(0); os.execv(sys.argv[1], sys.argv[1:])"
        let service = try RunningService(["listen=unix:\(path)"], isOpen: false, in: folder, launcher: launcher)
        first.wait()
        #expect(modes.withLock { $0 } == [0o660])
        #expect(service.umask == "0000")
    }

    @Test("A unix socket whose queue is full is in use: the service says so, and does not wait for a place")
    func fullQueue() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let path = folder.path("full.sock")
        let descriptor = try Connection.bindSocket(path)
        defer { close(descriptor) }
        // A queue of 0 takes one connection.
        try #require(listen(descriptor, 0) == 0)
        let waiting = try Connection(unix: path)
        let program = try BuiltProducts.url("assay").path
        let status = try folder.shell(
            "'\(program)' serve --create-ledger --policy policy.yaml --ledger sqlite:l.sqlite --set admin=none "
                + "--listen unix:full.sock 2>errors")
        let errors = folder.read("errors")
        #expect(status == 2 && errors.contains("listen: unix:full.sock: another program listens there"), "\(errors)")
        withExtendedLifetime(waiting) {}
    }

    @Test("A mistake in the configuration, a policy, a key or a file of TLS leaves no new ledger behind")
    func noLedger() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        try folder.write("wrong.yaml", "version: 1\napps: []\n")
        let program = try BuiltProducts.url("assay").path
        for (options, words) in [
            ("--policy none.yaml", "none.yaml"), ("--policy wrong.yaml", "wrong.yaml:2"),
            ("--policy policy.yaml --set masterKey=file:none.key", "none.key"),
            ("--policy policy.yaml --set serviceAccount=file:none.json", "none.json"),
            ("--policy policy.yaml --set tls.certificate=none.pem --set tls.privateKey=none.key", "none.pem"),
            ("--policy policy.yaml --set limits.body=1", "limits.body"),
            ("--policy policy.yaml --set statusListURL=x", "statusListURL"),
            ("--policy policy.yaml --set appAttestURL=x", "appAttestURL"),
        ] {
            let status = try folder.shell(
                "'\(program)' serve --create-ledger --open --ledger sqlite:l.sqlite --listen 127.0.0.1:0 --set admin=none "
                    + "\(options) 2>errors")
            let errors = folder.read("errors")
            #expect(status == 2 && errors.contains(words), "\(options): \(errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("l.sqlite")), "\(options)")
        }
    }

    @Test("Acknowledged acceptances survive kill -9, and none is accepted twice")
    func killed() throws {
        let folder: TestFolder
        var accepted: [UInt32] = []
        do {
            let service = try RunningService("logLevel=notice")
            folder = service.folder
            #expect(
                try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).json["outcome"] as? String
                    == "accept")
            for counter in 1...20 as ClosedRange<UInt32> {
                let answer = try service.send("POST", "/v1/verify", body: Evidence.assertion("x", counter: counter))
                if answer.json["outcome"] as? String == "accept" { accepted.append(counter) }
            }
            service.signal(SIGKILL)
            _ = service.wait()
        }
        #expect(accepted == Array(1...20))
        let ledger = FileManager.default.contents(atPath: folder.path("ledger.sqlite")) ?? Data()
        let wal = FileManager.default.contents(atPath: folder.path("ledger.sqlite-wal"))
        let next = try RunningService("logLevel=notice") { other in
            try other.write("ledger.sqlite", ledger)
            if let wal { try other.write("ledger.sqlite-wal", wal) }
        }
        for counter in accepted {
            let answer = try next.send("POST", "/v1/verify", body: Evidence.assertion("x", counter: counter))
            #expect(answer.json["failed"] as? [String] == ["app-attest.assertion.counter"], "\(answer)")
        }
    }
}
