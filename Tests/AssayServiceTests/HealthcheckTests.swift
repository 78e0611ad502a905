import AssayTestSupport
import Foundation
import Testing

@Suite("assay healthcheck", .timeLimit(.minutes(30)))
struct HealthcheckTests {
    /// Runs the command in the folder of a test; the output has both streams.
    private func check(_ folder: TestFolder, _ arguments: String) throws -> (status: Int32, output: String) {
        let program = try BuiltProducts.url("assay").path
        let status = try folder.shell("env -i HOME=. '\(program)' healthcheck \(arguments) >checked 2>&1")
        return (status, try String(contentsOfFile: folder.path("checked"), encoding: .utf8))
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
        service.signal(SIGTERM)
        try service.waitUntil("stopping") { !service.entries("stopping").isEmpty }
        let stopping = try check(service.folder, "--config serve.yaml")
        #expect(stopping.status == 1 && stopping.output.contains("/readyz answered 503: the service starts or stops"))
        #expect(try check(service.folder, "--config serve.yaml --live").status == 0)
        service.signal(SIGTERM)
        #expect(service.wait() == 130)
        #expect(try check(service.folder, "--config serve.yaml").status == 3)
    }

    @Test("A listener on all interfaces is asked on the loopback address, with a token that it demands")
    func token() throws {
        let service = try RunningService(["listen=unix:public.sock", "admin=0.0.0.0:0"], isOpen: false)
        let listen = try #require(service.entries("ready").first?["assay.listen"] as? [String])
        let admin = try #require(listen.last)
        #expect(admin.hasPrefix("0.0.0.0:"), "\(listen)")
        let refused = try check(service.folder, "--address \(admin)")
        #expect(refused.status == 1 && refused.output.contains("answered 401"), "\(refused)")
        #expect(refused.output.contains("error: 127.0.0.1:") && refused.output.contains("--token"), "\(refused)")
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
        try folder.write(
            "peer.py",
            """
            import os, socket, sys
            server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1]); server.listen(8)
            print("listens", flush=True)
            while True:
                peer = server.accept()[0]
                if sys.argv[2] == "silent": os.dup(peer.fileno())
                elif sys.argv[2] == "endless":
                    try:
                        while True: peer.sendall(b"x" * 65536)
                    except OSError: pass
                else: peer.recv(4096); peer.sendall(sys.argv[2].encode())
                peer.close()

            """)
        let kinds = ["silent", "endless", "", "HTTP/1.1 200 OK\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n"]
        for (index, kind) in kinds.enumerated() {
            let peer = Process()
            peer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            peer.arguments = ["python3", folder.path("peer.py"), folder.path("\(index).sock"), kind]
            let output = Pipe()
            peer.standardOutput = output
            try peer.run()
            defer { kill(peer.processIdentifier, SIGKILL) }
            #expect(try output.fileHandleForReading.read(upToCount: 8) == Data("listens\n".utf8))
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
            ("--config none.yaml", Int32(2), "no listener of operators"),
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
