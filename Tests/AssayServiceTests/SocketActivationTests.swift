import AssayTestSupport
import Foundation
import Testing

@Suite("Sockets that systemd has opened", .timeLimit(.minutes(30)))
struct SocketActivationTests {
    /// Opens sockets as systemd does, and becomes the program.
    private static let launcher = """
        import os, socket, sys
        names = os.environ["NAMES"]
        unix = socket.socket(socket.AF_UNIX); unix.bind("inherited.sock"); unix.listen(8)
        tcp = socket.socket(); tcp.bind(("127.0.0.1", 0)); tcp.listen(8)
        a, b = os.dup(tcp.fileno()), os.dup(unix.fileno())
        os.dup2(a, 100); os.dup2(b, 101); os.closerange(3, 100)
        os.dup2(100, 3, inheritable=True); os.dup2(101, 4, inheritable=True); os.closerange(5, 102)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES=names)
        os.execv(sys.argv[1], sys.argv[1:])
        """

    @Test("The service listens on the inherited sockets by their names, and leaves the file of a unix socket")
    func activated() throws {
        let service = try RunningService(["admin=none"], launcher: Self.launcher, names: "public:admin")
        #expect(service.port > 0)
        #expect(try service.send("GET", "/v1/checks/challenge-expired", type: nil).status == 200)
        let record = try Evidence.attestation("a")
        let verdict = try service.send("POST", "/v1/verify", body: record)
        #expect(verdict.json["outcome"] as? String == "accept" && verdict.fields["date"] != nil, "\(verdict)")
        let path = service.folder.path("inherited.sock")
        #expect(try service.send("GET", "/readyz", type: nil, unix: path).status == 200)
        #expect(try service.send("GET", "/v1/admin/subjects", type: nil, unix: path).json["keys"] as? Int == 1)
        let stream = try service.beginStream()
        service.signal(SIGTERM)
        try service.waitUntil("stopping") { !service.entries("stopping").isEmpty }
        stream.write("5\r\n{\"x\"}\r\n0\r\n\r\n")
        #expect(String(decoding: stream.readToEnd(), as: UTF8.self).hasSuffix("0\r\n\r\n"))
        #expect(service.wait() == 0, "\(service.logText)")
        #expect(FileManager.default.fileExists(atPath: path))
    }

    /// Opens one socket at an address of Python, with a mode of its file, and becomes the program.
    private static let oneSocket = """
        import os, socket, sys
        address, mode = eval(os.environ["ADDRESS"]), int(os.environ["MODE"], 8)
        unix = socket.socket(socket.AF_UNIX); unix.bind(address); unix.listen(8)
        if mode: os.chmod(address, mode)
        copy = os.dup(unix.fileno())
        os.dup2(copy, 3, inheritable=True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES=os.environ["NAMES"])
        os.execv(sys.argv[1], sys.argv[1:])
        """

    /// The listener, the address, the mode of the file, the mode of its folder, the options, and the words of a refusal; nil for none.
    static let rights:
        [(name: String, address: String, mode: String, folder: mode_t, options: String, words: String?)] = [
            ("admin", "'\\0assay-test-' + str(os.getpid())", "0", 0o755, "", "has no file"),
            ("public", "'\\0assay-test-' + str(os.getpid())", "0", 0o755, "", "has no file"),
            ("public", "'\\0assay-test-' + str(os.getpid())", "0", 0o755, "--open", "has no file"),
            ("admin", "'s/x.sock'", "666", 0o755, "", "every user of this machine may connect"),
            ("admin", "'s/x.sock'", "666", 0o755, "--open", "every user of this machine may connect"),
            ("admin", "'s/x.sock'", "602", 0o711, "", "set SocketMode=0660"),
            ("public", "'s/x.sock'", "666", 0o755, "", "every user of this machine may connect"),
            ("public", "'s/x.sock'", "666", 0o755, "--open", nil),
            // The folder keeps others away.
            ("admin", "'s/x.sock'", "666", 0o750, "", nil), ("admin", "'s/x.sock'", "660", 0o755, "", nil),
            ("public", "'s/x.sock'", "660", 0o755, "", nil),
        ]

    @Test("An inherited unix socket gives rights only by a mode that was looked at", arguments: rights)
    func inheritedRights(
        _ each: (name: String, address: String, mode: String, folder: mode_t, options: String, words: String?)
    ) throws {
        // Folders for temporary files can be searched by all.
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        try folder.write("launch.py", Self.oneSocket)
        try FileManager.default.createDirectory(atPath: folder.path("s"), withIntermediateDirectories: false)
        try #require(chmod(folder.url.path, 0o755) == 0 && chmod(folder.path("s"), each.folder) == 0)
        let program = try BuiltProducts.url("assay").path
        // A service that starts is stopped when it is ready.
        let status = try folder.shell(
            ": >errors; export NAMES=\(each.name) MODE=\(each.mode) ADDRESS=\"\(each.address)\"; "
                + "python3 launch.py '\(program)' serve --create-ledger --policy policy.yaml --ledger sqlite:l.sqlite "
                + "\(each.options) "
                + "--set listen=unix:p.sock --set admin=unix:a.sock 2>errors & child=$!; "
                + "while kill -0 $child 2>kill && ! grep -q '\"ready\"' errors; do sleep 0.05; done; "
                + "kill -TERM $child 2>kill || true; wait $child"
        )
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        if let words = each.words {
            #expect(status == 2 && errors.contains(words), "\(status) \(errors)")
        } else {
            #expect(status == 0 && errors.contains(#""message":"ready""#), "\(status) \(errors)")
        }
    }

    /// Receives what the service reports to systemd, and becomes the program.
    static let receiver = """
        import os, socket, sys
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); notices.bind("notify.sock"); notices.settimeout(600)
        if os.fork() == 0:
            with open("notices", "w", buffering=1) as file:
                text = ""
                while not text.startswith("STOPPING"):
                    text = notices.recv(4096).decode()
                    file.write(text.replace("\\n", " ") + "\\n")
            os._exit(0)
        notices.close()
        os.environ["NOTIFY_SOCKET"] = os.path.abspath("notify.sock")
        os.execv(sys.argv[1], sys.argv[1:])
        """

    @Test("The service notifies systemd when it is ready, reloads and stops")
    func notices() throws {
        let service = try RunningService([], launcher: Self.receiver)
        func seen() -> [String] {
            let text = (try? String(contentsOfFile: service.folder.path("notices"), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        }
        try service.waitUntil("ready") { seen() == ["READY=1"] }
        service.signal(SIGHUP)
        try service.waitUntil("reloaded") { seen() == ["READY=1", "RELOADING=1", "READY=1"] }
        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        try service.waitUntil("stopping") { seen().last == "STOPPING=1" }
    }

    @Test("A name that is neither public nor admin is refused")
    func names() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        try folder.write("launch.py", Self.launcher)
        let program = try BuiltProducts.url("assay").path
        let status = try folder.shell(
            "NAMES=public:other python3 launch.py '\(program)' serve --create-ledger --open --policy policy.yaml --ledger sqlite:l.sqlite 2>errors"
        )
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(status == 2 && errors.contains("FileDescriptorName"), "\(status) \(errors)")
    }
}
