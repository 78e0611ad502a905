import AssayTestSupport
import Foundation
import Testing

@Suite("assay healthcheck", .timeLimit(.minutes(30)))
struct HealthcheckTests {
    /// Runs the command in the folder of a test; returns its output, and its errors if it fails.
    private func check(_ folder: TestFolder, _ arguments: String) throws -> (status: Int32, output: String) {
        let program = try BuiltProducts.url("assay").path
        let status = try folder.shell("env -i HOME=. '\(program)' healthcheck \(arguments) >checked 2>errors")
        let output = try String(contentsOfFile: folder.path("checked"), encoding: .utf8)
        #expect((status == 0) == !output.isEmpty, "an answer is on the standard output, an error is not")
        return (status, status == 0 ? output : try String(contentsOfFile: folder.path("errors"), encoding: .utf8))
    }

    @Test("The listener is found by the configuration; a service that stops is live and not ready")
    func ready() throws {
        let service = try RunningService("shutdown.delay=10m")
        // The configuration of the service, in a file: the policy is not needed to find the listener.
        let admin = service.folder.path("admin.sock")
        try service.folder.write("serve.yaml", "admin: \"unix:\(admin)\"\n")
        #expect(try check(service.folder, "--config serve.yaml") == (0, "ready\n"))
        #expect(try check(service.folder, "--config serve.yaml --live") == (0, "live\n"))
        #expect(try check(service.folder, "--address 'unix:\(admin)'") == (0, "ready\n"))
        #expect(try check(service.folder, "--set 'admin=unix:\(admin)'") == (0, "ready\n"))
        let object = try check(service.folder, "--config serve.yaml --json").output
        #expect(object == #"{"address":"unix:\#(admin)","path":"/readyz","status":200,"ok":true}"# + "\n", "\(object)")
        service.signal(SIGTERM)
        try service.waitUntil("stopping") { !service.entries("stopping").isEmpty }
        let stopping = try check(service.folder, "--config serve.yaml")
        #expect(stopping.status == 1 && stopping.output.contains("/readyz answered 503: the service starts or stops"))
        #expect(try check(service.folder, "--config serve.yaml --live").status == 0)
        service.signal(SIGTERM)
        #expect(service.wait() == 130)
        #expect(try check(service.folder, "--config serve.yaml").status == 3)
    }

    @Test("As JSON, an answer that says no is printed too, and no answer is not")
    func json() throws {
        let service = try RunningService("shutdown.delay=10m")
        let admin = service.folder.path("admin.sock")
        service.signal(SIGTERM)
        try service.waitUntil("stopping") { !service.entries("stopping").isEmpty }
        let no = try service.assay("healthcheck", "--json", "--address", "unix:\(admin)")
        #expect(no.status == 1 && no.errors.contains("answered 503"), "\(no)")
        let object = try JSONSerialization.jsonObject(with: Data(no.output.utf8)) as? [String: Any]
        #expect(object?["ok"] as? Bool == false && object?["status"] as? Int == 503, "\(no)")
        #expect((object?["detail"] as? String)?.contains("starts or stops") == true, "\(no)")
        let live = try service.assay("healthcheck", "--json", "--live", "--address", "unix:\(admin)")
        #expect(live.status == 0 && live.output.contains(#""path":"/livez""#), "\(live)")
        let none = try service.assay("healthcheck", "--json", "--address", "unix:\(admin).none")
        #expect(none.status == 3 && none.output.isEmpty, "\(none)")
    }

    @Test("A listener on all interfaces is asked on the loopback address, without a token or with one")
    func token() throws {
        let service = try RunningService(["listen=unix:public.sock", "admin=0.0.0.0:0"], isOpen: false)
        let listen = try #require(service.entries("ready").first?["assay.listen"] as? [String])
        let admin = try #require(listen.last)
        #expect(admin.hasPrefix("0.0.0.0:"), "\(listen)")
        #expect(try check(service.folder, "--address \(admin)") == (0, "ready\n"))
        let ledger = "sqlite:\(service.folder.path("ledger.sqlite"))"
        let made = try service.assay("operators", "add", "probe", "--role", "viewer", "--ledger", ledger)
        #expect(made.status == 0)
        let file = try service.folder.write("token", made.output)
        try #require(chmod(file, 0o600) == 0)
        #expect(try check(service.folder, "--address \(admin) --token file:token") == (0, "ready\n"))
        try service.folder.write("token", "a\r\nX-Injected: b")
        let injected = try check(service.folder, "--address \(admin) --token file:token")
        #expect(injected.status == 2 && !injected.output.contains("Injected"), "\(injected)")
    }

    @Test("A listener that is silent, closes or does not speak HTTP is no answer")
    func noAnswer() throws {
        let folder = try TestFolder()
        let kinds = ["silent", "endless", "", "HTTP/1.1 200 OK\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n"]
        for (index, kind) in kinds.enumerated() {
            let peer = try UnixPeer(folder.path("\(index).sock"), answer: kind, in: folder)
            defer { withExtendedLifetime(peer) {} }
            let timeout = kind == "silent" ? " --timeout 1s" : " --timeout 10m"
            let checked = try check(folder, "--address 'unix:\(folder.path("\(index).sock"))'\(timeout)")
            #expect(checked.status == 3, "\(kind): \(checked)")
        }
        #expect(try check(folder, "--address 'unix:\(folder.path("none.sock"))'").status == 3)
    }

    @Test("Wrong addresses and configurations have other exit codes than a missing answer")
    func mistakes() throws {
        let folder = try TestFolder()
        try folder.write("none.yaml", "admin: none\n")
        try folder.write("wrong.yaml", "admn: none\n")
        for (arguments, status, words) in [
            ("--config none.yaml", Int32(2), "neither a listener of operators nor one of metrics"),
            ("--config wrong.yaml", 2, "did you mean admin?"),
            ("--config missing.yaml", 2, "does not exist"),
            ("--set admin=127.0.0.1:0", 2, "name the address with --address"),
            ("--address nowhere", 64, "HOST:PORT"), ("--timeout soon", 64, "timeout"), ("--set admin", 64, "KEY=VALUE"),
            ("--token secret --address unix:x", 64, "--token"),
        ] {
            let checked = try check(folder, arguments)
            #expect(checked.status == status && checked.output.contains(words), "\(arguments): \(checked)")
        }
    }
}
