import AssayTestSupport
import Foundation
import Testing

@Suite("The listeners of operators and of metrics", .timeLimit(.minutes(30)))
struct OperatorsListenerTests {
    /// Writes a self-signed certificate NAME.pem, and its key NAME.key.
    private static func writeCertificate(_ name: String, in folder: TestFolder) throws {
        let status = try folder.shell(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=\(name)' "
                + "-addext subjectAltName=DNS:localhost -keyout \(name).key -out \(name).pem 2>/dev/null")
        try #require(status == 0)
    }

    /// The addresses of the listeners, in the order of the log.
    private static func addresses(_ service: RunningService) throws -> [String] {
        try #require(service.entries("ready").first?["assay.listen"] as? [String])
    }

    private static func port(_ address: String) throws -> Int {
        try #require(Int(address.split(separator: ":").last ?? ""))
    }

    private static func get(_ service: RunningService, _ path: String, _ port: Int, token: String? = nil) throws
        -> HTTPAnswer
    {
        try service.send(
            "GET", path, type: nil, fields: token.map { ["Authorization: Bearer \($0)"] } ?? [], port: port)
    }

    /// Asks with `openssl s_client`; returns the answer and what is printed about TLS.
    private static func ask(_ service: RunningService, _ path: String, _ port: Int) throws -> String {
        let request = #"GET \#(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"#
        try service.folder.shell(
            "printf '\(request)' | openssl s_client -connect 127.0.0.1:\(port) -servername localhost -ign_eof >answer 2>/dev/null || true"
        )
        return service.folder.read("answer").replacing(" = ", with: "=")
    }

    @Test("They speak TLS with their own certificate, which is replaced on SIGHUP, and healthcheck demands it")
    func tls() throws {
        let service = try RunningService(
            ["admin=127.0.0.1:0", "metrics=127.0.0.1:0", "adminTLS.certificate=one.pem", "adminTLS.privateKey=one.key"]
        ) { folder in
            for name in ["one", "two"] { try Self.writeCertificate(name, in: folder) }
        }
        let ports = try Self.addresses(service).dropFirst().map(Self.port)
        try #require(ports.count == 2)
        for port in ports {
            let answer = try Self.ask(service, "/metrics", port)
            #expect(answer.contains("HTTP/1.1 200 OK") && answer.contains("CN=one"), "\(answer)")
            let plain = try Connection(port: port)
            plain.write("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            plain.finish()
            #expect(HTTPAnswer(plain.readToEnd()).status == 0)
        }
        // The public listener has TLS of its own, or none.
        #expect(try service.send("GET", "/v1/checks/challenge-expired", type: nil).status == 200)
        let program = try BuiltProducts.url("assay").path
        func check(_ certificate: String) throws -> (status: Int32, output: String) {
            try service.folder.write(
                "serve.yaml",
                "admin: 127.0.0.1:\(ports[0])\nadminTLS: { certificate: \(certificate), privateKey: one.key }\n")
            let status = try service.folder.shell(
                "env -i HOME=. '\(program)' healthcheck --config serve.yaml >checked 2>errors")
            return (status, service.folder.read(status == 0 ? "checked" : "errors"))
        }
        #expect(try check("one.pem") == (0, "ready\n"))
        let other = try check("two.pem")
        #expect(other.status == 3 && other.output.contains("adminTLS.certificate"), "\(other)")
        let missing = try check("none.pem")
        #expect(missing.status == 2 && missing.output.contains("none.pem"), "\(missing)")

        try service.folder.shell("cp two.key one.key && cp two.pem one.pem")
        service.signal(SIGHUP)
        try service.waitUntil("reloaded") { (try? Self.ask(service, "/livez", ports[1]).contains("CN=two")) ?? false }
        #expect(try check("two.pem").status == 0)
        try service.waitUntil("metric") {
            (try? Self.ask(service, "/metrics", ports[1]).contains(
                #"assay_certificate_end_timestamp_seconds{name="admin"}"#)) ?? false
        }
    }

    @Test(
        "On an address that other machines reach, health needs no token and says nothing of the outage, metrics need one, and the log warns"
    )
    func address() throws {
        let service = try RunningService(
            ["listen=unix:public.sock", "admin=0.0.0.0:0", "metrics=0.0.0.0:0"], isOpen: false)
        let all = try Self.addresses(service)
        let ports = try all.dropFirst().map(Self.port)
        let ledger = "sqlite:\(service.folder.path("ledger.sqlite"))"
        let token = try service.assay("operators", "add", "prometheus", "--role", "viewer", "--ledger", ledger)
        let bearer = token.output.trimmingCharacters(in: .whitespacesAndNewlines)
        for port in ports {
            for path in ["/livez", "/readyz", "/healthz"] { #expect(try Self.get(service, path, port).status == 200) }
            #expect(try Self.get(service, "/metrics", port).status == 401)
            #expect(try Self.get(service, "/metrics", port, token: bearer).status == 200)
        }
        let warned = service.entries("requests come without TLS").compactMap { $0["assay.listen"] as? String }
        #expect(warned == ["0.0.0.0:0", "0.0.0.0:0"], "\(service.logText)")

        let lock = try LockedLedger(service)
        defer { lock.end() }
        try service.waitUntil("unready") { (try? Self.get(service, "/readyz", ports[0]).status) == 503 }
        let unready = try Self.get(service, "/readyz", ports[0])
        #expect(unready.json["detail"] as? String == "the service is not ready: its log says why", "\(unready)")
        #expect(!unready.body.contains("ledger.sqlite") && unready.json["code"] as? String == "outage", "\(unready)")
        #expect(try Self.get(service, "/livez", ports[0]).status == 200)
        let logged = service.entries("request").last { $0["url.path"] as? String == "/readyz" }?["assay.problem"]
        #expect((logged as? String)?.contains("its log says why") == false, "\(service.logText)")
    }

    @Test("The listener of metrics has health and metrics alone, without a token on loopback, and there is no warning")
    func metrics() throws {
        let service = try RunningService(["listen=unix:public.sock", "metrics=127.0.0.1:0"], isOpen: false)
        let all = try Self.addresses(service)
        #expect(all.count == 3 && all[1].hasPrefix("unix:"), "\(all)")
        let port = try Self.port(all[2])
        for path in ["/livez", "/readyz", "/healthz", "/metrics"] {
            #expect(try Self.get(service, path, port).status == 200, "\(path)")
        }
        for path in ["/v1/admin/subjects", "/v1/admin/policy", "/v1/checks", "/", "/admin"] {
            #expect(try Self.get(service, path, port).status == 404, "\(path)")
        }
        #expect(service.entries("requests come without TLS").isEmpty)
    }

    @Test(
        "An address for two listeners, and half of TLS, are refused",
        arguments: [
            (["admin=127.0.0.1:4711", "metrics=127.0.0.1:4711"], "metrics"),
            (["adminTLS.certificate=one.pem"], "adminTLS.privateKey"),
            (
                ["admin=unix:a.sock", "adminTLS.certificate=one.pem", "adminTLS.privateKey=one.key"],
                "adminTLS.certificate"
            ),
        ])
    func refused(_ settings: [String], _ key: String) throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let failure = try Self.serve(folder, settings.map { "--set \($0)" }.joined(separator: " "))
        #expect(failure.status == 2 && failure.errors.contains(key), "\(failure)")
    }

    /// Runs a service that cannot start.
    private static func serve(
        _ folder: TestFolder, _ options: String, before: String = ""
    ) throws -> (status: Int32, errors: String) {
        let program = try BuiltProducts.url("assay").path
        let status = try folder.shell(
            "\(before) '\(program)' serve --create-ledger --policy policy.yaml --ledger sqlite:l.sqlite \(options) 2>errors"
        )
        return (status, folder.read("errors"))
    }

    @Test("A service that cannot start says so in the log, of which each line is JSON; at a terminal in plain text")
    func startFailure() throws {
        let folder = try TestFolder()
        try folder.write("policy.yaml", "version: 1\napps: [\n")
        for options in ["", "--set limits.body=1", "--config none.yaml", "--set listen=unix:policy.yaml"] {
            let failure = try Self.serve(folder, options)
            let entries = try failure.errors.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            let last = try #require(entries.last ?? nil, "\(options): \(failure)")
            #expect(failure.status == 2 && entries.allSatisfy { $0 != nil }, "\(options): \(failure)")
            #expect(
                last["level"] as? String == "critical" && last["message"] as? String == "not running"
                    && last["assay.problem"] is String, "\(options): \(failure)")
        }
        try folder.write(
            "terminal.py", "import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))\n")
        let program = try BuiltProducts.url("assay").path
        let status = try folder.shell(
            "python3 terminal.py '\(program)' serve --create-ledger --policy policy.yaml --ledger sqlite:l.sqlite >shown </dev/null"
        )
        #expect(status == 2 && folder.read("shown").contains("error: policy.yaml"), "\(folder.read("shown"))")
    }

    /// Becomes the program, with a variable that names its standard error as the stream of the journal.
    private static let journal = """
        import os, sys
        status = os.fstat(2)
        os.environ["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino + int(os.environ['NAMES'])}"
        os.execv(sys.argv[1], sys.argv[1:])
        """

    @Test("Under systemd each line begins with its priority for the journal; a redirected log has none")
    func priorities() throws {
        let service = try RunningService([], launcher: Self.journal, names: "0")
        #expect(try service.send("POST", "/v1/verify", body: "{}").status == 400)
        #expect(try service.send("GET", "/nothing", type: nil).status == 404)
        try service.waitUntil("logged") { service.entries("request").count == 2 }
        let priorities = ["debug": "7", "info": "6", "notice": "5", "warning": "4", "error": "3", "critical": "2"]
        let lines = service.logText.split(separator: "\n")
        #expect(lines.count >= 3)
        for line in lines {
            let json = line.dropFirst(3)
            let entry = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            let level = try #require(entry?["level"] as? String)
            #expect(try line.hasPrefix("<\(#require(priorities[level]))>"), "\(line)")
        }
        let redirected = try RunningService([], launcher: Self.journal, names: "1")
        #expect(redirected.logText.hasPrefix("{"), "\(redirected.logText)")
    }
}
